//! The C functions of the tools interface, under both their names.
//!
//! Each body checks its arguments in one order: interface up, pointers, session, handle, index, meaning. Then the
//! entry is ours, and `mpit` answers, or the host's, and the call goes on with arguments that cannot crash it. A
//! body that fails has written nothing. No panic crosses the boundary. What a pointer leads to need not be aligned: tools
//! pack what they read.

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
use mpit::session::Interface;

use crate::abi::Abi;
use crate::merge::Merged;

pub use init::{library_is_finalizing, library_is_up};

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// As we see it.
    Ours(Error),
    /// As the host said, in its numbers, which are those of the flavour.
    Hosts(c_int),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

type Outcome = Result<(), Failure>;

/// Runs the body of a C function and gives its result a number.
fn answer(body: impl FnOnce() -> Outcome) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Abi::SUCCESS,
        Ok(Err(Failure::Ours(error))) => crate::abi().code(error),
        Ok(Err(Failure::Hosts(code))) => code,
        // A defect of ours; the panic hook has told where.
        Err(_) => crate::abi().code(Error::Invalid),
    }
}

/// What the host answered: only codes of the tools interface get through.
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

/// The interface and the merged lists, if the user has initialized them.
#[inline]
fn up() -> Result<(&'static Interface, &'static Merged), Failure> {
    let interface = Interface::global();
    if interface.is_up() { Ok((interface, Merged::get())) } else { Err(Error::NotInitialized.into()) }
}

/// Refuses null for pointers that may not be.
fn not_null<T>(pointer: *const T) -> Outcome {
    if pointer.is_null() { Err(Error::Invalid.into()) } else { Ok(()) }
}

/// Defines functions of the tools interface under both their names.
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
                // SAFETY: by the caller's promise.
                return unsafe {
                    crate::host::foreign::pass_on!(next $name / $profiling ($($arg: $type),*))
                };
            }
            crate::mpi_t::answer(|| $body)
        }

        #[doc = concat!("[`", stringify!($name), "`] under its profiling name.")]
        ///
        /// # Safety
        ///
        /// As there.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe extern "C" fn $profiling($($arg: $type),*) -> std::ffi::c_int {
            if crate::host::foreign::is_foreign() {
                // SAFETY: by the caller's promise.
                return unsafe {
                    crate::host::foreign::pass_on!(own $name / $profiling ($($arg: $type),*))
                };
            }
            crate::mpi_t::answer(|| $body)
        }
    )+};
}
use exported;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c48_what_goes_wrong_in_a_function_for_c_does_not_unwind() {
        assert_eq!(
            answer(|| panic!("this is told by the test, and no failure")),
            crate::abi().code(Error::Invalid)
        );
    }
}
