//! Arguments of `#[pvar(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, Path};

use super::args::{At, Keys};
use crate::error::Errors;
use crate::vocabulary::{Bind, Class, Datatype, Verbosity};

const KEYS: Keys = Keys {
    attribute: "pvar",
    keys: &[
        ("class", "class = \"COUNTER\""),
        ("bind", "bind = \"COMM\""),
        ("category", "category = Pml"),
        ("name", "name = \"messages\""),
        ("verbosity", "verbosity = \"TUNER_BASIC\""),
        ("datatype", "datatype = \"UNSIGNED_LONG\""),
        ("count", "count = 66"),
        ("component", "component = \"pml\""),
        ("unit", "unit = \"us\""),
        ("on_start", "on_start = path::to::function"),
        ("on_stop", "on_stop = path::to::function"),
        ("readonly", "readonly"),
        ("writable", "writable"),
        ("continuous", "continuous"),
        ("atomic", "atomic"),
        ("cumulative", "cumulative"),
        ("highwatermark", "highwatermark"),
        ("lowwatermark", "lowwatermark"),
        ("crate", "crate = path::to::mpit"),
    ],
};

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

/// The arguments of `#[pvar(..)]`.
#[derive(Default)]
pub(crate) struct PvarArgs {
    pub(crate) krate: Option<Path>,
    pub(crate) class: Option<At<Class>>,
    /// True if `class` was given, even if it could not be parsed.
    pub(crate) has_class: bool,
    pub(crate) bind: Option<At<Bind>>,
    pub(crate) category: Vec<Path>,
    pub(crate) name: Option<At<String>>,
    pub(crate) verbosity: Option<At<Verbosity>>,
    pub(crate) datatype: Option<At<Datatype>>,
    pub(crate) count: Option<Expr>,
    pub(crate) component: Option<At<String>>,
    pub(crate) unit: Option<At<String>>,
    pub(crate) on_start: Option<At<Path>>,
    pub(crate) on_stop: Option<At<Path>>,
    flags: Vec<At<Flag>>,
}

impl PvarArgs {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        for arg in KEYS.parse(tokens, errors) {
            let span = arg.span;
            let mut flag = |value| args.flags.extend(arg.flag(errors).map(|span| At { value, span }));
            match arg.key {
                "readonly" => flag(Flag::ReadOnly),
                "writable" => flag(Flag::Writable),
                "continuous" => flag(Flag::Continuous),
                "atomic" => flag(Flag::Atomic),
                "cumulative" => flag(Flag::Cumulative),
                "highwatermark" => flag(Flag::HighWatermark),
                "lowwatermark" => flag(Flag::LowWatermark),
                "class" => {
                    args.has_class = true;
                    args.class = arg.word(errors);
                }
                "bind" => args.bind = arg.word(errors),
                "category" => args.category = arg.paths(errors),
                "name" => args.name = arg.string(errors),
                "verbosity" => args.verbosity = arg.word(errors),
                "datatype" => args.datatype = arg.word(errors),
                "count" => args.count = arg.expr(errors),
                "component" => args.component = arg.string(errors),
                "unit" => args.unit = arg.string(errors),
                "on_start" => args.on_start = arg.path(errors).map(|value| At { value, span }),
                "on_stop" => args.on_stop = arg.path(errors).map(|value| At { value, span }),
                _ => args.krate = arg.path(errors),
            }
        }
        args
    }

    /// Returns the location of a flag, if it was given.
    pub(crate) fn flag(&self, flag: Flag) -> Option<Span> {
        self.flags.iter().find(|given| given.value == flag).map(|given| given.span)
    }
}
