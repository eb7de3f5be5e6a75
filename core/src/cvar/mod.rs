//! Control variables: the cells that hold settings, and where settings come from.

mod cell;
pub mod sources;
mod text;
pub mod unknown;

pub use cell::{Cvar, CvarCell, CvarValue, Text};
