//! Arguments of `#[cvar(..)]`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, arguments};
use crate::vocabulary::{Bind, Datatype, Scope, Settable, Verbosity};

arguments! {
    CvarArgs of "cvar", from parse(TokenStream):
    "scope", "scope = \"LOCAL\"" => scope: Option<At<Scope>> = word;
    "bind", "bind = \"COMM\"" => bind: Option<At<Bind>> = word given has_bind;
    "category", "category = Pml" => category: Vec<Path> = paths;
    "name", "name = \"eager_limit\"" => name: Option<At<String>> = string;
    "verbosity", "verbosity = \"TUNER_BASIC\"" => verbosity: Option<At<Verbosity>> = word;
    "datatype", "datatype = \"UNSIGNED_LONG\"" => datatype: Option<At<Datatype>> = word;
    "alias", "alias = \"other_name\"" => alias: Vec<At<String>> = strings;
    "env", "env = \"OMPI_MCA_eager_limit\"" => env: Vec<At<String>> = strings;
    "settable", "settable = \"before_init\"" => settable: Option<At<Settable>> = word;
    "component", "component = \"pml\"" => component: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}
