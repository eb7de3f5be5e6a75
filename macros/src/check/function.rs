//! Signatures of computed variables.

use proc_macro2::TokenStream;
use syn::{Expr, Ident, Path, ReturnType, Type};

use super::value::{self, Primitive};
use crate::error::Errors;
use crate::parse::{At, PvarArgs};
use crate::syntax::{Closure, Input, InputKind, Signature};
use crate::vocabulary::{Bind, Class};

/// A function that computes a variable.
pub(crate) struct Function {
    pub(crate) ident: Ident,
    /// The kind of object that the variable is bound to; the function takes it unless it is `NoObject`.
    pub(crate) bind: Bind,
    /// The type of one element.
    pub(crate) value: Type,
    /// True if the function fills a `&mut [value]`.
    pub(crate) array: bool,
    /// True if the function returns a `Result`.
    pub(crate) fallible: bool,
    pub(crate) count: Count,
    pub(crate) on_start: Option<Path>,
    pub(crate) on_stop: Option<Path>,
}

pub(crate) enum Count {
    One,
    /// The communicator's size.
    Peers,
    Fixed(Expr),
    /// A number that depends on the object, which the pattern names.
    Of(TokenStream, TokenStream),
}

#[derive(Default)]
struct Parameters<'a> {
    object: Option<&'a Type>,
    out: Option<&'a Type>,
}

/// Parses a signature, and reports conflicts with the attribute.
pub(crate) fn check(signature: &Signature, args: &PvarArgs, errors: &mut Errors) -> Option<Function> {
    let parameters = parameters(signature, errors)?;
    let bind = check_bind(signature, parameters.object, args.bind.as_ref(), errors);
    let (value, fallible) = check_output(signature, parameters.out, errors)?;
    if let Some(class) = &args.class {
        check_value(&value, class.value, parameters.out.is_some(), errors);
    }
    let count = check_count(signature, parameters.out.is_some(), bind, args.count.as_ref(), errors)?;
    let array = parameters.out.is_some();
    Some(Function {
        ident: signature.ident.clone(),
        bind,
        value,
        array,
        fallible,
        count,
        on_start: args.on_start.clone().map(|hook| hook.value),
        on_stop: args.on_stop.clone().map(|hook| hook.value),
    })
}

fn parameters<'a>(signature: &'a Signature, errors: &mut Errors) -> Option<Parameters<'a>> {
    let mut found = Parameters::default();
    for input in &signature.inputs {
        let InputKind::Typed(ty) = &input.kind else { return None };
        match value::ungrouped(ty) {
            Type::Reference(reference) => match (&reference.mutability, value::ungrouped(&reference.elem)) {
                (Some(_), Type::Slice(slice)) if found.out.is_none() => found.out = Some(&slice.elem),
                (None, object @ Type::Path(_)) if found.object.is_none() && found.out.is_none() => {
                    found.object = Some(object);
                }
                _ => return wrong_parameter(input, ty, errors),
            },
            _ => return wrong_parameter(input, ty, errors),
        }
    }
    Some(found)
}

fn wrong_parameter<'a>(input: &Input, ty: &Type, errors: &mut Errors) -> Option<Parameters<'a>> {
    let message = format!(
        "a tool passes no argument for `{}`\na pvar function takes nothing, or `&Comm` (`&Object` when \
         bound to something else), or `&mut [u64]` to fill, or both in this order",
        value::spelled(ty)
    );
    errors.on(input, message);
    None
}

/// Checks that the function takes the object that the variable is bound to.
fn check_bind(
    signature: &Signature,
    object: Option<&Type>,
    bind: Option<&At<Bind>>,
    errors: &mut Errors,
) -> Bind {
    let name = &signature.ident;
    let kind = bind.map_or(Bind::NoObject, |bind| bind.value);
    let taken = object.and_then(value::last_name);
    let needed = if kind == Bind::Comm { "Comm" } else { "Object" };
    match (object, kind, taken.as_deref()) {
        (None, Bind::NoObject, _) => {}
        (None, ..) => {
            let span = bind.map_or(name.span(), |bind| bind.span);
            let parameter = if kind == Bind::Comm { "comm: &Comm" } else { "object: &Object" };
            let word = kind.as_str();
            let message =
                format!("bound to {word}, but `{name}` does not take it: write `fn {name}({parameter})`");
            errors.at(span, message);
        }
        (Some(object), Bind::NoObject, Some("Comm")) => {
            let message =
                format!("`{name}` takes a communicator, but is bound to none: add `bind = \"COMM\"`");
            errors.on(object, message);
        }
        (Some(object), Bind::NoObject, _) => {
            let message =
                format!("`{name}` takes an object, but is bound to none: add for example `bind = \"WIN\"`");
            errors.on(object, message);
        }
        (Some(object), _, Some(name @ ("Comm" | "Object"))) if name != needed => {
            errors.on(object, format!("expected `&{needed}`, since `bind` is {}", kind.as_str()));
        }
        _ => {}
    }
    kind
}

