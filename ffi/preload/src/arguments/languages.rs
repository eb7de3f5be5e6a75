//! How C and Fortran pass arguments, and what they mean there.

use std::ffi::{c_int, c_void};
use std::fmt::Debug;

use mpit::words::Bind;
use mpit_ffi::abi::Handle;
use mpit_ffi::fortran;
use mpit_ffi::host::Host;

/// How a language passes arguments, and what they mean there.
pub(crate) trait Language: Copy + Debug + 'static {
    /// An `int`.
    type Int: Copy;
    /// A count: an `int`, or an `MPI_Count`.
    type Count: Copy;
    /// An `MPI_Aint` or an `MPI_Count`, which are of 64 bits.
    type Wide: Copy;
    /// A handle.
    type Object: Copy;

    /// Whether counts in arrays are of 64 bits.
    const WIDE: bool;

    fn int(raw: Self::Int) -> c_int;
    fn count(raw: Self::Count) -> i64;
    fn wide(raw: Self::Wide) -> i64;
    /// A communicator, perhaps with rubbish beside a narrow handle.
    fn comm(raw: Self::Object) -> Handle;
    /// A datatype, likewise.
    fn datatype(raw: Self::Object) -> Handle;
    /// A window, likewise.
    fn win(raw: Self::Object) -> Handle;
    /// A reduction operation, likewise.
    fn op(raw: Self::Object) -> Handle;
    /// A communicator in a variable of the program's.
    fn comm_at(at: *const c_void) -> Handle;
    /// A window in a variable of the program's.
    fn win_at(at: *const c_void) -> Handle;
    /// A datatype in an array of the program's.
    fn datatype_at(at: *const c_void, index: usize) -> Handle;
    /// A request in an array of the program's.
    fn request_at(at: *const c_void, index: usize) -> Handle;
    /// An error handler, a group, an info object or an operation in a variable of the program's.
    fn handle_at(kind: Bind, at: *const c_void) -> Handle;
    fn is_in_place(buffer: *const c_void) -> bool;
    /// The same; `None` where it would have to be looked up.
    fn is_in_place_at_a_glance(buffer: *const c_void) -> Option<bool>;
}

/// C.
#[derive(Clone, Copy, Debug)]
pub(crate) struct C;

/// C, in the functions whose names end in `_c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeC;

/// Fortran, which passes addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fortran;

/// Fortran, in the functions whose names end in `_f08ts`: buffers have descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FortranTs;

/// Fortran, in the functions whose names end in `_c_f08`: counts are of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeFortran;

/// Fortran, in the functions whose names end in `_c_f08ts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeFortranTs;

macro_rules! c {
    ($language:ident, $count:ty, $wide:literal) => {
        impl Language for $language {
            type Int = c_int;
            type Count = $count;
            type Wide = i64;
            type Object = Handle;
            const WIDE: bool = $wide;

            #[inline]
            fn int(raw: c_int) -> c_int {
                raw
            }
            #[inline]
            fn count(raw: $count) -> i64 {
                i64::from(raw)
            }
            #[inline]
            fn wide(raw: i64) -> i64 {
                raw
            }
            #[inline]
            fn comm(raw: Handle) -> Handle {
                raw
            }
            #[inline]
            fn datatype(raw: Handle) -> Handle {
                raw
            }
            #[inline]
            fn win(raw: Handle) -> Handle {
                raw
            }
            #[inline]
            fn op(raw: Handle) -> Handle {
                raw
            }
            fn comm_at(at: *const c_void) -> Handle {
                element(at, 0)
            }
            fn win_at(at: *const c_void) -> Handle {
                element(at, 0)
            }
            fn datatype_at(at: *const c_void, index: usize) -> Handle {
                element(at, index)
            }
            fn request_at(at: *const c_void, index: usize) -> Handle {
                element(at, index)
            }
            fn handle_at(_kind: Bind, at: *const c_void) -> Handle {
                element(at, 0)
            }
            fn is_in_place(buffer: *const c_void) -> bool {
                buffer.addr() == mpit_ffi::abi().in_place
            }
            #[inline]
            fn is_in_place_at_a_glance(buffer: *const c_void) -> Option<bool> {
                // In every library it is 1 or the highest number, where no memory is.
                (buffer.addr().wrapping_add(1) > 2).then_some(false)
            }
        }
    };
}

