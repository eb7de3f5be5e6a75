//! Arguments of `plugin!(..)`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, arguments};

arguments! {
    PluginArgs of "plugin", from parse(TokenStream):
    "name", "name = \"acme\"" => name: Option<At<String>> = string;
    "activate", "activate = path::to::function" => activate: Option<Path> = path;
    "deactivate", "deactivate = path::to::function" => deactivate: Option<Path> = path;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}
