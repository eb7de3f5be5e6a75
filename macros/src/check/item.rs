//! Checks of the item that an attribute is on.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Fields, Generics, Ident, Item, ItemFn, ItemStatic, ItemStruct, Meta, StaticMutability, Type,
};

use super::name::MAX_DESCRIPTION_BYTES;
use crate::doc::Description;
use crate::error::Errors;

/// An item that `#[pvar]` may be on.
pub(crate) enum Variable {
    Static(ItemStatic),
    Function(Box<ItemFn>),
}

pub(crate) fn variable(item: &TokenStream, errors: &mut Errors) -> Option<Variable> {
    let expected = "`#[pvar]` belongs on a `static` that holds the value or on a `fn` that computes it";
    let variable = parse(item, expected, errors, |found| match found {
        Item::Static(item) => Some(Variable::Static(item)),
        Item::Fn(item) => Some(Variable::Function(Box::new(item))),
        _ => None,
    })?;
    match &variable {
        Variable::Static(item) => check_static(item, errors),
        Variable::Function(item) => check_function(item, errors),
    }
    Some(variable)
}

pub(crate) fn setting(item: &TokenStream, errors: &mut Errors) -> Option<ItemStatic> {
    let expected = "`#[cvar]` belongs on a `static` of type `Cvar<_>` or `ObjectCvar<_>`";
    let item = parse(item, expected, errors, |found| match found {
        Item::Static(item) => Some(item),
        _ => None,
    })?;
    check_static(&item, errors);
    Some(item)
}

/// Parses the unit struct of a category or a source; `example` shows a correct one.
pub(crate) fn unit_struct(
    item: &TokenStream,
    attribute: &str,
    example: &str,
    errors: &mut Errors,
) -> Option<ItemStruct> {
    let expected = format!("`#[{attribute}]` belongs on a unit struct, such as `pub struct {example};`");
    let found = parse_struct(item, &expected, errors)?;
    check_generics(&found.generics, &format!("a {attribute}"), errors);
    if !matches!(found.fields, Fields::Unit) {
        errors.on(&found.fields, format!("{expected}, this one has fields"));
    }
    if found.generics.params.is_empty() { Some(found) } else { None }
}

pub(crate) fn parse_struct(item: &TokenStream, expected: &str, errors: &mut Errors) -> Option<ItemStruct> {
    parse(item, expected, errors, |found| match found {
        Item::Struct(found) => Some(found),
        _ => None,
    })
}

/// Parses an item of a kind that `accept` returns. Reports any other one at its head.
pub(crate) fn parse<T>(
    item: &TokenStream,
    expected: &str,
    errors: &mut Errors,
    accept: fn(Item) -> Option<T>,
) -> Option<T> {
    if let Some(accepted) = syn::parse2(item.clone()).ok().and_then(accept) {
        return Some(accepted);
    }
    let message = match syn::parse2(item.clone()) {
        Ok(found) if is_thread_local(&found) => {
            format!(
                "{expected}; a `thread_local!` has a value in each thread, tools see one: remove `thread_local!`"
            )
        }
        Ok(found) => match kind(&found) {
            Some(kind) => format!("{expected}, this is {kind}"),
            None => expected.to_owned(),
        },
        Err(_) => expected.to_owned(),
    };
    errors.on(head(item), message);
    None
}

/// Returns the head of an item: the tokens up to the first group, `=` or `;`, without attributes.
fn head(item: &TokenStream) -> TokenStream {
    use proc_macro2::TokenTree;
    let mut head = TokenStream::new();
    let mut attribute = false;
    for token in item.clone() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => attribute = true,
            TokenTree::Group(_) if attribute => attribute = false,
            TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | ';') => break,
            TokenTree::Group(_) => break,
            _ => head.extend([token]),
        }
    }
    if head.is_empty() { item.clone() } else { head }
}

/// Returns true for `thread_local!`, and for its expansion of an item inside.
fn is_thread_local(item: &Item) -> bool {
    let ends_with = |path: &syn::Path, name| path.segments.last().is_some_and(|last| last.ident == name);
    match item {
        Item::Macro(found) => ends_with(&found.mac.path, "thread_local"),
        Item::Const(found) => matches!(&*found.ty, Type::Path(ty) if ends_with(&ty.path, "LocalKey")),
        _ => false,
    }
}

