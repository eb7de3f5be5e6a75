//! Compatibility of the keys of `#[pvar]` with each other, with the class, and with the item.

use proc_macro2::Span;

use super::{cell, value};
use crate::error::Errors;
use crate::parse::PvarArgs;
use crate::syntax::ItemStatic;
use crate::vocabulary::{Bind, Class, spellings};

/// Reports keys that exclude each other on any item.
pub(super) fn check_flags(args: &PvarArgs, errors: &mut Errors) {
    let readonly = (args.readonly, "readonly");
    contradict(readonly, (args.writable, "writable"), "keep only one of the two", errors);
    let why = "what cannot be reset cannot be read and reset in one step";
    contradict(readonly, (args.atomic, "atomic"), why, errors);
    for (hook, key) in [(&args.on_start, "on_start"), (&args.on_stop, "on_stop")] {
        let hook = (hook.as_ref().map(|hook| hook.span), key);
        let why = "a variable that always runs is never started or stopped";
        contradict((args.continuous, "continuous"), hook, why, errors);
    }
    let Some(class) = &args.class else { return };
    let word = value::with_article(class.value);
    for (given, key) in [(args.highwatermark, "highwatermark"), (args.lowwatermark, "lowwatermark")] {
        if let Some(span) = given
            && class.value != Class::Level
        {
            let message = format!(
                "`{key}` belongs to `class = \"LEVEL\"`: only a level can also be published as a watermark"
            );
            errors.at(span, message);
        }
        let why = "a value that only grows has no watermarks";
        contradict((args.cumulative, "cumulative"), (given, key), why, errors);
    }
    if let Some(unit) = &args.unit
        && matches!(class.value, Class::State | Class::Percentage)
    {
        errors.at(unit.span, format!("{word} has no unit: remove `unit`"));
    }
    if let Some(span) = args.cumulative {
        if class.value.is_sum() {
            errors.at(span, format!("{word} is cumulative by its class: remove `cumulative`"));
        } else if !class.value.can_be_cumulative() {
            errors.at(span, format!("{word} is not a sum, it cannot be `cumulative`"));
        }
    }
}

pub(super) fn check_datatype(args: &PvarArgs, errors: &mut Errors) {
    let (Some(class), Some(datatype)) = (&args.class, &args.datatype) else { return };
    let admitted = class.value.datatypes();
    if !admitted.contains(&datatype.value) {
        let (class, datatype_word) = (value::with_article(class.value), datatype.value.as_str());
        let message = format!("{class} cannot have datatype `{datatype_word}`, use {}", spellings(admitted));
        errors.at(datatype.span, message);
    }
}

/// Reports keys for functions only, and forbidden starting values.
pub(super) fn check_static(args: &PvarArgs, item: &ItemStatic, errors: &mut Errors) {
    for (hook, key) in [(&args.on_start, "on_start"), (&args.on_stop, "on_stop")] {
        if let Some(hook) = hook {
            errors.at(hook.span, format!("`{key}` belongs on a `fn`: a cell counts started handles itself"));
        }
    }
    if let Some(count) = &args.count {
        errors.on(count, "`count` belongs on a `fn`: a cell determines its number of elements");
    }
    let Some((class, class_span)) = args.class.as_ref().map(|class| (class.value, class.span)) else {
        return;
    };
    if cell::is_per_object(&item.ty) && args.bind.as_ref().is_none_or(|bind| bind.value == Bind::NoObject) {
        let span = args.bind.as_ref().map_or(class_span, |bind| bind.span);
        errors.at(
            span,
            "a `PerObject` has a value for each object: name their kind, for example `bind = \"COMM\"`",
        );
    }
    let is_cell = cell::check(&item.ty, class, errors);
    if args.atomic.is_some() && args.readonly.is_none() {
        cell::check_atomic(&item.ty, class, errors);
    }
    if is_cell
        && class.is_sum()
        && let Some(initial) = item.initial()
        && initial.is_plain()
        && !initial.arguments.is_empty()
        && initial.function.segments.last().is_some_and(|last| last.ident == "new")
    {
        let class = value::with_article(class);
        errors.on(
            &initial.arguments,
            format!("{class} starts at 0, its cell takes no initial value: write `new()`"),
        );
    }
}

/// Reports keys that do not apply to functions.
pub(super) fn check_computed(args: &PvarArgs, errors: &mut Errors) {
    if let Some(span) = args.atomic {
        errors.at(span, "a `fn` cannot be read and reset in one step: `atomic` needs a sum in a `static`");
    }
    let Some(class) = &args.class else { return };
    let word = class.value.as_str();
    if class.value.is_watermark() {
        let cell = if class.value == Class::HighWatermark { "HighWatermark" } else { "LowWatermark" };
        let message = format!(
            "a {word} cannot be a `fn`, extremes between two reads would be lost: use a `static` of type \
                 `{cell}<u64>` or `Level<u64>`"
        );
        errors.at(class.span, message);
    }
    for (given, key) in [(args.highwatermark, "highwatermark"), (args.lowwatermark, "lowwatermark")] {
        if let Some(span) = given {
            let message = format!(
                "`{key}` needs a `static` of type `Level<u64>`: of a `fn`, extremes between two reads would be lost"
            );
            errors.at(span, message);
        }
    }
    if let Some(span) = args.writable
        && args.cumulative.is_none()
        && !class.value.is_sum()
    {
        let message = format!("a {word} that a `fn` computes has no storage to write: remove `writable`");
        errors.at(span, message);
    }
}

/// Reports two keys that exclude each other, at the second one.
fn contradict(one: (Option<Span>, &str), other: (Option<Span>, &str), why: &str, errors: &mut Errors) {
    if let ((Some(_), one), (Some(span), other)) = (one, other) {
        errors.at(span, format!("`{other}` contradicts `{one}`: {why}"));
    }
}
