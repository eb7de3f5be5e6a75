//! The C functions of MPI_T, each under its `MPI_T_` and its `PMPI_T_` name.
//!
//! Each function checks its arguments in one order: interface initialized, pointers, session, handle, index,
//! meaning. If the entry is ours, `mpit` answers. If it is the host's, the host is called with arguments that
//! cannot crash it. A function that fails has written nothing. No panic crosses the boundary. Pointers need
//! not be aligned, because tools read into packed structs.

pub mod category;
pub mod cvar;
pub mod enums;
pub mod event_handle;
pub mod event_instance;
pub mod event_query;
mod handles;
mod host_events;
mod host_instances;
pub mod init;
mod object;
pub mod pvar_access;
pub mod pvar_handle;
pub mod pvar_query;
pub mod source;

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mpit::Error;
use mpit::internal::session::Interface;

use crate::abi::Abi;
use crate::merge::Merged;

pub use init::{library_finalizing, library_initialized};

/// The error of a call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// An error that this crate detected.
    Ours(Error),
    /// An error code of the host, in the numbers of its flavor.
    Hosts(c_int),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

type Outcome = Result<(), Failure>;

/// Runs the body of a C function and converts its result to a return code.
fn to_return_code(body: impl FnOnce() -> Outcome) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Abi::SUCCESS,
        Ok(Err(Failure::Ours(error))) => crate::abi().code(error),
        Ok(Err(Failure::Hosts(code))) => code,
        // A defect of ours; the panic hook has reported the location.
        Err(_) => crate::abi().code(Error::Invalid),
    }
}

/// Converts a return code of the host. Codes that are none of MPI_T's become [`Error::Invalid`].
fn from_host(code: Option<c_int>) -> Outcome {
    match code {
        Some(Abi::SUCCESS) => Ok(()),
        Some(code) => {
            let known = crate::abi().code(crate::abi().error(code)) == code;
            Err(if known { Failure::Hosts(code) } else { Failure::Ours(Error::Invalid) })
        }
        None => Err(Failure::Ours(Error::NotSupported)),
    }
}

/// Returns the interface and the merged lists if a tool has initialized MPI_T.
#[inline]
fn initialized() -> Result<(&'static Interface, &'static Merged), Failure> {
    let interface = Interface::global();
    if interface.is_initialized() {
        Ok((interface, Merged::get()))
    } else {
        Err(Error::NotInitialized.into())
    }
}

/// Refuses a null pointer.
fn not_null<T>(pointer: *const T) -> Outcome {
    if pointer.is_null() { Err(Error::Invalid.into()) } else { Ok(()) }
}

/// Defines functions of MPI_T under both their names.
macro_rules! exported {
    ($(
        $(#[$doc:meta])*
        fn $name:ident / $profiling:ident ($($arg:ident: $type:ty),* $(,)?) $body:block
    )+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Pointers are null or valid for what the function writes and reads through them.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> std::ffi::c_int {
            if crate::host::foreign::is_foreign() {
                // SAFETY: the caller's pointers fit the function of this name in the other library, which has
                // the same signature.
                return unsafe {
                    crate::host::foreign::forward_call!(next $name / $profiling ($($arg: $type),*))
                };
            }
            crate::mpi_t::to_return_code(|| $body)
        }

        #[doc = concat!("[`", stringify!($name), "`] under its profiling name.")]
        ///
        /// # Safety
        ///
        /// The obligations of the function under its `MPI_T_` name.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe extern "C" fn $profiling($($arg: $type),*) -> std::ffi::c_int {
            if crate::host::foreign::is_foreign() {
                // SAFETY: the caller's pointers fit the function of this name in the other library, which has
                // the same signature.
                return unsafe {
                    crate::host::foreign::forward_call!(pmpi $name / $profiling ($($arg: $type),*))
                };
            }
            crate::mpi_t::to_return_code(|| $body)
        }
    )+};
}
use exported;

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves C48.
    #[test]
    fn panic_in_a_c_function_does_not_unwind() {
        assert_eq!(
            to_return_code(|| panic!("the test panics on purpose")),
            crate::abi().code(Error::Invalid)
        );
    }
}
