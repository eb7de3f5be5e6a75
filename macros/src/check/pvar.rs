//! The rules of performance variables.

use proc_macro2::{Span, TokenStream};
use syn::{Ident, Path, Type};

use super::function::{self, Function};
use super::item::{self, Variable};
use super::value::{self, Primitive};
use super::{contradict, name};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, Flag, PvarArgs};
use crate::words::{Bind, Class, Datatype, Verbosity, Word as _, listed};

/// A performance variable without faults that tokens could show.
pub(crate) struct Pvar {
    pub(crate) krate: Option<Path>,
    pub(crate) cfgs: TokenStream,
    pub(crate) name: At<String>,
    /// The class, and those under which the same level is published, too.
    pub(crate) classes: Vec<At<Class>>,
    pub(crate) bind: Option<At<Bind>>,
    pub(crate) categories: Vec<Path>,
    pub(crate) verbosity: Option<Verbosity>,
    pub(crate) datatype: Option<At<Datatype>>,
    pub(crate) component: Option<At<String>>,
    pub(crate) description: Description,
    pub(crate) unit: Option<At<String>>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) atomic: bool,
    /// The value's type is no alias, so the checks that depend on it are made.
    pub(crate) value_seen: bool,
    pub(crate) storage: Storage,
}

/// Where the value comes from.
pub(crate) enum Storage {
    /// A cell.
    Static { ident: Ident, ty: Type },
    /// A function, and what to call when handles on it are started and stopped.
    Function { function: Function, on_start: Option<Path>, on_stop: Option<Path> },
}

impl Pvar {
    /// Checks an attribute and the item that it stands on.
    pub(crate) fn check(args: PvarArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        check_flags(&args, errors);
        let variable = item::variable(item, errors);
        let is_function = matches!(variable, Some(Variable::Function(_)));
        if !args.has_class {
            let ty = match &variable {
                Some(Variable::Static(item)) => Some(&*item.ty),
                _ => None,
            };
            errors.at(Span::call_site(), missing_class(ty));
        }
        check_datatype(&args, errors);
        let (attributes, ident, value, storage) = match variable? {
            Variable::Static(item) => {
                check_static(&args, &item, errors);
                let value = value::argument(&item.ty).and_then(Primitive::of);
                let storage = Storage::Static { ident: item.ident.clone(), ty: *item.ty };
                (item.attrs, item.ident, value, Some(storage))
            }
            Variable::Function(item) => {
                check_computed(&args, errors);
                let function = function::check(&item.sig, &args, errors);
                let value = function.as_ref().and_then(|function| Primitive::of(&function.value));
                let storage = function.map(|function| Storage::Function {
                    function,
                    on_start: args.on_start.clone().map(|path| path.value),
                    on_stop: args.on_stop.clone().map(|path| path.value),
                });
                (item.attrs, item.sig.ident, value, storage)
            }
        };
        let name = name::or_ident(args.name.clone(), &ident, errors);
        let mut description = Description::of(&attributes);
        check_description(&args, &description, &ident, errors);
        check_value_tokens(&args, value, is_function, errors);
        if let Some(unit) = &args.unit {
            name::check_text("`unit`", &unit.value, unit.span, errors);
            description.sentence(&format!("Unit: {}.", unit.value));
        }
        name::check_component(args.component.as_ref(), errors);
        name::check_once("category", &args.category, errors);
        let flags = FLAGS.iter().copied().filter(|flag| args.flag(*flag).is_some()).collect();
        Some(Self {
            krate: args.krate.clone(),
            cfgs: item::cfgs(&attributes),
            name,
            classes: classes(&args)?,
            atomic: args.flag(Flag::Atomic).is_some(),
            value_seen: value.is_some(),
            bind: args.bind,
            categories: args.category,
            verbosity: args.verbosity.map(|verbosity| verbosity.value),
            datatype: args.datatype,
            component: args.component,
            description,
            unit: args.unit,
            flags,
            storage: storage?,
        })
    }
}

