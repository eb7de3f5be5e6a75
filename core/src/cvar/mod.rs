//! Control variables: the cells that hold settings, and where settings come from.

mod cell;
mod object_cvar;
pub mod sources;
mod text;
pub mod unknown;

pub use cell::{Cvar, CvarCell, CvarValue, Text};
pub use object_cvar::ObjectCvar;
