//! Tests if a handle that a tool passes is that of an existing object, without the library's error handlers.
//!
//! MPI libraries call the error handler of `MPI_COMM_WORLD` or `MPI_COMM_SELF` for an invalid communicator, and crash for other
//! invalid handles or accept them. So the handle is compared with what is known of the library's objects:
//!
//! - Open MPI's objects begin with the address of their class and a reference count, which is 0 or overwritten once an object is freed.
//!   Requests and messages return to lists of free objects, where they look like live ones.
//! - MPICH's handles contain the kind of object. With the standard ABI they are pointers to objects, which begin with that number and a
//!   reference count; windows and info objects have no count. Otherwise, only communicators can be queried, and windows are known
//!   from the calls that create and free them; a freed object of another kind is not recognized.
//! - Files of MPICH are pointers to objects of ROMIO, which begin with a magic number, also in memory that was freed: the calls
//!   that close files are noted.
//!
//! Memory is read through the kernel, so an address that is not mapped is no error.

use std::ffi::c_void;

use mpit::object::Bind;

use crate::abi::{Abi, Handle};
use crate::comms::COMMS;
use crate::host::{Host, mpi, p2p};
use crate::windows::{self, WINDOWS};
use crate::{files, probe, sessions};

/// The first address that may be that of an object. Predefined handles of the standard ABI are below.
const FIRST_ADDRESS: Handle = 4096;

/// The first word of ROMIO's files.
const ROMIO_FILE: u32 = 2_487_376;

/// Returns false if no object of this kind has the handle at present, as far as that can be determined.
pub(crate) fn may_exist(kind: Bind, handle: Handle) -> bool {
    let Some(host) = Host::get() else { return true };
    let abi = host.abi();
    let is_known = match kind {
        Bind::NoObject => true,
        Bind::Comm => handle == abi.comm_world || handle == abi.comm_self || COMMS.get(handle).is_some(),
        Bind::Win => WINDOWS.get(handle).is_some(),
        _ => false,
    };
    if is_known || abi.is_null(kind, handle) {
        return is_known;
    }
    if abi.quirks.objects_have_classes {
        is_open_mpi_object(host, kind, handle)
    } else if abi.narrow_handles {
        is_narrow_handle(abi, kind, handle)
    } else if handle < FIRST_ADDRESS {
        is_predefined_in_standard_abi(abi, kind, handle)
    } else {
        // The objects of other libraries with the standard ABI are not known, and their handles may be numbers.
        !host.is_mpich() || is_mpich_object(kind, handle)
    }
}

/// Returns the first two words of four bytes at an address; `None` if it is not aligned or cannot be read.
fn first_words(address: Handle) -> Option<[u32; 2]> {
    let [first] = words(address)?;
    Some([first as u32, (first >> 32) as u32])
}

/// Returns words of eight bytes at an address; `None` if it is not aligned or cannot be read.
fn words<const N: usize>(address: Handle) -> Option<[u64; N]> {
    if address < FIRST_ADDRESS || !address.is_multiple_of(align_of::<u64>()) {
        return None;
    }
    let mut words = [0; N];
    for (at, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; size_of::<u64>()];
        let from = std::ptr::with_exposed_provenance::<c_void>(address).wrapping_byte_add(at * bytes.len());
        // SAFETY: where the kernel refuses to look, the tool has passed an address that can be read: it names an object to a function
        // of MPI_T, for which the standard requires that it exists.
        if !unsafe { probe::read(from, &mut bytes) } {
            return None;
        }
        *word = u64::from_ne_bytes(bytes);
    }
    Some(words)
}

/// Returns true for a readable object with a reference count whose class is that of the kind, or is derived from it.
fn is_open_mpi_object(host: &Host, kind: Bind, handle: Handle) -> bool {
    /// Enough for the classes of requests, which have the most bases.
    const MAX_BASES: usize = 8;
    let Some([mut class, count]) = words(handle) else { return false };
    // Before MPI is initialized, objects have no class.
    if !sessions::is_mpi_active() {
        return true;
    }
    if count as u32 as i32 <= 0 {
        return false;
    }
    let Some(wanted) = open_mpi_class(kind).and_then(|name| host.object(name)) else { return true };
    for _ in 0..MAX_BASES {
        if class == wanted as u64 {
            return true;
        }
        // A class begins with its name and its base.
        let Some([_, base]) = words(class as Handle) else { return false };
        class = base;
    }
    false
}

