//! Handles as Fortran has them: integers, which the host turns into its own.

use std::ffi::c_int;

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
    let convert = unsafe {
        std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn(c_int) -> Handle>(address)
    };
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
