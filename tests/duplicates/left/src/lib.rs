//! One of two crates that define the same variable; neither knows of the other.

use mpit::cell::Counter;

/// Widgets, as the left crate counts them.
#[mpit::pvar(class = "COUNTER")]
pub static WIDGETS: Counter<u64> = Counter::new();

/// A variable of the left crate alone.
#[mpit::pvar(class = "COUNTER")]
pub static ONLY_LEFT: Counter<u64> = Counter::new();