/// Returns the type of an element, and true if the function may fail.
fn check_output(signature: &Signature, out: Option<&Type>, errors: &mut Errors) -> Option<(Type, bool)> {
    let name = &signature.ident;
    let (returned, fallible) = match &signature.output {
        ReturnType::Default => (None, false),
        ReturnType::Type(_, ty) if value::last_name(ty).as_deref() == Some("Result") => {
            (value::argument(ty), true)
        }
        ReturnType::Type(_, ty) => (Some(&**ty), false),
    };
    let returned = returned.filter(|ty| !matches!(ty, Type::Tuple(unit) if unit.elems.is_empty()));
    match (returned, out) {
        (Some(value), None) => Some((value.clone(), fallible)),
        (None, Some(element)) => Some((element.clone(), fallible)),
        (None, None) => {
            let message = format!(
                "`{name}` returns no value: write `fn {name}() -> u64`, or take `&mut [u64]` to fill"
            );
            errors.on(signature, message);
            None
        }
        (Some(value), Some(_)) => {
            errors.on(value, format!("`{name}` fills a slice, so it returns nothing or `mpit::Result<()>`"));
            None
        }
    }
}

/// Checks that the class admits the value type, if it is visible.
pub(super) fn check_value(ty: &Type, class: Class, array: bool, errors: &mut Errors) {
    if array && class == Class::State {
        errors.on(ty, "a STATE is one value, return an enum that derives `MpitEnum`");
    } else if Primitive::of(ty).is_some_and(|primitive| !primitive.serves(class)) {
        let (class, types_for) = (value::with_article(class), value::types_for(class));
        errors.on(ty, format!("{class} holds {types_for}, not `{}`", value::spelled(ty)));
    }
}

fn check_count(
    signature: &Signature,
    array: bool,
    bind: Bind,
    count: Option<&Expr>,
    errors: &mut Errors,
) -> Option<Count> {
    let Some(count) = count else {
        return match (array, bind) {
            (false, _) => Some(Count::One),
            (true, Bind::Comm) => Some(Count::Peers),
            (true, _) => {
                let message = "the number of elements is not known: add for example `count = 66`";
                errors.on(&signature.parameters, message);
                None
            }
        };
    };
    if !array {
        let name = &signature.ident;
        errors.on(count, format!("`{name}` returns one value: remove `count`, or take `&mut [u64]` to fill"));
        return None;
    }
    let closure = match count {
        Expr::Verbatim(tokens) => syn::parse2::<Closure>(tokens.clone()).ok(),
        _ => None,
    };
    let Some(closure) = closure else {
        check_fixed(count, errors);
        return Some(Count::Fixed(count.clone()));
    };
    if bind == Bind::NoObject {
        let message = "there is no object to count by: give a number, or bind the variable with `bind`";
        errors.on(count, message);
        return None;
    }
    if let Some(input) = closure.input() {
        return Some(Count::Of(input, closure.body));
    }
    errors.on(count, "`count` takes the object: write `count = |comm| 66 * comm.size()`");
    None
}

/// Checks that a visible number of elements fits into a C `int`.
fn check_fixed(count: &Expr, errors: &mut Errors) {
    let Expr::Lit(literal) = count else { return };
    let number = match &literal.lit {
        syn::Lit::Int(number) => number.base10_parse::<i32>().ok(),
        _ => None,
    };
    match number {
        Some(1..) => {}
        Some(_) => errors.on(count, "a variable has at least one element"),
        None => errors.on(count, "`count` is a number of elements from 1 to 2147483647"),
    }
}
