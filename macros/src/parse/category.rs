//! Arguments of `#[category(..)]`.

use proc_macro2::TokenStream;
use syn::Path;

use super::args::{At, arguments};

arguments! {
    CategoryArgs of "category", from parse(TokenStream):
    "name", "name = \"pml\"" => name: Option<At<String>> = string;
    "parent", "parent = Mpi" => parent: Vec<Path> = paths;
    "contains", "contains = [Sends, Receives]" => contains: Vec<Path> = paths;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}
