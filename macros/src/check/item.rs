//! Checks of the item that an attribute is on.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, Fields, Generics, Ident, Meta};

use super::name::MAX_DESCRIPTION_BYTES;
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::At;
use crate::syntax::{self, InputKind, Item, ItemFn, ItemStatic};

/// An item that `#[pvar]` may be on.
pub(crate) enum Variable {
    Static(Box<ItemStatic>),
    Function(Box<ItemFn>),
}

pub(crate) fn variable(item: &TokenStream, errors: &mut Errors) -> Option<Variable> {
    let expected = "`#[pvar]` belongs on a `static` that holds the value or on a `fn` that computes it";
    let variable = parse(item, expected, errors, |found| match found {
        Item::Static(item) => Some(Variable::Static(Box::new(item))),
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

/// A category or a source, which a unit struct stands for, without mistakes that are visible in tokens.
pub(crate) struct OnUnitStruct<A> {
    pub(crate) args: A,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) ident: Ident,
    pub(crate) name: At<String>,
    pub(crate) description: Description,
}

impl<A> OnUnitStruct<A> {
    pub(super) fn new(args: A, item: DeriveInput, name: At<String>, errors: &mut Errors) -> Self {
        let description = description(&item.attrs, &item.ident, errors);
        Self { args, attributes: GeneratedAttributes::of(&item.attrs), ident: item.ident, name, description }
    }
}

/// Parses the unit struct of a category or a source; `example` shows a correct one.
pub(crate) fn unit_struct(
    item: &TokenStream,
    attribute: &str,
    example: &str,
    errors: &mut Errors,
) -> Option<DeriveInput> {
    let expected = format!("`#[{attribute}]` belongs on a unit struct, such as `pub struct {example};`");
    let mut found = parse_struct(item, &expected, errors)?;
    check_generics(&found.generics, &format!("a {attribute}"), errors);
    let fields = syntax::fields(&mut found);
    if !matches!(fields, Fields::Unit) {
        errors.on(fields, format!("{expected}, this one has fields"));
    }
    if found.generics.params.is_empty() { Some(found) } else { None }
}

pub(crate) fn parse_struct(item: &TokenStream, expected: &str, errors: &mut Errors) -> Option<DeriveInput> {
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
    let found = syn::parse2(item.clone()).ok();
    let message = match &found {
        Some(Item::ThreadLocal) => {
            format!(
                "{expected}; a `thread_local!` has a value in each thread, tools see one: remove `thread_local!`"
            )
        }
        Some(found) => format!("{expected}, this is {}", kind(found)),
        None => expected.to_owned(),
    };
    if let Some(accepted) = found.and_then(accept) {
        return Some(accepted);
    }
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

fn kind(item: &Item) -> &'static str {
    match item {
        Item::Fn(_) => "a `fn`",
        Item::Impl(_) => "an `impl`",
        Item::Static(_) => "a `static`",
        Item::Struct(_) => "a `struct`",
        Item::ThreadLocal => "a `thread_local!`",
        Item::Other(kind) => kind,
    }
}

fn check_static(item: &ItemStatic, errors: &mut Errors) {
    if let Some(mutability) = &item.mutability {
        let message =
            "a `static mut` cannot be shared with tools, remove `mut`: cells are updated through `&`";
        errors.on(mutability, message);
    }
}

fn check_function(item: &ItemFn, errors: &mut Errors) {
    let signature = &item.sig;
    if let Some(receiver) = signature.inputs.iter().find(|input| matches!(input.kind, InputKind::Receiver)) {
        errors
            .on(receiver, "a method cannot be a pvar, there is no `self` when a tool reads: use a free `fn`");
    }
    if let Some(asyncness) = &signature.asyncness {
        errors.on(asyncness, "an `async fn` cannot be a pvar, a tool does not wait");
    }
    if let Some(variadic) = signature.inputs.iter().find(|input| matches!(input.kind, InputKind::Variadic)) {
        errors.on(variadic, "a variadic `fn` cannot be a pvar");
    }
    if let Some(unsafety) = &signature.unsafety {
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
