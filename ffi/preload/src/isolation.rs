//! Isolation of the program from code that runs inside its calls: panics and `errno`.

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use mpit::internal::errno::with_errno_kept;

/// Runs `recorder` like [`catch_panic`], in functions that forward calls: they must have nothing to clean up ([`crate::nesting`]),
/// so this one is not inlined into them.
#[inline(never)]
pub(crate) fn catch_panic_apart<R>(recorder: impl FnOnce() -> R) -> Option<R> {
    catch_panic(recorder)
}

/// Runs `recorder` and stops a panic, after its message: a defect of ours must not end the program.
#[inline]
pub(crate) fn catch_panic<R>(recorder: impl FnOnce() -> R) -> Option<R> {
    // Unwind-safe, because recording changes only atomics and locks that survive a panic.
    catch_unwind(AssertUnwindSafe(recorder)).ok()
}