/// Returns the variable that is the class of a kind of objects.
fn open_mpi_class(kind: Bind) -> Option<&'static str> {
    Some(match kind {
        Bind::Comm => "ompi_communicator_t_class",
        Bind::Datatype => "opal_datatype_t_class",
        Bind::Errhandler => "ompi_errhandler_t_class",
        Bind::File => "ompi_file_t_class",
        Bind::Group => "ompi_group_t_class",
        Bind::Op => "ompi_op_t_class",
        Bind::Request => "ompi_request_t_class",
        Bind::Win => "ompi_win_t_class",
        Bind::Message => "ompi_message_t_class",
        Bind::Info => "ompi_info_t_class",
        Bind::Session => "ompi_instance_t_class",
        _ => return None,
    })
}

/// Returns true if MPICH's number may be that of an object.
fn is_narrow_handle(abi: &Abi, kind: Bind, handle: Handle) -> bool {
    match kind {
        Bind::File => is_romio_file(handle),
        // The library does not recognize a window that was freed.
        Bind::Win => windows::is_noted(handle),
        Bind::Comm => is_mpich_communicator(abi, handle),
        _ => is_mpich_number(kind, handle),
    }
}

/// Returns true if the word at an address is a number of the kind, followed by a reference count.
fn is_mpich_object(kind: Bind, handle: Handle) -> bool {
    if kind == Bind::File {
        return is_romio_file(handle);
    }
    let Some([number, count]) = first_words(handle) else { return false };
    // The numbers of predefined objects begin with 1; they have no pointers.
    if number >> 30 == 1 || !is_mpich_number(kind, number as Handle) {
        return false;
    }
    match kind {
        Bind::Win => windows::is_noted(handle),
        // These are not counted.
        Bind::Info => true,
        _ => count.cast_signed() > 0,
    }
}

/// Returns true for MPICH's number of an object of the kind.
fn is_mpich_number(kind: Bind, number: Handle) -> bool {
    let of_kind = match kind {
        Bind::Comm => 1,
        Bind::Group => 2,
        Bind::Datatype => 3,
        Bind::Errhandler => 5,
        Bind::Op => 6,
        Bind::Info => 7,
        Bind::Win => 8,
        Bind::Request | Bind::Message => 11,
        Bind::Session => 14,
        _ => return false,
    };
    // The two bits above are 0 for null handles only.
    number >> 30 != 0 && number >> 26 & 0xf == of_kind
}

/// Returns true if the library confirms a communicator by its number.
fn is_mpich_communicator(abi: &Abi, handle: Handle) -> bool {
    /// The upper bits of the numbers of predefined objects, and of objects in the library's first array.
    const PREDEFINED: Handle = 1;
    const IN_FIRST_ARRAY: Handle = 2;
    /// The length of the first array, beyond which the library reads without a check.
    const FIRST_ARRAY_LEN: Handle = 8;
    let is_in_range = match handle >> 30 {
        // `MPI_COMM_WORLD` and `MPI_COMM_SELF` are known.
        PREDEFINED => false,
        IN_FIRST_ARRAY => handle & 0x3ff_ffff < FIRST_ARRAY_LEN,
        _ => true,
    };
    if !is_mpich_number(Bind::Comm, handle) || !is_in_range {
        return false;
    }
    // Without `MPI_COMM_WORLD`, errors of such queries end the program, so the tool is trusted.
    if !mpi::has_world() {
        return true;
    }
    // SAFETY: the library checks the handle, whose number is in the range of its arrays, and `value` passes a local variable.
    let query = || mpi::value(|inter| unsafe { mpi::comm_test_inter(handle, inter) });
    returning_errors(abi, query).is_some()
}

