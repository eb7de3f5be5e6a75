//! `#[mpit(..)]` on an enum that derives `MpitEnum`, and on its variants.

use syn::{Attribute, Meta, Path};

use super::args::{Arg, At, Keys};
use crate::error::Errors;

const ENUM_KEYS: Keys = Keys {
    attribute: "mpit",
    keys: &[("name", "name = \"acme_phase\""), ("crate", "crate = path::to::mpit")],
};

const ITEM_KEYS: Keys = Keys { attribute: "mpit", keys: &[("name", "name = \"idle\"")] };

/// What is written in `#[mpit(..)]` on an enum.
#[derive(Debug, Default)]
pub(crate) struct EnumArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<At<String>>,
}

impl EnumArgs {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in args_of(&ENUM_KEYS, attributes, errors) {
            match arg.key {
                "name" => args.name = arg.string(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}

/// What is written in `#[mpit(..)]` on a variant.
#[derive(Debug, Default)]
pub(crate) struct ItemArgs {
    pub(crate) name: Option<At<String>>,
}

impl ItemArgs {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let args = args_of(&ITEM_KEYS, attributes, errors);
        Self { name: args.first().and_then(|arg| arg.string(errors)) }
    }
}

/// The arguments of all `#[mpit(..)]`.
fn args_of(keys: &Keys, attributes: &[Attribute], errors: &mut Errors) -> Vec<Arg> {
    let mut args = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("mpit")) {
        match &attribute.meta {
            Meta::List(list) => args.extend(keys.parse(list.tokens.clone(), errors)),
            other => errors.on(other, format!("`mpit` is written `#[mpit({})]`", keys.keys[0].1)),
        }
    }
    args
}