/// The flags that change what is published under the class itself.
const FLAGS: [Flag; 5] = [Flag::ReadOnly, Flag::Writable, Flag::Continuous, Flag::Atomic, Flag::Cumulative];

fn classes(args: &PvarArgs) -> Option<Vec<At<Class>>> {
    let mut classes = vec![args.class.clone()?];
    for (flag, value) in
        [(Flag::HighWatermark, Class::HighWatermark), (Flag::LowWatermark, Class::LowWatermark)]
    {
        classes.extend(args.flag(flag).map(|span| At { value, span }));
    }
    Some(classes)
}

/// Asks for the class that the cell is named after.
fn missing_class(ty: Option<&Type>) -> String {
    let cell = ty.and_then(value::last_name).map(|name| name.to_uppercase());
    let likely = Class::ALL.iter().find(|class| cell.as_deref() == Some(class.word()));
    let likely = likely.unwrap_or(&Class::Counter).word();
    let words: Vec<&str> = Class::ALL.iter().map(|class| class.word()).collect();
    format!(
        "`class` is missing, write for example `class = \"{likely}\"`\nthe classes are {}",
        listed(&words)
    )
}

/// Keys that exclude each other, whatever the item.
fn check_flags(args: &PvarArgs, errors: &mut Errors) {
    let flag = |flag| args.flag(flag);
    contradict(
        (flag(Flag::ReadOnly), "readonly"),
        (flag(Flag::Writable), "writable"),
        "a tool may write and reset it or not",
        errors,
    );
    contradict(
        (flag(Flag::ReadOnly), "readonly"),
        (flag(Flag::Atomic), "atomic"),
        "what cannot be reset cannot be read and reset in one step",
        errors,
    );
    for (hook, key) in [(&args.on_start, "on_start"), (&args.on_stop, "on_stop")] {
        contradict(
            (flag(Flag::Continuous), "continuous"),
            (hook.as_ref().map(|hook| hook.span), key),
            "a variable that always runs is never started or stopped",
            errors,
        );
    }
    let Some(class) = &args.class else { return };
    let word = class.value.word();
    for (given, key) in [(Flag::HighWatermark, "highwatermark"), (Flag::LowWatermark, "lowwatermark")] {
        if let Some(span) = flag(given)
            && class.value != Class::Level
        {
            errors.at(
                span,
                format!("`{key}` belongs to `class = \"LEVEL\"`, only a level has extremes besides"),
            );
        }
        contradict(
            (flag(Flag::Cumulative), "cumulative"),
            (flag(given), key),
            "what only grows has no other extremes than its ends",
            errors,
        );
    }
    if let Some(span) = flag(Flag::Cumulative) {
        match class.value {
            Class::Counter | Class::Aggregate | Class::Timer => {
                errors.at(span, format!("a {word} is cumulative by its class: leave `cumulative` away"));
            }
            Class::Level | Class::Size | Class::Generic => {}
            _ => errors.at(span, format!("a {word} is not a sum, it cannot be `cumulative`")),
        }
    }
}

/// Whether class and datatype go together.
fn check_datatype(args: &PvarArgs, errors: &mut Errors) {
    let (Some(class), Some(datatype)) = (&args.class, &args.datatype) else { return };
    let legal = value::datatypes(class.value);
    if !legal.contains(&datatype.value) {
        let legal: Vec<&str> = legal.iter().map(|datatype| datatype.word()).collect();
        let (class, datatype_word) = (class.value.word(), datatype.value.word());
        let message = format!("a {class} cannot have datatype `{datatype_word}`, use {}", listed(&legal));
        errors.at(datatype.span, message);
    }
}

