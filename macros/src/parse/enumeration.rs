//! Arguments of `#[mpit(..)]` on an enum that derives `MpitEnum`, and on its variants.

use syn::{Attribute, Path};

use super::args::{At, arguments};

arguments! {
    /// The arguments of `#[mpit(..)]` on an enum.
    EnumArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "name", "name = \"acme_phase\"" => name: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    /// The arguments of `#[mpit(..)]` on a variant.
    ItemArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "name", "name = \"idle\"" => name: Option<At<String>> = string;
}
