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

/// Variables whose address is Fortran's `MPI_IN_PLACE`: a common block of Open MPI, spelled as compilers do, and the constant of
/// MPICH's `mpi_f08`, which arrives like that in descriptors.
const OBJECTS: [&str; 5] = [
    "mpi_fortran_in_place_",
    "mpi_fortran_in_place",
    "mpi_fortran_in_place__",
    "MPI_FORTRAN_IN_PLACE",
    "MPIR_F08_MPI_IN_PLACE",
];

/// MPICH's variable that holds the address that is Fortran's `MPI_IN_PLACE`, set when its Fortran interface is initialized.
const POINTER: &str = "MPIR_F_MPI_IN_PLACE";

/// Returns true if a buffer is `MPI_IN_PLACE`, as Fortran or C have it: some interfaces of Fortran translate it on the way.
#[must_use]
pub fn is_in_place(buffer: *const c_void) -> bool {
    static ADDRESSES: OnceLock<Vec<usize>> = OnceLock::new();
    static VARIABLE: OnceLock<Option<usize>> = OnceLock::new();
    let Some(host) = Host::get() else { return false };
    let address = buffer.addr();
    if address == host.abi().in_place {
        return true;
    }
    let objects = || OBJECTS.iter().filter_map(|name| host.object(name)).collect::<Vec<_>>();
    if ADDRESSES.get_or_init(objects).contains(&address) {
        return true;
    }
    let Some(variable) = *VARIABLE.get_or_init(|| host.object(POINTER)) else { return false };
    let at = std::ptr::with_exposed_provenance::<usize>(variable);
    // SAFETY: the library defines the variable as a pointer, and is never unloaded.
    address != 0 && unsafe { at.read() } == address
}
