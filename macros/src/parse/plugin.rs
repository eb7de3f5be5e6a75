//! Arguments of `plugin!(..)`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, Keys};
use crate::error::Errors;

const KEYS: Keys = Keys {
    attribute: "plugin",
    keys: &[
        ("name", "name = \"acme\""),
        ("activate", "activate = path::to::function"),
        ("deactivate", "deactivate = path::to::function"),
        ("crate", "crate = path::to::mpit"),
    ],
};

/// The arguments of `plugin!(..)`.
#[derive(Default)]
pub(crate) struct PluginArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<At<String>>,
    pub(crate) activate: Option<Path>,
    pub(crate) deactivate: Option<Path>,
}

impl PluginArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            match arg.key {
                "name" => args.name = arg.string(errors),
                "activate" => args.activate = arg.path(errors),
                "deactivate" => args.deactivate = arg.path(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}
