//! The flavor of an MPI library, determined by the symbols that the library itself defines and by its
//! `MPI_Abi_get_version`.
//!
//! Symbols of other objects that the library needs do not count: Open MPI's library for the standard ABI
//! needs another one that has the objects of Open MPI's own ABI.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::NonNull;

use super::{Abi, Handle, mpich, open_mpi, standard};

/// The symbol of Open MPI's `MPI_COMM_WORLD`.
const OPEN_MPI_WORLD: &CStr = c"ompi_mpi_comm_world";

pub(crate) trait Symbols {
    /// Returns a symbol of the library or of an object that it needs.
    fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>>;

    /// Returns a symbol that the library itself defines.
    fn defines(&self, name: &CStr) -> Option<NonNull<c_void>>;

    /// Returns the address of a variable that the library exports, as the program sees it.
    fn variable(&self, name: &str) -> Option<Handle>;
}

/// The result of `MPI_Abi_get_version`.
enum Version {
    /// The standard ABI, in a version with known constants.
    Standard,
    /// The vendor's own ABI, in a library that also supports the standard one.
    Own,
    /// Any other result.
    Unknown,
}

/// Returns the constants of a library; `None` if they are unknown.
pub(crate) fn constants(library: &impl Symbols) -> Option<Abi> {
    let is_open_mpi = match version(library) {
        Some(Version::Standard) => return Some(standard()),
        Some(Version::Unknown) => return None,
        // Since version 6, Open MPI's own library has its objects in another library that it needs.
        Some(Version::Own) => library.symbol(OPEN_MPI_WORLD).is_some(),
        None => library.defines(OPEN_MPI_WORLD).is_some(),
    };
    // The headers have `MPI_T_BIND_MPI_SESSION` since the versions that have one of these functions: Open MPI
    // 6, MPICH 4.1, and Intel's libraries based on MPICH 4.2.
    let (abi, first_functions) = if is_open_mpi {
        (open_mpi(|name| library.variable(name)), &[c"PMPI_T_event_get_num"][..])
    } else {
        let all_handles = library.defines(c"MPI_T_PVAR_ALL_HANDLES")?;
        // SAFETY: MPICH defines this symbol as a variable that holds a pointer, and no other library defines it.
        let all_handles = unsafe { all_handles.cast::<usize>().read() };
        (mpich(all_handles), &[c"PMPIX_Stream_create", c"PMPI_Remove_error_class"][..])
    };
    let binds_sessions = first_functions.iter().any(|name| library.symbol(name).is_some());
    Some(Abi { binds_sessions, ..abi })
}

/// Calls `MPI_Abi_get_version`, if the library has it.
fn version(library: &impl Symbols) -> Option<Version> {
    let function =
        library.defines(c"PMPI_Abi_get_version").or_else(|| library.defines(c"MPI_Abi_get_version"))?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: `MPI_Abi_get_version` has this signature in every ABI.
    let function = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(
            function.as_ptr(),
        )
    };
    // SAFETY: the standard allows this call at any time, and both numbers are local variables.
    let code = unsafe { function(&raw mut major, &raw mut minor) };
    Some(match (code, major) {
        (Abi::SUCCESS, 1) => Version::Standard,
        (Abi::SUCCESS, -1) => Version::Own,
        _ => Version::Unknown,
    })
}

pub(crate) fn is_mpich(library: &impl Symbols) -> bool {
    library.symbol(c"MPIR_Err_create_code").is_some()
}

/// Returns true if Open MPI runs with fault tolerance.
pub(crate) fn tolerates_faults(library: &impl Symbols) -> bool {
    library.symbol(c"ompi_ftmpi_enabled").is_some_and(|enabled| {
        // SAFETY: in Open MPI this is a variable of type `bool`, which exists as long as the library.
        unsafe { enabled.cast::<u8>().read() != 0 }
    })
}
