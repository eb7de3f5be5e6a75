//! Arguments of `#[cvar(..)]`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, Keys};
use crate::error::Errors;
use crate::vocabulary::{Bind, Datatype, Scope, Settable, Verbosity};

const KEYS: Keys = Keys {
    attribute: "cvar",
    keys: &[
        ("scope", "scope = \"LOCAL\""),
        ("bind", "bind = \"COMM\""),
        ("category", "category = Pml"),
        ("name", "name = \"eager_limit\""),
        ("verbosity", "verbosity = \"TUNER_BASIC\""),
        ("datatype", "datatype = \"UNSIGNED_LONG\""),
        ("alias", "alias = \"other_name\""),
        ("env", "env = \"OMPI_MCA_eager_limit\""),
        ("settable", "settable = \"before_init\""),
        ("component", "component = \"pml\""),
        ("crate", "crate = path::to::mpit"),
    ],
};

/// The arguments of `#[cvar(..)]`.
#[derive(Default)]
pub(crate) struct CvarArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) scope: Option<At<Scope>>,
    pub(crate) bind: Option<At<Bind>>,
    /// True if `bind` was given, even if it could not be parsed.
    pub(crate) has_bind: bool,
    pub(crate) category: Vec<Path>,
    pub(crate) name: Option<At<String>>,
    pub(crate) verbosity: Option<At<Verbosity>>,
    pub(crate) datatype: Option<At<Datatype>>,
    pub(crate) alias: Vec<At<String>>,
    pub(crate) env: Vec<At<String>>,
    pub(crate) settable: Option<At<Settable>>,
    pub(crate) component: Option<At<String>>,
}

impl CvarArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            match arg.key {
                "scope" => args.scope = arg.word(errors),
                "bind" => {
                    args.has_bind = true;
                    args.bind = arg.word(errors);
                }
                "category" => args.category = arg.paths(errors),
                "name" => args.name = arg.string(errors),
                "verbosity" => args.verbosity = arg.word(errors),
                "datatype" => args.datatype = arg.word(errors),
                "alias" => args.alias = arg.strings(errors),
                "env" => args.env = arg.strings(errors),
                "settable" => args.settable = arg.word(errors),
                "component" => args.component = arg.string(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}
