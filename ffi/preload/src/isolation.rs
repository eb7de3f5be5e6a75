//! Isolation of the program from code that runs inside its calls: panics and `errno`.

pub(crate) use mpit::internal::panic::catch_panic;
pub(crate) use mpit_sync::errno::with_errno_kept;

/// Runs `recorder` like [`catch_panic`], in functions that forward calls: they must have nothing to clean up ([`crate::nesting`]),
/// so this one is not inlined into them.
#[inline(never)]
pub(crate) fn catch_panic_apart<R>(recorder: impl FnOnce() -> R) -> Option<R> {
    catch_panic(recorder)
}
