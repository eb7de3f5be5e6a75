//! The flavour of an MPI library, decided by what the library itself defines and by what it answers.
//!
//! A symbol that is only reached through the library does not count: Open MPI's library for the standard ABI needs
//! another one that has the objects of Open MPI's own ABI.

use std::ffi::c_int;

use super::find::Library;
use super::object;
use crate::abi::{self, Abi};

/// The answer of `MPI_Abi_get_version`.
enum Version {
    /// The standard ABI, in a version whose constants are known.
    Standard,
    /// The vendor's own ABI, in a library that knows of the standard one.
    Own,
    /// Anything else.
    Unknown,
}

/// The constants of a library; `None` if they are not known.
pub(super) fn constants(library: &Library) -> Option<Abi> {
    let has_objects = match version(library) {
        Some(Version::Standard) => return Some(abi::standard()),
        Some(Version::Unknown) => return None,
        // From version 6 on, Open MPI's own library has its objects in one that it needs.
        Some(Version::Own) => library.symbol(OPEN_MPI_WORLD).is_some(),
        None => library.defines(OPEN_MPI_WORLD).is_some(),
    };
    // Headers have the constant for sessions since the versions of the libraries that have one of these functions: Open
    // MPI 6, MPICH 4.1, and Intel's libraries that are made of MPICH 4.2.
    if has_objects {
        let binds_sessions = library.symbol(c"PMPI_T_event_get_num").is_some();
        let mut abi = abi::open_mpi(|name| object(library, name));
        abi.binds_sessions = binds_sessions;
        return Some(abi);
    }
    let all_handles = library.defines(c"MPI_T_PVAR_ALL_HANDLES")?;
    // SAFETY: in MPICH this is a variable that holds a pointer, and no other library defines it.
    let all_handles = unsafe { all_handles.cast::<usize>().read() };
    let binds_sessions = [c"PMPIX_Stream_create", c"PMPI_Remove_error_class"]
        .into_iter()
        .any(|name| library.symbol(name).is_some());
    let mut abi = abi::mpich(all_handles);
    abi.binds_sessions = binds_sessions;
    Some(abi)
}

/// Open MPI's `MPI_COMM_WORLD`.
const OPEN_MPI_WORLD: &std::ffi::CStr = c"ompi_mpi_comm_world";

fn version(library: &Library) -> Option<Version> {
    let function =
        library.defines(c"PMPI_Abi_get_version").or_else(|| library.defines(c"MPI_Abi_get_version"))?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: the standard gives functions of this name this signature, in every ABI.
    let function = unsafe {
        std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(
            function.as_ptr(),
        )
    };
    // SAFETY: the standard allows the call at any time; both numbers are writable.
    let code = unsafe { function(&raw mut major, &raw mut minor) };
    Some(match (code, major) {
        (Abi::SUCCESS, 1) => Version::Standard,
        (Abi::SUCCESS, -1) => Version::Own,
        _ => Version::Unknown,
    })
}
