//! Arguments of `#[category(..)]`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, Keys};
use crate::error::Errors;

const KEYS: Keys = Keys {
    attribute: "category",
    keys: &[
        ("name", "name = \"pml\""),
        ("parent", "parent = Mpi"),
        ("contains", "contains = [Sends, Receives]"),
        ("crate", "crate = path::to::mpit"),
    ],
};

/// The arguments of `#[category(..)]`.
#[derive(Default)]
pub(crate) struct CategoryArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<At<String>>,
    pub(crate) parent: Vec<Path>,
    pub(crate) contains: Vec<Path>,
}

impl CategoryArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            match arg.key {
                "name" => args.name = arg.string(errors),
                "parent" => args.parent = arg.paths(errors),
                "contains" => args.contains = arg.paths(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}
