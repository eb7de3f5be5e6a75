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

macro_rules! conversions {
    ($($name:ident: $f2c:ident $from_int:ident;)+) => {$(
        static $name: Conversion = Conversion {
            f2c: Function::new(concat!("P", stringify!($f2c), "\0")),
            from_int: Function::new(concat!("P", stringify!($from_int), "\0")),
        };
    )+};
}

conversions! {
    COMM: MPI_Comm_f2c MPI_Comm_fromint;
    DATATYPE: MPI_Type_f2c MPI_Type_fromint;
    ERRHANDLER: MPI_Errhandler_f2c MPI_Errhandler_fromint;
    GROUP: MPI_Group_f2c MPI_Group_fromint;
    INFO: MPI_Info_f2c MPI_Info_fromint;
    OP: MPI_Op_f2c MPI_Op_fromint;
    REQUEST: MPI_Request_f2c MPI_Request_fromint;
    WIN: MPI_Win_f2c MPI_Win_fromint;
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
        // SAFETY: `MPI_*_f2c` and `MPI_*_fromint` take an integer and return a handle, which in these flavors is a pointer.
        let convert = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(c_int) -> Handle>(address)
        };
        // SAFETY: the functions accept any integer.
        Some(abi.clean(unsafe { convert(fortran) }))
    }
}

/// Converts a handle; returns `None` for kinds of objects that are not listed here.
#[inline]
#[must_use]
pub fn handle(kind: Bind, fortran: c_int) -> Option<Handle> {
    let conversion = match kind {
        Bind::Comm => &COMM,
        Bind::Datatype => &DATATYPE,
        Bind::Errhandler => &ERRHANDLER,
        Bind::Group => &GROUP,
        Bind::Info => &INFO,
        Bind::Op => &OP,
        Bind::Request => &REQUEST,
        Bind::Win => &WIN,
        _ => return None,
    };
    conversion.handle(fortran)
}

/// Returns true if a buffer is `MPI_IN_PLACE` of Fortran or C: some Fortran interfaces convert it before they call C.
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
