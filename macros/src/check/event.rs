//! The rules of events.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, DeriveInput, Field, Fields, Ident, Meta, Path, Token, Type};

use super::item::{self, GeneratedAttributes};
use super::value::{self, Primitive};
use super::{name, paths};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, ElementArgs, EventArgs};
use crate::syntax;
use crate::vocabulary::{Datatype, spellings};

/// An event type without mistakes that are visible in tokens.
pub(crate) struct Event {
    pub(crate) args: EventArgs,
    pub(crate) attributes: GeneratedAttributes,
    /// The struct, without the `#[mpit(..)]` attributes of its fields.
    pub(crate) item: DeriveInput,
    pub(crate) name: At<String>,
    pub(crate) description: Description,
    pub(crate) elements: Vec<Element>,
    /// True if the struct has its own `repr`.
    pub(crate) has_repr: bool,
}

/// A field of the event struct.
pub(crate) struct Element {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) datatype: Option<At<Datatype>>,
}

impl Event {
    /// Checks an attribute and its item. Returns a result for every struct with named fields, so that raising the event compiles
    /// even if it has mistakes.
    pub(crate) fn check(args: EventArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        if !args.has_source {
            let message = "`source` is missing, write for example `source = Clock`\na source is written \
                           `#[source(ordered)] pub struct Clock;`";
            errors.at(Span::call_site(), message);
        }
        let mut item = payload(item, errors)?;
        let name = name::given_or(name::snake_case, args.name.as_ref(), &item.ident, errors);
        let has_repr = check_repr(&item.attrs, errors);
        let elements = syntax::fields(&mut item)
            .iter_mut()
            .filter_map(|field| element(field, errors))
            .collect::<Vec<_>>();
        // A name that is too long has been reported, so the derived one is not.
        if !elements.is_empty() && name.value.len() <= name::MAX_NAME_BYTES {
            let list = At { value: list_name(&name.value), span: name.span };
            name::check("name of the list of elements", &list, errors);
        }
        name::check_component(args.component.as_ref(), errors);
        paths::check_once("category", &args.category, errors);
        let of_struct = GeneratedAttributes::of(&item.attrs);
        let fields = syntax::fields(&mut item).iter();
        let attributes = fields.fold(of_struct, |all, field| all.with_part(&field.attrs));
        Some(Self {
            args,
            attributes,
            name,
            description: item::description(&item.attrs, &item.ident, errors),
            elements,
            has_repr,
            item,
        })
    }

    /// Returns the name of the enumeration that names the elements.
    pub(crate) fn list_name(&self) -> String {
        list_name(&self.name.value)
    }

    /// Returns true if the struct derives a trait, as far as is visible below the attribute.
    pub(crate) fn derives(&self, name: &str) -> bool {
        let derives = self.item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive"));
        let mut traits = derives.flat_map(listed_in::<Path>);
        traits.any(|path| path.segments.last().is_some_and(|last| last.ident == name))
    }
}

impl Element {
    /// Returns the name that tools see.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// Returns the name of the enumeration of an event type's elements. Event types have unique names, so these are unique as well.
fn list_name(event: &str) -> String {
    format!("{event}_elements")
}

fn payload(item: &TokenStream, errors: &mut Errors) -> Option<DeriveInput> {
    let expected = "`#[event]` belongs on a struct whose fields are the elements";
    let mut found = item::parse_struct(item, expected, errors)?;
    item::check_generics(&found.generics, "an event", errors);
    if let Some(lifetime) = found.generics.lifetimes().next() {
        let message = "an event cannot borrow: it may be delivered after the borrowed value was dropped";
        errors.on(lifetime, message);
    }
    let fields = syntax::fields(&mut found);
    if matches!(fields, Fields::Unnamed(_)) {
        errors.on(fields, "elements have names: write `struct Sent { peer: i32 }`");
        return None;
    }
    if found.generics.params.is_empty() { Some(found) } else { None }
}

/// Parses a field, and removes its `#[mpit(..)]` attributes. Returns nothing for a field without a name.
fn element(field: &mut Field, errors: &mut Errors) -> Option<Element> {
    let args = ElementArgs::parse(&field.attrs, errors);
    field.attrs.retain(|attribute| !attribute.path().is_ident("mpit"));
    if let Some(cfg) = field.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        errors
            .on(cfg, "tools know elements by their numbers, which may not depend on the build: remove `cfg`");
    }
    check_type(&field.ty, args.datatype.as_ref(), errors);
    Some(Element { ident: field.ident.clone()?, ty: field.ty.clone(), datatype: args.datatype })
}

/// Checks a type that is visible in tokens. An alias is left to the traits of `mpit`.
fn check_type(ty: &Type, datatype: Option<&At<Datatype>>, errors: &mut Errors) {
    let seen = match value::ungrouped(ty) {
        Type::Path(_) | Type::Macro(_) => Primitive::of(ty),
        _ => Some(Primitive::Other),
    };
    let Some(seen) = seen else { return };
    if seen == Primitive::Other {
        let spelled = value::spelled(ty);
        errors
            .on(ty, format!("an element is `i32`, `u32`, `i64`, `u64`, `f64` or `c_char`, not `{spelled}`"));
        return;
    }
    if let Some(datatype) = datatype
        && !seen.datatypes().contains(&datatype.value)
    {
        let (spelled, word) = (value::spelled(ty), datatype.value.as_str());
        let fitting = spellings(seen.datatypes());
        let message = format!("`{spelled}` cannot be published as `{word}`, use {fitting}");
        errors.at(datatype.span, message);
    }
}

/// Returns true if the struct has a `repr`; reports any other than that of C.
fn check_repr(attributes: &[Attribute], errors: &mut Errors) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        found = true;
        for repr in listed_in::<Meta>(attribute).iter().filter(|repr| !repr.path().is_ident("C")) {
            let word = repr.path().to_token_stream();
            let message = format!("an event is always `#[repr(C)]`: remove `{word}`");
            errors.on(repr, message);
        }
    }
    found
}

/// Returns the items in the parentheses of an attribute. Errors in them are reported by the compiler.
fn listed_in<T: syn::parse::Parse>(attribute: &Attribute) -> Vec<T> {
    attribute
        .parse_args_with(Punctuated::<T, Token![,]>::parse_terminated)
        .map(|list| list.into_iter().collect())
        .unwrap_or_default()
}
