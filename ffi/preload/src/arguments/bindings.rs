//! The calling conventions of C and Fortran for MPI arguments.

use std::ffi::{c_int, c_void};
use std::fmt::Debug;

use mpit::object::Bind;
use mpit_ffi::abi::Handle;
use mpit_ffi::fortran;
use mpit_ffi::host::Host;

/// A calling convention: the types of MPI arguments and their conversion.
pub(crate) trait Binding: Copy + Debug + 'static {
    type Int: Copy;
    /// An `int` or an `MPI_Count`.
    type Count: Copy;
    /// An `MPI_Aint` or an `MPI_Count`, both of 64 bits.
    type Wide: Copy;
    type Object: Copy;

    /// True if counts in arrays have 64 bits.
    const WIDE: bool;

    fn int(raw: Self::Int) -> c_int;
    fn count(raw: Self::Count) -> i64;
    fn wide(raw: Self::Wide) -> i64;
    /// Converts a handle of an object of this kind. The upper half of a narrow handle is undefined.
    fn handle(kind: Bind, raw: Self::Object) -> Handle;
    /// Reads a handle of an object of this kind from an array of the program.
    fn handle_at(kind: Bind, at: *const c_void, index: usize) -> Handle;
    fn is_in_place(buffer: *const c_void) -> bool;
    /// Returns true if a buffer is `MPI_IN_PLACE`; `None` if that requires a lookup.
    fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool>;
}

/// The convention of C.
#[derive(Clone, Copy, Debug)]
pub(crate) struct C;

/// The convention of C in functions whose names end in `_c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeC;

/// The convention of Fortran, which passes addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fortran;

/// The convention of Fortran in functions whose names end in `_f08ts`: buffers have descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FortranTs;

/// The convention of Fortran in functions whose names end in `_c_f08`: counts have 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeFortran;

/// The convention of Fortran in functions whose names end in `_c_f08ts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeFortranTs;

macro_rules! c {
    ($binding:ident, $count:ty, $wide:literal) => {
        impl Binding for $binding {
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
            fn handle(_kind: Bind, raw: Handle) -> Handle {
                raw
            }
            fn handle_at(_kind: Bind, at: *const c_void, index: usize) -> Handle {
                element(at, index)
            }
            fn is_in_place(buffer: *const c_void) -> bool {
                buffer.addr() == mpit_ffi::abi().in_place
            }
            #[inline]
            fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
                // The constant is 1 or the highest address in all libraries, and no buffer has such an address.
                if buffer.addr().wrapping_add(1) > 2 { Some(false) } else { None }
            }
        }
    };
}

c!(C, c_int, false);
c!(LargeC, i64, true);

/// Returns a handle of an array of the program; 0 if there is no array.
fn element(at: *const c_void, index: usize) -> Handle {
    let Some(abi) = Host::get().map(Host::abi) else { return 0 };
    if at.is_null() {
        return 0;
    }
    // SAFETY: `at` is not null (checked), and the standard requires the program to pass an array of at least
    // `index` + 1 handles.
    unsafe { abi.load_handle(at.wrapping_byte_add(index * abi.handle_width())) }
}

/// Returns an integer of an array of the program.
pub(super) fn integer(at: *const c_void, index: usize) -> c_int {
    // SAFETY: Fortran passes the address of each argument, and the standard requires at least `index` + 1 integers there.
    unsafe { at.cast::<c_int>().wrapping_add(index).read() }
}

macro_rules! fortran {
    ($binding:ident, $count:ty, $wide:literal, $address:ident) => {
        impl Binding for $binding {
            type Int = *const c_int;
            type Count = *const $count;
            type Wide = *const i64;
            type Object = *const c_int;
            const WIDE: bool = $wide;

            fn int(raw: *const c_int) -> c_int {
                integer(raw.cast(), 0)
            }
            fn count(raw: *const $count) -> i64 {
                // SAFETY: Fortran passes the address of each argument, here of an integer of this kind.
                unsafe { raw.read_unaligned() }.into()
            }
            fn wide(raw: *const i64) -> i64 {
                // SAFETY: Fortran passes the address of each argument, here of an integer of 8 bytes.
                unsafe { raw.read() }
            }
            fn handle(kind: Bind, raw: *const c_int) -> Handle {
                Self::handle_at(kind, raw.cast(), 0)
            }
            fn handle_at(kind: Bind, at: *const c_void, index: usize) -> Handle {
                fortran::handle(kind, integer(at, index)).unwrap_or(0)
            }
            fn is_in_place(buffer: *const c_void) -> bool {
                fortran::is_in_place($address(buffer))
            }
            fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
                // The constant of Fortran may have any address.
                Some(fortran::is_in_place($address(buffer)))
            }
        }
    };
}

/// Returns the address of a buffer that is passed by its address.
fn direct(buffer: *const c_void) -> *const c_void {
    buffer
}

/// Returns the address of a buffer that is passed by a descriptor (TS 29113); the address is its first member.
fn described(buffer: *const c_void) -> *const c_void {
    if buffer.is_null() {
        return buffer;
    }
    // SAFETY: the names of these functions end in `ts`, so the compiler passes a descriptor.
    unsafe { buffer.cast::<*const c_void>().read() }
}

fortran!(Fortran, c_int, false, direct);
fortran!(FortranTs, c_int, false, described);
fortran!(LargeFortran, i64, true, direct);
fortran!(LargeFortranTs, i64, true, described);
