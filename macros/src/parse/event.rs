//! Arguments of `#[event(..)]`, and of `#[mpit(..)]` on the fields of an event.

use proc_macro2::TokenStream;
use syn::{Attribute, Path};

use super::args::{At, arguments};
use crate::vocabulary::{Bind, Datatype, Verbosity};

arguments! {
    /// The arguments of `#[event(..)]`.
    EventArgs of "event", from parse(TokenStream):
    "source", "source = Clock" => source: Option<Path> = path given has_source;
    "bind", "bind = \"COMM\"" => bind: Option<At<Bind>> = word;
    "category", "category = Pml" => category: Vec<Path> = paths;
    "listeners", "listeners = LISTENERS" => listeners: Option<Path> = path;
    "name", "name = \"message_sent\"" => name: Option<At<String>> = string;
    "verbosity", "verbosity = \"TUNER_BASIC\"" => verbosity: Option<At<Verbosity>> = word;
    "component", "component = \"pml\"" => component: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    /// The arguments of `#[mpit(..)]` on a field.
    ElementArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "datatype", "datatype = \"INT32_T\"" => datatype: Option<At<Datatype>> = word;
}
