//! One of two crates that define the same variable; neither knows of the other.

use mpit::cell::Counter;

/// Widgets, as the right crate counts them.
#[mpit::pvar(class = "COUNTER")]
pub static WIDGETS: Counter<u64> = Counter::new();

/// A variable of the right crate alone.
#[mpit::pvar(class = "COUNTER")]
pub static ONLY_RIGHT: Counter<u64> = Counter::new();