fn kind(item: &Item) -> Option<&'static str> {
    Some(match item {
        Item::Const(_) => "a `const`, which has no storage",
        Item::Enum(_) => "an `enum`",
        Item::Fn(_) => "a `fn`",
        Item::Impl(_) => "an `impl`",
        Item::Mod(_) => "a `mod`",
        Item::Static(_) => "a `static`",
        Item::Struct(_) => "a `struct`",
        Item::Trait(_) => "a `trait`",
        Item::Type(_) => "a `type`",
        Item::Union(_) => "a `union`",
        Item::Use(_) => "a `use`",
        _ => return None,
    })
}

fn check_static(item: &ItemStatic, errors: &mut Errors) {
    if let StaticMutability::Mut(mutability) = &item.mutability {
        let message =
            "a `static mut` cannot be shared with tools, remove `mut`: cells are updated through `&`";
        errors.on(mutability, message);
    }
}

fn check_function(item: &ItemFn, errors: &mut Errors) {
    let signature = &item.sig;
    if let Some(receiver) = signature.receiver() {
        errors
            .on(receiver, "a method cannot be a pvar, there is no `self` when a tool reads: use a free `fn`");
    }
    if let Some(asyncness) = &signature.asyncness {
        errors.on(asyncness, "an `async fn` cannot be a pvar, a tool does not wait");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(variadic, "a variadic `fn` cannot be a pvar");
    }
    if let syn::Safety::Unsafe(unsafety) = &signature.safety {
        errors.on(unsafety, "an `unsafe fn` cannot be a pvar, tools cannot uphold its conditions");
    }
    check_generics(&signature.generics, "a pvar", errors);
}

/// Reports generic parameters, since a definition must be a single item.
pub(crate) fn check_generics(generics: &Generics, what: &str, errors: &mut Errors) {
    if generics.params.iter().any(|param| !matches!(param, syn::GenericParam::Lifetime(_))) {
        let message = format!("a generic item cannot be {what}: there would be one for each type");
        errors.on(&generics.params, message);
    }
}

/// Returns the description in the doc comment of an item.
pub(crate) fn description(attributes: &[Attribute], ident: &Ident, errors: &mut Errors) -> Description {
    let description = Description::of(attributes);
    if description.has_nul() {
        errors.at(ident.span(), "the doc comment contains a NUL, C tools would take it for the end");
    }
    let bytes = description.bytes();
    if bytes > MAX_DESCRIPTION_BYTES {
        let message = format!(
            "the doc comment is {bytes} bytes long, at most {MAX_DESCRIPTION_BYTES} fit into a description"
        );
        errors.at(ident.span(), message);
    }
    description
}

/// The attributes of the code that is generated beside an item.
#[derive(Debug, Default)]
pub(crate) struct GeneratedAttributes {
    /// The `#[cfg(..)]` of the item.
    cfgs: TokenStream,
    /// The lints that the item allows, since its types and names also occur in the generated code.
    allowed: TokenStream,
    is_deprecated: bool,
}

impl GeneratedAttributes {
    /// Returns the attributes for the code beside an item with these attributes.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut generated = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            match &attribute.meta {
                Meta::List(_) if path.is_ident("cfg") => attribute.to_tokens(&mut generated.cfgs),
                Meta::List(list) if path.is_ident("allow") || path.is_ident("expect") => {
                    let lints = &list.tokens;
                    generated.allowed.extend(quote!(#[allow(#lints)]));
                }
                _ => generated.is_deprecated |= path.is_ident("deprecated"),
            }
        }
        generated
    }

    /// Adds the attributes of a part, such as a field.
    pub(crate) fn with_part(mut self, attributes: &[Attribute]) -> Self {
        self.is_deprecated |= Self::of(attributes).is_deprecated;
        self
    }

    pub(crate) fn has_cfg(&self) -> bool {
        !self.cfgs.is_empty()
    }
}

impl ToTokens for GeneratedAttributes {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.cfgs.to_tokens(tokens);
        self.allowed.to_tokens(tokens);
        if self.is_deprecated {
            // The definition of a deprecated item is no use of it.
            tokens.extend(quote!(#[allow(deprecated)]));
        }
    }
}
