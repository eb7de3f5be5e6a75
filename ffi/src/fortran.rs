//! Fortran handles: integers that the host converts to its own handles.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use mpit::object::Bind;

use crate::abi::symbols::{IN_PLACE_OBJECTS, IN_PLACE_POINTER};
use crate::abi::{FortranHandles, Handle};
use crate::host::{Function, Host};

/// The host's function that converts Fortran handles of one kind.
#[derive(Debug)]
struct Conversion {
    f2c: Function,
    /// The function of the standard ABI, in which `f2c` is missing.
    from_int: Function,
}

/// Declares conversions by the names of their functions.
macro_rules! conversions {
    ($($name:ident: $f2c:literal $pf2c:literal, $from_int:literal $pfrom_int:literal;)+) => {$(
        static $name: Conversion = Conversion {
            f2c: Function::new($f2c, $pf2c),
            from_int: Function::new($from_int, $pfrom_int),
        };
    )+};
}

conversions! {
    COMM: c"MPI_Comm_f2c" c"PMPI_Comm_f2c", c"MPI_Comm_fromint" c"PMPI_Comm_fromint";
    DATATYPE: c"MPI_Type_f2c" c"PMPI_Type_f2c", c"MPI_Type_fromint" c"PMPI_Type_fromint";
    ERRHANDLER: c"MPI_Errhandler_f2c" c"PMPI_Errhandler_f2c", c"MPI_Errhandler_fromint" c"PMPI_Errhandler_fromint";
    GROUP: c"MPI_Group_f2c" c"PMPI_Group_f2c", c"MPI_Group_fromint" c"PMPI_Group_fromint";
    INFO: c"MPI_Info_f2c" c"PMPI_Info_f2c", c"MPI_Info_fromint" c"PMPI_Info_fromint";
    OP: c"MPI_Op_f2c" c"PMPI_Op_f2c", c"MPI_Op_fromint" c"PMPI_Op_fromint";
    REQUEST: c"MPI_Request_f2c" c"PMPI_Request_f2c", c"MPI_Request_fromint" c"PMPI_Request_fromint";
    WIN: c"MPI_Win_f2c" c"PMPI_Win_f2c", c"MPI_Win_fromint" c"PMPI_Win_fromint";
}

impl Conversion {
    /// Converts a Fortran handle to the host's.
    fn handle(&self, fortran: c_int) -> Option<Handle> {
        let abi = Host::get()?.abi();
        let address = match abi.fortran {
            FortranHandles::Equal => return Some(fortran.cast_unsigned() as Handle),
            FortranHandles::F2c => self.f2c.pmpi()?,
            FortranHandles::FromInt => self.from_int.pmpi()?,
        };
        // SAFETY: `MPI_*_f2c` and `MPI_*_fromint` take an integer and return a handle, which in these flavors
        // is a pointer.
        let convert = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(c_int) -> Handle>(address)
        };
        // SAFETY: the functions accept any integer.
        Some(abi.clean(unsafe { convert(fortran) }))
    }
}

/// Converts a communicator.
#[must_use]
pub fn comm(fortran: c_int) -> Option<Handle> {
    COMM.handle(fortran)
}

/// Converts a datatype.
#[must_use]
pub fn datatype(fortran: c_int) -> Option<Handle> {
    DATATYPE.handle(fortran)
}

/// Converts a request.
#[must_use]
pub fn request(fortran: c_int) -> Option<Handle> {
    REQUEST.handle(fortran)
}

/// Converts a reduction operation.
#[must_use]
pub fn op(fortran: c_int) -> Option<Handle> {
    OP.handle(fortran)
}

/// Converts a window.
#[must_use]
pub fn win(fortran: c_int) -> Option<Handle> {
    WIN.handle(fortran)
}

/// Converts an error handler, a group, an info object or an operation; returns `None` for other kinds.
#[must_use]
pub fn handle(kind: Bind, fortran: c_int) -> Option<Handle> {
    match kind {
        Bind::Errhandler => ERRHANDLER.handle(fortran),
        Bind::Group => GROUP.handle(fortran),
        Bind::Info => INFO.handle(fortran),
        Bind::Op => op(fortran),
        _ => None,
    }
}

/// Returns true if a buffer is `MPI_IN_PLACE` of Fortran or C: some Fortran interfaces convert it before they
/// call C.
#[must_use]
pub fn is_in_place(buffer: *const c_void) -> bool {
    static ADDRESSES: OnceLock<Vec<usize>> = OnceLock::new();
    static VARIABLE: OnceLock<Option<usize>> = OnceLock::new();
    let Some(host) = Host::get() else { return false };
    let address = buffer.addr();
    if address == host.abi().in_place {
        return true;
    }
    let objects = || IN_PLACE_OBJECTS.iter().filter_map(|name| host.object(name)).collect::<Vec<_>>();
    if ADDRESSES.get_or_init(objects).contains(&address) {
        return true;
    }
    let Some(variable) = *VARIABLE.get_or_init(|| host.object(IN_PLACE_POINTER)) else { return false };
    let at = std::ptr::with_exposed_provenance::<usize>(variable);
    // SAFETY: the library defines this variable as a pointer, and is never unloaded.
    address != 0 && unsafe { at.read() } == address
}
