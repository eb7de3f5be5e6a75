//! The functions that are exported: machine code that chooses where a call goes, with all registers as they are.
//!
//! | function | |
//! |---|---|
//! | `entry!` | the exported one: a jump to the next definition, or with listeners to the second place of [`Next`] |
//! | `unresolved!` | both places at first: finds the next definition ([`next::resolve`]) and jumps there |
//! | `entered!` | the second place for functions of MPI: looks whether the program makes the call ([`crate::callers`]) |
//! | `jump_to!` | calls a function of ours with the arguments of the call, and jumps to the address that it returns |
//! | `passing!` | the second place for functions with parameters that are not known here: records and jumps |
//!
//! What is not a function of MPI may take and return anything: all that a caller may pass is kept while Rust code runs, the
//! vector registers in their full width, and nothing is left on the stack at the jump.
//!
//! [`Next`]: crate::next::Next
//! [`next::resolve`]: crate::next::resolve

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{
    ask, entered, entry, entry_at, entry_at_either, jump_to, passing, resolve, tell, unresolved, with_next,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    ask, entered, entry, entry_at, entry_at_either, jump_to, passing, resolve, tell, unresolved,
};

/// Runs code that a program does not expect at this place: it sees the same `errno` afterwards.
pub(crate) fn with_errno_kept<R>(run: impl FnOnce() -> R) -> R {
    // SAFETY: the address is that of the calling thread's variable.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the variable belongs to this thread and is always there.
    let before = unsafe { errno.read() };
    let result = run();
    // SAFETY: the variable belongs to this thread and is always there.
    unsafe { errno.write(before) };
    result
}
