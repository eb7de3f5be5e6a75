//! The rules of sources.

use proc_macro2::{Span, TokenStream};
use syn::Ident;

use super::item::{self, GeneratedAttributes};
use super::name;
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, SourceArgs};

/// A source without mistakes that are visible in tokens.
pub(crate) struct Source {
    pub(crate) args: SourceArgs,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) ident: Ident,
    pub(crate) name: At<String>,
    pub(crate) description: Description,
}

impl Source {
    /// Checks an attribute and its item. Returns a result for every struct, so that the events of the source compile even if it
    /// has mistakes.
    pub(crate) fn check(args: SourceArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        if !(args.has_ordered || args.has_unordered) {
            let message = "write `ordered` if tools are to see the events in the order of their time stamps, or `unordered`";
            errors.at(Span::call_site(), message);
        }
        if let (Some(_), Some(unordered)) = (args.ordered, args.unordered) {
            errors.at(unordered, "`unordered` contradicts `ordered`: keep only one of the two");
        }
        let item = item::unit_struct(item, "source", "Clock", errors)?;
        let name = name::given_or(name::snake_case, args.name.as_ref(), &item.ident, errors);
        name::check_component(args.component.as_ref(), errors);
        Some(Self {
            args,
            attributes: GeneratedAttributes::of(&item.attrs),
            name,
            description: item::description(&item.attrs, &item.ident, errors),
            ident: item.ident,
        })
    }
}
