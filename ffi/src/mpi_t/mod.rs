//! The C functions of MPI_T, each under its `MPI_T_` and its `PMPI_T_` name.
//!
//! Each function checks its arguments in one order: interface initialized, pointers, session, handle, index,
//! meaning. If the entry is ours, `mpit` answers. If it is the host's, the host is called with arguments that
//! cannot crash it. A function that fails has written nothing. No panic crosses the boundary.

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
pub(crate) mod object;
pub mod pvar_access;
pub mod pvar_handle;
pub mod pvar_query;
pub mod source;

use std::ffi::{c_char, c_int};

use mpit::Error;
use mpit::internal::panic::catch_panic;
use mpit::internal::session::Interface;

use crate::abi::Abi;
use crate::arguments::{Out, Text};
use crate::merge::{HostInfo, Merged, MergedSpace};
use crate::strings::Buffer;

pub use init::{library_finalizing, library_initialized};

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
    // Inside, so that a success is a constant and not the result of a comparison.
    let run = || match body() {
        Ok(()) => Abi::SUCCESS,
        Err(failure) => code_of(failure),
    };
    // A panic is a defect of ours; the panic hook has reported the location.
    catch_panic(run).unwrap_or_else(|| code_of(Failure::Ours(Error::Invalid)))
}

#[inline(never)]
fn code_of(failure: Failure) -> c_int {
    match failure {
        Failure::Ours(error) => crate::abi().code(error),
        Failure::Hosts(code) => code,
    }
}

/// Converts a return code of the host. Codes that are none of MPI_T's become [`Error::Invalid`].
#[inline]
fn from_host(code: Option<c_int>) -> Outcome {
    if code == Some(Abi::SUCCESS) { Ok(()) } else { Err(failure_of_host(code)) }
}

#[cold]
fn failure_of_host(code: Option<c_int>) -> Failure {
    let Some(code) = code else { return Failure::Ours(Error::NotSupported) };
    let is_known = crate::abi().code(crate::abi().error(code)) == code;
    if is_known { Failure::Hosts(code) } else { Failure::Ours(Error::Invalid) }
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

fn not_null<T>(pointer: *const T) -> Outcome {
    if pointer.is_null() { Err(Error::Invalid.into()) } else { Ok(()) }
}

/// Writes the number of entries of one kind.
fn write_count<I: HostInfo>(number: Out<c_int>, space: impl FnOnce(&Merged) -> &MergedSpace<I>) -> Outcome {
    let (_, merged) = initialized()?;
    number.check()?;
    merged.sync();
    number.set(space(merged).len() as c_int);
    Ok(())
}

/// Writes the index of the entry with this name and, if it is a performance variable, this class.
fn write_index<I: HostInfo>(
    index: Out<c_int>,
    name: &Text,
    class: c_int,
    space: impl FnOnce(&Merged) -> &MergedSpace<I>,
) -> Outcome {
    let (_, merged) = initialized()?;
    index.check()?;
    let name = name.get().ok_or(Error::Invalid)?.to_bytes();
    index.set(space(merged).find(merged, name, class).ok_or(Error::InvalidName)? as c_int);
    Ok(())
}

/// Returns the buffers for a name and a description.
///
/// # Safety
///
/// Each buffer is null, or as long as the variable beside it says.
unsafe fn name_and_description(
    name: (Out<c_char>, Out<c_int>),
    description: (Out<c_char>, Out<c_int>),
) -> Result<(Buffer, Buffer), Failure> {
    // SAFETY: the caller passes the name's buffer with its length.
    let name = unsafe { Buffer::new(name.0.address(), name.1.address()) }?;
    // SAFETY: the caller passes the description's buffer with its length.
    let description = unsafe { Buffer::new(description.0.address(), description.1.address()) }?;
    Ok((name, description))
}

macro_rules! exported {
    ($($functions:tt)+) => {
        crate::host::foreign::exported_functions! { crate::mpi_t::to_return_code; $($functions)+ }
    };
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
