//! The rules of performance variables.

use proc_macro2::{Span, TokenStream};
use syn::{Ident, Type};

use super::cell;
use super::function::{self, Function};
use super::item::{self, GeneratedAttributes, Variable};
use super::value::{self, Primitive};
use super::{keys, name, paths};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, PvarArgs};
use crate::vocabulary::{Class, spellings};

/// A performance variable without mistakes that are visible in tokens.
pub(crate) struct Pvar {
    pub(crate) args: PvarArgs,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) name: At<String>,
    /// The class, and those under which the same level is also published.
    pub(crate) classes: Vec<At<Class>>,
    pub(crate) description: Description,
    /// True if the value's type is no alias, so that it was checked here.
    pub(crate) value_seen: bool,
    pub(crate) storage: Storage,
}

/// The source of the value.
pub(crate) enum Storage {
    Static { ident: Ident, ty: Box<Type> },
    Function(Box<Function>),
}

impl Pvar {
    pub(crate) fn check(args: PvarArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        keys::check_flags(&args, errors);
        let variable = item::variable(item, errors);
        let is_function = matches!(variable, Some(Variable::Function(_)));
        if !args.has_class {
            let ty = match &variable {
                Some(Variable::Static(item)) => Some(&item.ty),
                _ => None,
            };
            errors.at(Span::call_site(), missing_class(ty));
        }
        keys::check_datatype(&args, errors);
        let (attributes, ident, value, storage) = match variable? {
            Variable::Static(item) => {
                keys::check_static(&args, &item, errors);
                let value = value::argument(cell::of_one_object(&item.ty)).and_then(Primitive::of);
                let storage = Storage::Static { ident: item.ident.clone(), ty: Box::new(item.ty) };
                (item.attrs, item.ident, value, Some(storage))
            }
            Variable::Function(item) => {
                keys::check_computed(&args, errors);
                let function = function::check(&item.sig, &args, errors);
                let value = function.as_ref().and_then(|function| Primitive::of(&function.value));
                let storage = function.map(|function| Storage::Function(Box::new(function)));
                (item.attrs, item.sig.ident, value, storage)
            }
        };
        let name = name::given_or(name::lower_case, args.name.as_ref(), &ident, errors);
        let mut description = item::description(&attributes, &ident, errors);
        check_description(&args, &description, &ident, errors);
        check_value_tokens(&args, value, is_function, errors);
        if let Some(unit) = &args.unit {
            name::check_text("`unit`", unit, errors);
            description.sentence(&format!("Unit: {}.", unit.value));
        }
        name::check_component(args.component.as_ref(), errors);
        paths::check_once("category", &args.category, errors);
        Some(Self {
            attributes: GeneratedAttributes::of(&attributes),
            name,
            classes: classes(&args)?,
            value_seen: value.is_some(),
            description,
            storage: storage?,
            args,
        })
    }
}

fn classes(args: &PvarArgs) -> Option<Vec<At<Class>>> {
    let mut classes = vec![args.class.clone()?];
    let watermarks = [(args.highwatermark, Class::HighWatermark), (args.lowwatermark, Class::LowWatermark)];
    for (given, value) in watermarks {
        classes.extend(given.map(|span| At { value, span }));
    }
    Some(classes)
}

/// Returns the message for a missing class, with a suggestion from the cell's name.
fn missing_class(ty: Option<&Type>) -> String {
    let likely = ty.and_then(cell::likely_class).unwrap_or(Class::Counter).as_str();
    let classes = spellings(Class::ALL);
    format!("`class` is missing, write for example `class = \"{likely}\"`\nthe classes are {classes}")
}

/// Checks that variables whose meaning tools cannot know have a description.
fn check_description(args: &PvarArgs, description: &Description, ident: &Ident, errors: &mut Errors) {
    if args.class.as_ref().is_some_and(|class| class.value == Class::Generic) && description.is_empty() {
        let message = format!(
            "a GENERIC pvar needs a description: write a doc comment that says what `{ident}` starts at and how it changes"
        );
        errors.at(ident.span(), message);
    }
}

/// Checks the rules that depend on a visible value type.
fn check_value_tokens(args: &PvarArgs, value: Option<Primitive>, is_function: bool, errors: &mut Errors) {
    let (Some(value), Some(class)) = (value, &args.class) else { return };
    if class.value == Class::Timer && value.serves(Class::Timer) {
        match &args.unit {
            None if value.is_unsigned() => {
                errors.at(class.span, "an integer TIMER needs a unit: add for example `unit = \"us\"`");
            }
            Some(unit) if value == Primitive::F64 && unit.value != "s" => {
                let message = format!(
                    "an `f64` TIMER is in seconds, not in `{}`: remove `unit`, or time in `u64`",
                    unit.value
                );
                errors.at(unit.span, message);
            }
            _ => {}
        }
    }
    if let Some(datatype) = &args.datatype
        && class.value.datatypes().contains(&datatype.value)
        && value.serves(class.value)
        && !value.datatypes().contains(&datatype.value)
    {
        let what = if is_function { "what the `fn` computes" } else { "the cell's value" };
        let fitting = value.datatypes().iter().filter(|fitting| class.value.datatypes().contains(fitting));
        let (word, fitting) = (datatype.value.as_str(), spellings(fitting));
        errors.at(datatype.span, format!("{what} cannot be published as `{word}`, use {fitting}"));
    }
}
