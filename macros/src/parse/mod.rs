//! First stage: conversion of attribute tokens to data. Tokens that cannot be parsed are reported and skipped.

mod args;

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, Expr, Path};

use crate::vocabulary::{Bind, Class, Datatype, Scope, Settable, Verbosity};
use args::arguments;
pub(crate) use args::{At, ungrouped};

arguments! {
    PvarArgs of "pvar", from parse(TokenStream):
    "class", "class = \"COUNTER\"" => class: Option<At<Class>> = word given has_class;
    "bind", "bind = \"COMM\"" => bind: Option<At<Bind>> = word;
    "category", "category = Pml" => category: Vec<Path> = paths;
    "name", "name = \"messages\"" => name: Option<At<String>> = string;
    "verbosity", "verbosity = \"TUNER_BASIC\"" => verbosity: Option<At<Verbosity>> = word;
    "datatype", "datatype = \"UNSIGNED_LONG\"" => datatype: Option<At<Datatype>> = word;
    "count", "count = 66" => count: Option<Expr> = expr;
    "component", "component = \"pml\"" => component: Option<At<String>> = string;
    "unit", "unit = \"us\"" => unit: Option<At<String>> = string;
    "on_start", "on_start = path::to::function" => on_start: Option<At<Path>> = path_at;
    "on_stop", "on_stop = path::to::function" => on_stop: Option<At<Path>> = path_at;
    /// No write, no reset.
    "readonly", "readonly" => readonly: Option<Span> = flag;
    /// Write and reset, for a class that is read-only by default. Affects the entry of the definition's own class only.
    "writable", "writable" => writable: Option<Span> = flag;
    /// Always started.
    "continuous", "continuous" => continuous: Option<Span> = flag;
    /// Read and reset in one step.
    "atomic", "atomic" => atomic: Option<Span> = flag;
    /// A present value that only grows.
    "cumulative", "cumulative" => cumulative: Option<Span> = flag;
    /// Publishes a level's highest value as well.
    "highwatermark", "highwatermark" => highwatermark: Option<Span> = flag;
    /// Publishes a level's lowest value as well.
    "lowwatermark", "lowwatermark" => lowwatermark: Option<Span> = flag;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

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

arguments! {
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
    /// The arguments of `#[mpit(..)]` on a field of an event.
    ElementArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "datatype", "datatype = \"INT32_T\"" => datatype: Option<At<Datatype>> = word;
}

arguments! {
    SourceArgs of "source", from parse(TokenStream):
    "ordered", "ordered" => ordered: Option<Span> = flag given has_ordered;
    "unordered", "unordered" => unordered: Option<Span> = flag given has_unordered;
    "name", "name = \"pml\"" => name: Option<At<String>> = string;
    "component", "component = \"pml\"" => component: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    CategoryArgs of "category", from parse(TokenStream):
    "name", "name = \"pml\"" => name: Option<At<String>> = string;
    "parent", "parent = Mpi" => parent: Vec<Path> = paths;
    "contains", "contains = [Sends, Receives]" => contains: Vec<Path> = paths;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    ComponentArgs of "component", from parse(TokenStream):
    "framework", "framework = \"pml\"" => framework: Option<At<String>> = string;
    "name", "name = \"monitoring\"" => name: Option<At<String>> = string;
    "object", "object = Monitoring::new()" => object: Option<Expr> = expr;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    PluginArgs of "plugin", from parse(TokenStream):
    "name", "name = \"acme\"" => name: Option<At<String>> = string;
    "activate", "activate = path::to::function" => activate: Option<Path> = path;
    "deactivate", "deactivate = path::to::function" => deactivate: Option<Path> = path;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    /// The arguments of `#[mpit(..)]` on an enum that derives `MpitEnum`.
    EnumArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "name", "name = \"acme_phase\"" => name: Option<At<String>> = string;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

arguments! {
    /// The arguments of `#[mpit(..)]` on a variant.
    ItemArgs of "mpit", from parse_in_mpit(&[Attribute]):
    "name", "name = \"idle\"" => name: Option<At<String>> = string;
}
