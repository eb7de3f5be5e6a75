//! Cell types that are visible in tokens, and the classes that they serve.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Type, parse_quote};

use super::function;
use super::value::{self, Primitive};
use crate::error::Errors;
use crate::syntax::Item;
use crate::vocabulary::Class;

/// The classes that each cell of `mpit` serves; for each class, the first cell is recommended.
const CELLS: [(&str, &[Class]); 11] = [
    ("Counter", &[Class::Counter]),
    ("Aggregate", &[Class::Aggregate]),
    ("Timer", &[Class::Timer]),
    ("Level", &[Class::Level, Class::HighWatermark, Class::LowWatermark]),
    ("HighWatermark", &[Class::HighWatermark]),
    ("LowWatermark", &[Class::LowWatermark]),
    ("Size", &[Class::Size]),
    ("Percentage", &[Class::Percentage]),
    ("State", &[Class::State]),
    ("Generic", &[Class::Generic]),
    ("PeerArray", &[Class::Counter, Class::Aggregate, Class::Timer, Class::Size, Class::Generic]),
];

/// Returns true for a `PerObject`, which has a cell for each object.
pub(super) fn is_per_object(ty: &Type) -> bool {
    value::last_name(ty).as_deref() == Some("PerObject")
}

/// Returns the `C` of `PerObject<C>`, and other types as they are.
pub(super) fn of_one_object(ty: &Type) -> &Type {
    if is_per_object(ty) { value::argument(ty).unwrap_or(ty) } else { ty }
}

/// Returns the cell to use for a value per object, if the class has one.
pub(crate) fn per_object(ty: &Type, class: Class) -> Option<String> {
    let class = if class.is_watermark() { Class::Level } else { class };
    let has_one =
        matches!(class, Class::Counter | Class::Aggregate | Class::Timer | Class::Size | Class::Level);
    if has_one { Some(format!("PerObject<{}>", recommended(of_one_object(ty), class))) } else { None }
}

/// Returns the cell of `mpit` that a type names, also for each object, and the classes that it serves.
fn cell(ty: &Type) -> Option<(&'static str, &'static [Class])> {
    let name = value::last_name(of_one_object(ty))?;
    CELLS.iter().find(|(cell, _)| *cell == name).copied()
}

/// Returns the first class that the cell serves, as a suggestion for a missing one.
pub(crate) fn likely_class(ty: &Type) -> Option<Class> {
    cell(ty).and_then(|(_, classes)| classes.first().copied())
}

/// Reports a type that is no cell of the class, and returns true if it may be one. Unknown types are left to the compiler.
pub(crate) fn check(ty: &Type, class: Class, errors: &mut Errors) -> bool {
    let wrong = match cell(ty) {
        // A user's own type may have the name of a cell, and may serve as a GENERIC.
        Some((_, classes)) => class != Class::Generic && !classes.contains(&class),
        None => is_plain(of_one_object(ty)),
    };
    if wrong {
        let per_object = if is_per_object(ty) { per_object(ty, class) } else { None };
        let recommended = per_object.unwrap_or_else(|| recommended(of_one_object(ty), class));
        let (class_name, found) = (value::with_article(class), value::spelled(ty));
        errors.on(ty, format!("{class_name} is kept in `{recommended}`, not in `{found}`"));
    } else if let Some(value) = value::argument(of_one_object(ty)) {
        function::check_value(value, class, false, errors);
    }
    !wrong
}

/// Returns true for a primitive or atomic type, which cannot be a cell.
fn is_plain(ty: &Type) -> bool {
    Primitive::of(ty).is_some() || value::last_name(ty).is_some_and(|name| name.starts_with("Atomic"))
}

/// Returns the item with a valid cell, if [`check`] reports the type of its value.
pub(crate) fn stand_in(item: &TokenStream, class: Class) -> Option<TokenStream> {
    let Item::Static(mut item) = syn::parse2(item.clone()).ok()? else { return None };
    let serves = Primitive::of(value::argument(&item.ty)?)?.serves(class);
    // An initial value would have the wrong type; no primitive type is valid for a STATE.
    let is_empty = item.initial().is_some_and(|initial| initial.is_plain() && initial.arguments.is_empty());
    if serves || class == Class::State || !is_empty {
        return None;
    }
    value::replace_argument(&mut item.ty, parse_quote!(u64));
    Some(item.into_token_stream())
}

/// Reports a cell that cannot be read and reset in one step.
pub(crate) fn check_atomic(ty: &Type, class: Class, errors: &mut Errors) {
    let found = value::spelled(ty);
    if !class.is_sum() {
        errors
            .on(ty, format!("`atomic` needs a sum, {} is none: remove `atomic`", value::with_article(class)));
    } else if value::last_name(ty).as_deref() == Some("PeerArray") {
        let recommended = recommended(ty, class);
        errors.on(ty, format!("`atomic` needs a single sum such as `{recommended}`, not `{found}`"));
    }
}

/// Returns the cell to use instead, with the same value type if possible.
fn recommended(ty: &Type, class: Class) -> String {
    let cell = CELLS.iter().find(|(_, classes)| classes[0] == class).map_or("Generic", |(cell, _)| cell);
    let given = value::argument(ty).unwrap_or(ty);
    let value = match Primitive::of(given) {
        Some(primitive) if primitive.serves(class) => value::spelled(given),
        _ => "u64".to_owned(),
    };
    match class {
        Class::Percentage => cell.to_owned(),
        Class::State => "State<E>".to_owned(),
        _ => format!("{cell}<{value}>"),
    }
}
