//! Second stage: the rules. Everything that is wrong is reported; a definition comes out if nothing was.

mod category;
mod component;
mod cvar;
mod enumeration;
mod function;
mod item;
mod name;
mod pvar;
mod value;

pub(crate) use category::Category;
pub(crate) use component::Component;
pub(crate) use cvar::Cvar;
pub(crate) use enumeration::Enumeration;
pub(crate) use function::{Count, Function};
pub(crate) use pvar::{Pvar, Storage};

use proc_macro2::Span;

use crate::error::Errors;

/// Reports two keys that exclude each other, at the second.
fn contradict(one: (Option<Span>, &str), other: (Option<Span>, &str), why: &str, errors: &mut Errors) {
    if let ((Some(_), one), (Some(span), other)) = (one, other) {
        errors.at(span, format!("`{other}` contradicts `{one}`: {why}"));
    }
}
