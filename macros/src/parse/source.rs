//! Arguments of `#[source(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::Path;

use super::args::{At, arguments};

arguments! {
    SourceArgs of "source", from parse(TokenStream):
    "ordered", "ordered" => ordered: Option<Span> = flag given has_ordered;
    "unordered", "unordered" => unordered: Option<Span> = flag given has_unordered;
    "name", "name = \"pml\"" => name: Option<At<String>> = string;
    "component", "component = \"pml\"" => component: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}