/// Calls `query` while errors that belong to no object of the program return. In MPICH they belong to `MPI_COMM_WORLD` or to
/// `MPI_COMM_SELF`, by its version. An error that another thread makes at the same time returns as well.
fn returning_errors<R>(abi: &Abi, query: impl FnOnce() -> R) -> R {
    let comms = [abi.comm_world, abi.comm_self];
    let before = comms.map(|comm| {
        // SAFETY: MPI is initialized, so both communicators exist, and `handle` passes space for a handle.
        mpi::handle(abi, |handler| unsafe { mpi::comm_get_errhandler(comm, handler) })
    });
    for comm in comms {
        if let Some(handler) = abi.errors_return {
            // SAFETY: the communicator exists, and the handler is predefined.
            unsafe { p2p::comm_set_errhandler(comm, handler) };
        }
    }
    let result = query();
    for (comm, handler) in comms.into_iter().zip(before) {
        if let Some(handler) = handler {
            // SAFETY: the communicator exists, and the library returned the handler, to be freed.
            unsafe { p2p::comm_set_errhandler(comm, handler) };
            let mut handler = handler as u64;
            // SAFETY: the library returned the handler, to be freed. A `u64` has space for a handle of either width.
            unsafe { mpi::errhandler_free((&raw mut handler).cast()) };
        }
    }
    result
}

/// Returns true for a predefined handle of the kind in the standard ABI, where a kind has a range that begins with its null handle.
fn is_predefined_in_standard_abi(abi: &Abi, kind: Bind, handle: Handle) -> bool {
    let range = match kind {
        Bind::Datatype => 512,
        Bind::Op => 32,
        // `MPI_COMM_WORLD` and `MPI_COMM_SELF` are known.
        Bind::Comm | Bind::NoObject => return false,
        _ => 8,
    };
    (abi.null(kind)..abi.null(kind) + range).contains(&handle)
}

/// Returns true for an open file of ROMIO.
fn is_romio_file(handle: Handle) -> bool {
    !files::is_closed(handle) && first_words(handle).is_some_and(|[magic, _]| magic == ROMIO_FILE)
}

#[cfg(test)]
mod tests {
    use mpit::object::Bind;

    use super::{is_mpich_number, is_predefined_in_standard_abi, words};
    use crate::abi::{mpich, standard};

    #[test]
    fn numbers_have_kinds() {
        let abi = mpich(0);
        for kind in Bind::ALL.iter().copied().filter(|kind| !matches!(kind, Bind::NoObject | Bind::File)) {
            let null = abi.null(kind);
            assert!(!is_mpich_number(kind, null) && is_mpich_number(kind, null | 2 << 30), "{kind:?}");
            assert!(!is_mpich_number(kind, 0x4000_0000), "{kind:?}");
        }
        assert!(is_mpich_number(Bind::Comm, abi.comm_world) && !is_mpich_number(Bind::Win, abi.comm_world));
        assert!(is_mpich_number(Bind::Op, abi.no_op));
    }

    #[test]
    fn predefined_handles_have_kinds() {
        let abi = standard();
        assert!(is_predefined_in_standard_abi(&abi, Bind::Op, abi.no_op));
        assert!(is_predefined_in_standard_abi(&abi, Bind::Info, 305));
        assert!(is_predefined_in_standard_abi(&abi, Bind::Errhandler, 323));
        assert!(is_predefined_in_standard_abi(&abi, Bind::Datatype, 532));
        for kind in Bind::ALL.iter().copied() {
            assert!(!is_predefined_in_standard_abi(&abi, kind, 1), "{kind:?}");
            assert!(!is_predefined_in_standard_abi(&abi, kind, abi.comm_world), "{kind:?}");
        }
    }

    #[test]
    fn only_aligned_memory_is_read() {
        let memory = [7_u64, 8];
        let address = memory.as_ptr().expose_provenance();
        assert_eq!(words(address), Some(memory));
        for address in [0, 1, 4095, address + 1, 0xdead_0000_beef, usize::MAX - 7] {
            assert_eq!(words::<1>(address), None, "{address:#x}");
        }
    }
}
