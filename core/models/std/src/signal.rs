//! Signals: functions that interrupt a thread of a model between two of its accesses.

pub use crate::execution::{handle, send};
