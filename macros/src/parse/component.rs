//! Arguments of `#[component(..)]`.

use proc_macro2::TokenStream;
use syn::{Expr, Path};

use super::args::{At, Keys};
use crate::error::Errors;

const KEYS: Keys = Keys {
    attribute: "component",
    keys: &[
        ("framework", "framework = \"pml\""),
        ("name", "name = \"monitoring\""),
        ("object", "object = Monitoring::new()"),
        ("crate", "crate = path::to::mpit"),
    ],
};

/// The arguments of `#[component(..)]`.
#[derive(Default)]
pub(crate) struct ComponentArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) framework: Option<At<String>>,
    pub(crate) name: Option<At<String>>,
    pub(crate) object: Option<Expr>,
}

impl ComponentArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            match arg.key {
                "framework" => args.framework = arg.string(errors),
                "name" => args.name = arg.string(errors),
                "object" => args.object = arg.expr(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}
