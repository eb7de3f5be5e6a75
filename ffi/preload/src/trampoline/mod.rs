//! The exported functions: machine code that chooses the destination of a call with all registers unchanged.
//!
//! | function | purpose |
//! |---|---|
//! | `entry!` | the exported function: a jump to the next definition or, with listeners, to the second destination of [`Next`] |
//! | `unresolved!` | both destinations at first: finds the next definition ([`next::resolve`]) and jumps there |
//! | `entered!` | the second destination of MPI functions: checks if the program makes the call ([`crate::callers`]) |
//! | `jump_to!` | calls a function with the arguments, and jumps to the result |
//! | `passing!` | the second destination of functions with unknown parameters: records the call and jumps |
//!
//! A function that is not MPI's may have any parameters and results: all registers that a caller may use for
//! arguments are saved while Rust code runs, vector registers in their full width, and the stack is unchanged
//! at the jump.
//!
//! [`Next`]: crate::next::Next
//! [`next::resolve`]: crate::next::resolve

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{
    ask, entered, entry, entry_at, entry_at_either, jump_to, passing, record, resolve, unresolved, with_next,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    ask, entered, entry, entry_at, entry_at_either, jump_to, passing, record, resolve, unresolved,
};

/// Runs code inside a call without changing the `errno` that the program sees.
pub(crate) fn with_errno_kept<R>(run: impl FnOnce() -> R) -> R {
    // SAFETY: `__errno_location` has no preconditions.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the variable belongs to this thread and exists as long as the thread.
    let before = unsafe { errno.read() };
    let result = run();
    // SAFETY: the variable belongs to this thread and exists as long as the thread.
    unsafe { errno.write(before) };
    result
}
