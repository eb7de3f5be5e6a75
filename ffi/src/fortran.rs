//! Handles as Fortran has them: integers, which the host turns into its own.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::abi::{Flavour, Handle};
use crate::host::{Function, Host};

/// The host's handle for a Fortran one. In MPICH they are the same number; other hosts have a function.
fn convert(function: &Function, fortran: c_int) -> Option<Handle> {
    let abi = Host::get()?.abi();
    if abi.flavour == Flavour::Mpich {
        return Some(fortran.cast_unsigned() as Handle);
    }
    let address = function.own()?;
    // SAFETY: the conversion functions take an integer and return a handle, which in these flavours is a pointer.
    let convert =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(c_int) -> Handle>(address) };
    // SAFETY: any integer may be converted.
    Some(abi.clean(unsafe { convert(fortran) }))
}

/// A communicator.
#[must_use]
pub fn comm(fortran: c_int) -> Option<Handle> {
    static FUNCTION: Function = Function::new(c"MPI_Comm_f2c", c"PMPI_Comm_f2c");
    convert(&FUNCTION, fortran)
}

/// A datatype.
#[must_use]
pub fn datatype(fortran: c_int) -> Option<Handle> {
    static FUNCTION: Function = Function::new(c"MPI_Type_f2c", c"PMPI_Type_f2c");
    convert(&FUNCTION, fortran)
}

/// A request.
#[must_use]
pub fn request(fortran: c_int) -> Option<Handle> {
    static FUNCTION: Function = Function::new(c"MPI_Request_f2c", c"PMPI_Request_f2c");
    convert(&FUNCTION, fortran)
}

/// A reduction operation.
#[must_use]
pub fn op(fortran: c_int) -> Option<Handle> {
    static FUNCTION: Function = Function::new(c"MPI_Op_f2c", c"PMPI_Op_f2c");
    convert(&FUNCTION, fortran)
}

/// A window.
#[must_use]
pub fn win(fortran: c_int) -> Option<Handle> {
    static FUNCTION: Function = Function::new(c"MPI_Win_f2c", c"PMPI_Win_f2c");
    convert(&FUNCTION, fortran)
}

/// The spellings of a common block of Open MPI, by compiler: its address is Fortran's `MPI_IN_PLACE`.
const OPEN_MPI_IN_PLACE: [&str; 4] =
    ["mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"];

/// MPICH's variables that hold the address that is Fortran's `MPI_IN_PLACE`, set when its Fortran comes up.
const MPICH_IN_PLACE: [&str; 2] = ["MPIR_F_MPI_IN_PLACE", "MPIR_F08_MPI_IN_PLACE"];

/// Whether a buffer is `MPI_IN_PLACE`, as Fortran or C have it: some interfaces of Fortran translate it on the way.
#[must_use]
pub fn is_in_place(buffer: *const c_void) -> bool {
    static ADDRESSES: OnceLock<Vec<usize>> = OnceLock::new();
    static VARIABLES: OnceLock<Vec<usize>> = OnceLock::new();
    let Some(host) = Host::get() else { return false };
    let found = |names: &[&str]| names.iter().filter_map(|name| host.object(name)).collect::<Vec<_>>();
    let address = buffer.addr();
    if address == host.abi().in_place {
        return true;
    }
    match host.abi().flavour {
        Flavour::OpenMpi => ADDRESSES.get_or_init(|| found(&OPEN_MPI_IN_PLACE)).contains(&address),
        _ => VARIABLES.get_or_init(|| found(&MPICH_IN_PLACE)).iter().any(|variable| {
            let at = std::ptr::with_exposed_provenance::<usize>(*variable);
            // SAFETY: the library's variables hold an address and live as long as the process.
            address != 0 && unsafe { at.read() } == address
        }),
    }
}
