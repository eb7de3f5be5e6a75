//! Control variables: their cells, and the sources of their values.

mod cell;
mod object_cvar;
pub mod sources;
mod text;
pub mod unknown;

pub use cell::{Cvar, CvarCell, CvarValue, Text};
pub use object_cvar::ObjectCvar;
