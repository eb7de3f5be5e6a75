//! x
#![allow(unsafe_code, reason = "descriptors cross images as C data; see the module docs")]
// The attributes refer to this crate as `::mpit`, also in its own tests.
extern crate self as mpit;

pub mod cell;
pub mod cvar;
pub mod desc;
mod error;
pub mod event;
pub mod host;
pub mod log;
pub mod object;
pub mod registry;
pub mod session;
pub mod slots;
pub mod sparse;
mod switch;
pub mod threads;
pub mod tool;
pub mod words;

pub use desc::{Category, MpitEnum};
pub use error::{Error, Result};
pub use mpit_macros::{MpitEnum, category, component, cvar, pvar};

#[doc(hidden)]
pub mod __private;

/// The components linked into this program, of all frameworks, in no particular order.
pub fn components() -> impl Iterator<Item = &'static desc::ComponentDesc> {
    __private::MPIT_COMPONENTS_V1.iter().copied()
}
