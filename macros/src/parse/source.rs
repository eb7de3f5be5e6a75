//! Arguments of `#[source(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::Path;

use super::args::{At, Keys};
use crate::error::Errors;

const KEYS: Keys = Keys {
    attribute: "source",
    keys: &[
        ("ordered", "ordered"),
        ("unordered", "unordered"),
        ("name", "name = \"pml\""),
        ("component", "component = \"pml\""),
        ("crate", "crate = path::to::mpit"),
    ],
};

/// The arguments of `#[source(..)]`.
#[derive(Default)]
pub(crate) struct SourceArgs {
    pub(crate) krate: Option<Path>,
    /// True if an order was given, even if it could not be parsed.
    pub(crate) has_order: bool,
    pub(crate) ordered: Option<Span>,
    pub(crate) unordered: Option<Span>,
    pub(crate) name: Option<At<String>>,
    pub(crate) component: Option<At<String>>,
}

impl SourceArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            args.has_order |= matches!(arg.key, "ordered" | "unordered");
            match arg.key {
                "ordered" => args.ordered = arg.flag(errors),
                "unordered" => args.unordered = arg.flag(errors),
                "name" => args.name = arg.string(errors),
                "component" => args.component = arg.string(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}
