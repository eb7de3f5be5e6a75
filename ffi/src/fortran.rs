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

/// Returns the conversion for a kind of object; `None` for kinds that are not listed here.
#[inline]
fn conversion(kind: Bind) -> Option<&'static Conversion> {
    macro_rules! listed {
        ($($kind:ident: $f2c:ident $from_int:ident;)+) => {
            match kind {
                $(Bind::$kind => {
                    static CONVERSION: Conversion = Conversion {
                        f2c: Function::new(concat!("P", stringify!($f2c), "\0")),
                        from_int: Function::new(concat!("P", stringify!($from_int), "\0")),
                    };
                    Some(&CONVERSION)
                })+
                _ => None,
            }
        };
    }
    listed! {
        Comm: MPI_Comm_f2c MPI_Comm_fromint;
        Datatype: MPI_Type_f2c MPI_Type_fromint;
        Errhandler: MPI_Errhandler_f2c MPI_Errhandler_fromint;
        Group: MPI_Group_f2c MPI_Group_fromint;
        Info: MPI_Info_f2c MPI_Info_fromint;
        Op: MPI_Op_f2c MPI_Op_fromint;
        Request: MPI_Request_f2c MPI_Request_fromint;
        Win: MPI_Win_f2c MPI_Win_fromint;
    }
}

impl Conversion {
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
pub fn handle(kind: Bind, fortran: c_int) -> Option<Handle> {
    conversion(kind)?.handle(fortran)
}

/// Returns true if a buffer is `MPI_IN_PLACE` of Fortran or C: some Fortran interfaces convert it before they call C.
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
