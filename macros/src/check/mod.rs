//! Second stage: the rules. All violations are reported; the result is a definition if there are none.

mod category;
mod cell;
mod component;
mod cvar;
mod enumeration;
mod event;
mod function;
mod item;
mod keys;
mod name;
mod paths;
mod plugin;
mod pvar;
mod source;
mod value;

pub(crate) use category::Category;
pub(crate) use cell::{per_object, stand_in};
pub(crate) use component::Component;
pub(crate) use cvar::Cvar;
pub(crate) use enumeration::Enumeration;
pub(crate) use event::{Element, Event};
pub(crate) use function::{Count, Function};
pub(crate) use item::GeneratedAttributes;
pub(crate) use plugin::Plugin;
pub(crate) use pvar::{Pvar, Storage};
pub(crate) use source::Source;
