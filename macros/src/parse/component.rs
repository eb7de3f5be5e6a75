//! Arguments of `#[component(..)]`.

use proc_macro2::TokenStream;
use syn::{Expr, Path};

use super::args::{At, arguments};

arguments! {
    ComponentArgs of "component", from parse(TokenStream):
    "framework", "framework = \"pml\"" => framework: Option<At<String>> = string;
    "name", "name = \"monitoring\"" => name: Option<At<String>> = string;
    "object", "object = Monitoring::new()" => object: Option<Expr> = expr;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}
