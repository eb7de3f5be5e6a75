//! Arguments of `#[event(..)]`, and of `#[mpit(..)]` on the fields of an event.

use proc_macro2::TokenStream;
use syn::{Attribute, Path};

use super::args::{At, Keys, in_mpit};
use crate::error::Errors;
use crate::vocabulary::{Bind, Datatype, Verbosity};

const KEYS: Keys = Keys {
    attribute: "event",
    keys: &[
        ("source", "source = Clock"),
        ("bind", "bind = \"COMM\""),
        ("category", "category = Pml"),
        ("listeners", "listeners = LISTENERS"),
        ("name", "name = \"message_sent\""),
        ("verbosity", "verbosity = \"TUNER_BASIC\""),
        ("component", "component = \"pml\""),
        ("crate", "crate = path::to::mpit"),
    ],
};

const ELEMENT_KEYS: Keys = Keys { attribute: "mpit", keys: &[("datatype", "datatype = \"INT32_T\"")] };

/// The arguments of `#[event(..)]`.
#[derive(Default)]
pub(crate) struct EventArgs {
    pub(crate) krate: Option<Path>,
    /// True if a source was given, even if it could not be parsed.
    pub(crate) has_source: bool,
    pub(crate) source: Option<Path>,
    pub(crate) bind: Option<At<Bind>>,
    pub(crate) category: Vec<Path>,
    pub(crate) listeners: Option<Path>,
    pub(crate) name: Option<At<String>>,
    pub(crate) verbosity: Option<At<Verbosity>>,
    pub(crate) component: Option<At<String>>,
}

impl EventArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            match arg.key {
                "source" => {
                    args.has_source = true;
                    args.source = arg.path(errors);
                }
                "bind" => args.bind = arg.word(errors),
                "category" => args.category = arg.paths(errors),
                "listeners" => args.listeners = arg.path(errors),
                "name" => args.name = arg.string(errors),
                "verbosity" => args.verbosity = arg.word(errors),
                "component" => args.component = arg.string(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}

/// The arguments of `#[mpit(..)]` on a field.
#[derive(Default)]
pub(crate) struct ElementArgs {
    pub(crate) datatype: Option<At<Datatype>>,
}

impl ElementArgs {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let args = in_mpit(&ELEMENT_KEYS, attributes, errors);
        Self { datatype: args.first().and_then(|arg| arg.word(errors)) }
    }
}