c!(C, c_int, false);
c!(LargeC, i64, true);

/// A handle of an array of the program's; 0 where there is no array.
fn element(at: *const c_void, index: usize) -> Handle {
    let Some(abi) = Host::get().map(Host::abi) else { return 0 };
    if at.is_null() {
        return 0;
    }
    // SAFETY: the standard has the program pass an array of so many handles.
    unsafe { abi.load_handle(at.wrapping_byte_add(index * abi.handle_width())) }
}

/// An integer of an array of the program's.
pub(super) fn integer(at: *const c_void, index: usize) -> c_int {
    // SAFETY: Fortran passes the address of each argument, and the standard has it hold so many integers.
    unsafe { at.cast::<c_int>().wrapping_add(index).read() }
}

macro_rules! fortran {
    ($language:ident, $count:ty, $wide:literal, $address:ident) => {
        impl Language for $language {
            type Int = *const c_int;
            type Count = *const $count;
            type Wide = *const i64;
            type Object = *const c_int;
            const WIDE: bool = $wide;

            fn int(raw: *const c_int) -> c_int {
                integer(raw.cast(), 0)
            }
            fn count(raw: *const $count) -> i64 {
                // SAFETY: Fortran passes the address of each argument.
                unsafe { raw.read_unaligned() }.into()
            }
            fn wide(raw: *const i64) -> i64 {
                // SAFETY: Fortran passes the address of each argument.
                unsafe { raw.read() }
            }
            fn comm(raw: *const c_int) -> Handle {
                fortran::comm(integer(raw.cast(), 0)).unwrap_or(0)
            }
            fn datatype(raw: *const c_int) -> Handle {
                fortran::datatype(integer(raw.cast(), 0)).unwrap_or(0)
            }
            fn win(raw: *const c_int) -> Handle {
                fortran::win(integer(raw.cast(), 0)).unwrap_or(0)
            }
            fn op(raw: *const c_int) -> Handle {
                fortran::op(integer(raw.cast(), 0)).unwrap_or(0)
            }
            fn comm_at(at: *const c_void) -> Handle {
                fortran::comm(integer(at, 0)).unwrap_or(0)
            }
            fn win_at(at: *const c_void) -> Handle {
                fortran::win(integer(at, 0)).unwrap_or(0)
            }
            fn datatype_at(at: *const c_void, index: usize) -> Handle {
                fortran::datatype(integer(at, index)).unwrap_or(0)
            }
            fn request_at(at: *const c_void, index: usize) -> Handle {
                fortran::request(integer(at, index)).unwrap_or(0)
            }
            fn handle_at(kind: Bind, at: *const c_void) -> Handle {
                fortran::handle(kind, integer(at, 0)).unwrap_or(0)
            }
            fn is_in_place(buffer: *const c_void) -> bool {
                fortran::is_in_place($address(buffer))
            }
            fn is_in_place_at_a_glance(buffer: *const c_void) -> Option<bool> {
                // It may be any address.
                Some(fortran::is_in_place($address(buffer)))
            }
        }
    };
}

/// The address of a buffer that is passed as its address.
fn direct(buffer: *const c_void) -> *const c_void {
    buffer
}

/// The address of a buffer that is passed by a descriptor (TS 29113), which begins with it.
fn described(buffer: *const c_void) -> *const c_void {
    if buffer.is_null() {
        return buffer;
    }
    // SAFETY: the function's name says that the compiler passes a descriptor there.
    unsafe { buffer.cast::<*const c_void>().read() }
}

fortran!(Fortran, c_int, false, direct);
fortran!(FortranTs, c_int, false, described);
fortran!(LargeFortran, i64, true, direct);
fortran!(LargeFortranTs, i64, true, described);
