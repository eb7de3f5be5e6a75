//! Arguments of `#[mpit(..)]` on an enum that derives `MpitEnum`, and on its variants.

use syn::{Attribute, Path};

use super::args::{At, Keys, in_mpit};
use crate::error::Errors;

const ENUM_KEYS: Keys = Keys {
    attribute: "mpit",
    keys: &[("name", "name = \"acme_phase\""), ("crate", "crate = path::to::mpit")],
};

const ITEM_KEYS: Keys = Keys { attribute: "mpit", keys: &[("name", "name = \"idle\"")] };

/// The arguments of `#[mpit(..)]` on an enum.
#[derive(Default)]
pub(crate) struct EnumArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<At<String>>,
}

impl EnumArgs {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in in_mpit(&ENUM_KEYS, attributes, errors) {
            match arg.key {
                "name" => args.name = arg.string(errors),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }
}

/// The arguments of `#[mpit(..)]` on a variant.
#[derive(Default)]
pub(crate) struct ItemArgs {
    pub(crate) name: Option<At<String>>,
}

impl ItemArgs {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let args = in_mpit(&ITEM_KEYS, attributes, errors);
        Self { name: args.first().and_then(|arg| arg.string(errors)) }
    }
}
