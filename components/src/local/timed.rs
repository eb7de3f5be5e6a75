//! Calls are told of with the time they take: those of the program, not those that they make in their turn.

use crate::calls::{self, Area};

/// Makes a call of the program's. What it does inside must not come here again.
#[inline]
pub(super) fn timed<R>(area: Area, call: impl FnOnce() -> R) -> R {
    let watch = calls::begin(area);
    let done = call();
    watch.end();
    done
}
