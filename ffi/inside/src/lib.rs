//! `libmpit_core`: variables, events, sessions and handles for MPI libraries that have functions of MPI_T of their own.
//!
//! The library exports no MPI symbol and has no constant of an MPI ABI. Its numbers are those of `mpit_plugin.h` and
//! `mpit_core.h`. The MPI library's own functions of MPI_T call it for all entries behind their own; `mpit_core_mpi.h` makes
//! these functions from the MPI library's `mpi.h`.
//!
//! # API boundary
//!
//! The interface is C: `mpit_core.h`, with the tables of `mpit_plugin.h`. Rust crates do not depend on this one.
//!
//! # Invariants
//!
//! * Only names that begin with `mpit_` are exported.
//! * Everything from C is checked before it is used. No panic and no Rust type crosses the boundary.
//! * C gets identifiers, not pointers. Their top byte is not 0, so that none equals a pointer of the MPI library.
//! * Merged indices never change (`index`).
//! * No lock is held while functions of the MPI library, of tools or of plug-ins run.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

// The parts of `mpit-ffi` without MPI. That crate itself defines the functions of MPI_T, so this one cannot depend on it.
#[path = "../../src/arguments.rs"]
pub mod arguments;
#[path = "../../src/heap/mod.rs"]
pub mod heap;
#[path = "../../src/strings.rs"]
mod strings;

mod category;
mod cvar;
mod deferred;
mod enums;
mod event;
mod index;
mod object;
mod pvar;
mod session;
mod source;
mod state;

use std::ffi::{c_char, c_int};

use mpit::Error;
use mpit::internal::panic::catch_panic;
use mpit::internal::session::Interface;

use arguments::{Out, Text};
use heap::Heap;
use strings::Buffer;

impl arguments::Variable for u64 {}
impl arguments::Variable for *mut std::ffi::c_void {}

impl arguments::Argument for u64 {
    type Wrapped = Self;

    unsafe fn wrap(self) -> Self {
        self
    }
}

#[global_allocator]
static HEAP: Heap = Heap::new();

/// Reports what no return code expresses, in one line on standard error.
#[allow(clippy::print_stderr, reason = "C callers get only a code")]
fn warn(message: &str) {
    eprintln!("mpit: {}", mpit::internal::os::printable(message));
}

type Outcome = mpit::Result<()>;

/// Runs the body of a C function. Returns 0 or a number of `enum mpit_core_error`.
fn to_return_code(body: impl FnOnce() -> Outcome) -> c_int {
    let run = || match body() {
        Ok(()) => 0,
        Err(error) => error.code(),
    };
    // A panic is a defect of ours; the panic hook has reported the location.
    catch_panic(run).unwrap_or_else(|| Error::Invalid.code())
}

/// Returns the interface if a tool has initialized it.
#[inline]
fn initialized() -> mpit::Result<&'static Interface> {
    let interface = Interface::global();
    if interface.is_initialized() { Ok(interface) } else { Err(Error::NotInitialized) }
}

/// Converts an index of C.
fn checked(index: c_int) -> mpit::Result<u32> {
    u32::try_from(index).map_err(|_| Error::InvalidIndex)
}

/// Writes the index of a name that `find` looks up.
fn write_index(
    index: Out<c_int>,
    name: &Text,
    find: impl FnOnce(&Interface, &str) -> Option<u32>,
) -> Outcome {
    let interface = initialized()?;
    index.check()?;
    let name = name.get().ok_or(Error::Invalid)?.to_str().map_err(|_| Error::InvalidName)?;
    index.set(find(interface, name).ok_or(Error::InvalidName)?.cast_signed());
    Ok(())
}

/// Returns the buffers for a name and a description.
///
/// # Safety
///
/// Each buffer is null, or as long as the variable beside it says.
unsafe fn texts(
    name: (Out<c_char>, Out<c_int>),
    description: (Out<c_char>, Out<c_int>),
) -> mpit::Result<(Buffer, Buffer)> {
    // SAFETY: the caller passes the name's buffer with its length.
    let name = unsafe { Buffer::new(name.0.address(), name.1.address()) }?;
    // SAFETY: the caller passes the description's buffer with its length.
    let description = unsafe { Buffer::new(description.0.address(), description.1.address()) }?;
    Ok((name, description))
}

/// Defines C functions whose arguments are wrapped ([`arguments::Argument`]).
macro_rules! exported {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Pointers are null or valid for what the function writes and reads through them.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's functions have as many")]
        pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> std::ffi::c_int {
            $(
                // SAFETY: the caller passes null or a pointer that is valid for what the body does with it.
                let $arg = unsafe { crate::arguments::Argument::wrap($arg) };
            )*
            crate::to_return_code(|| $body)
        }
    )+};
}
use exported;