/// Keys that only functions have, and starting values that are not free.
fn check_static(args: &PvarArgs, item: &syn::ItemStatic, errors: &mut Errors) {
    for (hook, key) in [(&args.on_start, "on_start"), (&args.on_stop, "on_stop")] {
        if let Some(hook) = hook {
            errors.at(
                hook.span,
                format!("`{key}` belongs on a `fn`: a cell knows by itself whether a handle is started"),
            );
        }
    }
    if let Some(count) = &args.count {
        errors.on(count, "`count` belongs on a `fn`: a cell knows by itself how many elements it has");
    }
    if let Some(class) = &args.class
        && matches!(class.value, Class::Counter | Class::Aggregate | Class::Timer)
        && let syn::Expr::Call(call) = &*item.expr
        && !call.args.is_empty()
        && let syn::Expr::Path(function) = &*call.func
        && function.path.segments.last().is_some_and(|last| last.ident == "new")
    {
        let word = class.value.word();
        errors
            .on(&call.args, format!("a {word} starts at 0, its cell takes no initial value: write `new()`"));
    }
}

/// What a function cannot be.
fn check_computed(args: &PvarArgs, errors: &mut Errors) {
    if let Some(span) = args.flag(Flag::Atomic) {
        errors.at(span, "a `fn` cannot be read and reset in one step: `atomic` needs a sum in a `static`");
    }
    let Some(class) = &args.class else { return };
    let word = class.value.word();
    if matches!(class.value, Class::HighWatermark | Class::LowWatermark) {
        let cell = if class.value == Class::HighWatermark { "HighWatermark" } else { "LowWatermark" };
        errors.at(
            class.span,
            format!(
                "a {word} cannot be a `fn`, extremes between two reads would be lost: use a `static` of type \
                 `{cell}<u64>` or `Level<u64>`"
            ),
        );
    }
    for (flag, key) in [(Flag::HighWatermark, "highwatermark"), (Flag::LowWatermark, "lowwatermark")] {
        if let Some(span) = args.flag(flag) {
            let message = format!(
                "`{key}` needs a `static` of type `Level<u64>`: of a `fn`, extremes between two reads would be lost"
            );
            errors.at(span, message);
        }
    }
    if let Some(span) = args.flag(Flag::Writable)
        && args.flag(Flag::Cumulative).is_none()
        && !matches!(class.value, Class::Counter | Class::Aggregate | Class::Timer)
    {
        let message =
            format!("a {word} that a `fn` computes has nothing that could be written: leave `writable` away");
        errors.at(span, message);
    }
}

/// What tools cannot know without a description.
fn check_description(args: &PvarArgs, description: &Description, ident: &Ident, errors: &mut Errors) {
    if description.has_nul() {
        errors.at(ident.span(), "the doc comment contains a NUL, C tools would take it for the end");
    }
    if args.class.as_ref().is_some_and(|class| class.value == Class::Generic) && description.is_empty() {
        errors.at(
            ident.span(),
            format!("a GENERIC pvar needs a description: write a doc comment that says what `{ident}` starts at and how it changes"),
        );
    }
}

/// What depends on a value type that can be seen.
fn check_value_tokens(args: &PvarArgs, value: Option<Primitive>, is_function: bool, errors: &mut Errors) {
    let Some(value) = value else { return };
    let Some(class) = &args.class else { return };
    if class.value == Class::Timer && value.serves(Class::Timer) {
        match &args.unit {
            None if value.is_unsigned() => {
                errors.at(class.span, "an integer TIMER needs a unit: add for example `unit = \"us\"`");
            }
            Some(unit) if value == Primitive::F64 && unit.value != "s" => {
                let message = format!(
                    "an `f64` TIMER is in seconds, not in `{}`: leave `unit` away, or time in `u64`",
                    unit.value
                );
                errors.at(unit.span, message);
            }
            _ => {}
        }
    }
    if let Some(datatype) = &args.datatype
        && value::datatypes(class.value).contains(&datatype.value)
        && value.serves(class.value)
        && !value.datatypes().contains(&datatype.value)
    {
        let what = if is_function { "what the `fn` computes" } else { "the cell's value" };
        let fitting: Vec<&str> = value
            .datatypes()
            .iter()
            .filter(|fitting| value::datatypes(class.value).contains(fitting))
            .map(|datatype| datatype.word())
            .collect();
        let word = datatype.value.word();
        errors.at(datatype.span, format!("{what} cannot be published as `{word}`, use {}", listed(&fitting)));
    }
}
