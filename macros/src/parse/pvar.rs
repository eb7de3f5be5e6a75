//! Arguments of `#[pvar(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, Path};

use super::args::{At, arguments};
use crate::vocabulary::{Bind, Class, Datatype, Verbosity};

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
    "readonly", "readonly" => readonly: Option<Span> = flag;
    "writable", "writable" => writable: Option<Span> = flag;
    "continuous", "continuous" => continuous: Option<Span> = flag;
    "atomic", "atomic" => atomic: Option<Span> = flag;
    "cumulative", "cumulative" => cumulative: Option<Span> = flag;
    "highwatermark", "highwatermark" => highwatermark: Option<Span> = flag;
    "lowwatermark", "lowwatermark" => lowwatermark: Option<Span> = flag;
    "crate", "crate = path::to::mpit" => krate: Option<Path> = path;
}

/// A key without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// No write, no reset.
    ReadOnly,
    /// Write and reset, for a class that is read-only by default.
    Writable,
    /// Always started.
    Continuous,
    /// Read and reset in one step.
    Atomic,
    /// A present value that only grows.
    Cumulative,
    /// Publishes a level's highest value as well.
    HighWatermark,
    /// Publishes a level's lowest value as well.
    LowWatermark,
}

impl PvarArgs {
    pub(crate) fn flag(&self, flag: Flag) -> Option<Span> {
        match flag {
            Flag::ReadOnly => self.readonly,
            Flag::Writable => self.writable,
            Flag::Continuous => self.continuous,
            Flag::Atomic => self.atomic,
            Flag::Cumulative => self.cumulative,
            Flag::HighWatermark => self.highwatermark,
            Flag::LowWatermark => self.lowwatermark,
        }
    }
}
