//! The rules of enumerations.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Path, Variant};

use super::item::{self, GeneratedAttributes};
use super::name;
use crate::error::Errors;
use crate::parse::{At, EnumArgs, ItemArgs};

/// An enumeration without mistakes that are visible in tokens.
pub(crate) struct Enumeration {
    pub(crate) krate: Option<Path>,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) ident: Ident,
    /// The given name; the default is made of the names of crate and enum.
    pub(crate) name: Option<At<String>>,
    pub(crate) items: Vec<(Ident, At<String>)>,
}

impl Enumeration {
    /// Checks an enum. Returns a result for everything that resembles one, so that its uses compile even if it has mistakes.
    pub(crate) fn check(item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let input: DeriveInput = match syn::parse2(item.clone()) {
            Ok(input) => input,
            Err(error) => {
                errors.push(error);
                return None;
            }
        };
        let args = EnumArgs::parse(&input.attrs, errors);
        let Data::Enum(data) = &input.data else {
            errors.on(&input.ident, "`MpitEnum` is derived for an `enum`, whose variants are the items");
            return None;
        };
        item::check_generics(&input.generics, "an enumeration", errors);
        check_repr(&input.attrs, &input.ident, errors);
        if let Some(name) = &args.name {
            name::check("name", name, errors);
        }
        if data.variants.is_empty() {
            let message = format!("enumeration `{}` has no items, tools need at least one", input.ident);
            errors.on(&input.ident, message);
        }
        let items: Vec<_> = data.variants.iter().map(|variant| item_of(variant, errors)).collect();
        for (at, (_, name)) in items.iter().enumerate() {
            if let Some((first, _)) = items[..at].iter().find(|(_, other)| other.value == name.value) {
                let message = format!("two items are named `{}`, the other one is `{first}`", name.value);
                errors.at(name.span, message);
            }
        }
        let is_plain = input.generics.params.is_empty();
        if !is_plain {
            return None;
        }
        let attributes = data
            .variants
            .iter()
            .fold(GeneratedAttributes::of(&input.attrs), |all, variant| all.with_part(&variant.attrs));
        Some(Self { krate: args.krate, attributes, ident: input.ident, name: args.name, items })
    }

    /// Returns the name without that of the crate: `busy_state` for `BusyState`.
    pub(crate) fn short_name(&self) -> String {
        name::snake_case(&self.ident)
    }
}

fn item_of(variant: &Variant, errors: &mut Errors) -> (Ident, At<String>) {
    if !matches!(variant.fields, Fields::Unit) {
        let message = format!("an item is a number with a name, `{}` cannot have fields", variant.ident);
        errors.on(&variant.fields, message);
    }
    let ident = variant.ident.clone();
    let given = ItemArgs::parse(&variant.attrs, errors).name;
    let name = name::given_or(name::snake_case, given.as_ref(), &ident, errors);
    (ident, name)
}

/// Requires `#[repr(i32)]`, since tools see a C `int`.
fn check_repr(attributes: &[Attribute], ident: &Ident, errors: &mut Errors) {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // Attributes that cannot be parsed here are reported by the compiler.
        let _ = attribute.parse_nested_meta(|meta| {
            found = meta.path.get_ident().cloned();
            Ok(())
        });
    }
    match found {
        Some(repr) if repr == "i32" => {}
        Some(repr) => {
            errors.on(&repr, format!("expected `#[repr(i32)]`, since tools see a C `int`, not `{repr}`"));
        }
        None => errors.on(ident, "`#[repr(i32)]` is missing, since tools see a C `int`"),
    }
}
