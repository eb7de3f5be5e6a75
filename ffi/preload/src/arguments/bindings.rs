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

    /// Converts an integer.
    ///
    /// # Safety
    ///
    /// `raw` is a parameter of the call in progress.
    unsafe fn int(raw: Self::Int) -> c_int;

    /// Converts a number of elements.
    ///
    /// # Safety
    ///
    /// `raw` is a parameter of the call in progress.
    unsafe fn count(raw: Self::Count) -> i64;

    /// Converts an integer of 64 bits.
    ///
    /// # Safety
    ///
    /// `raw` is a parameter of the call in progress.
    unsafe fn wide(raw: Self::Wide) -> i64;

    /// Converts a handle of an object of this kind. The upper half of a narrow handle is undefined.
    ///
    /// # Safety
    ///
    /// `raw` is a parameter of the call in progress.
    unsafe fn handle(kind: Bind, raw: Self::Object) -> Handle;

    /// Reads a handle of an object of this kind from an array of the program.
    ///
    /// # Safety
    ///
    /// `at` is an array of more than `index` handles. In C it may be null.
    unsafe fn handle_at(kind: Bind, at: *const c_void, index: usize) -> Handle;

    /// Returns true if a buffer is `MPI_IN_PLACE`.
    ///
    /// # Safety
    ///
    /// `buffer` is a parameter of the call in progress.
    unsafe fn is_in_place(buffer: *const c_void) -> bool;

    /// Returns true if a buffer is `MPI_IN_PLACE`; `None` if that requires a lookup.
    ///
    /// # Safety
    ///
    /// `buffer` is a parameter of the call in progress.
    unsafe fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool>;
}

macro_rules! c {
    ($(#[$doc:meta])* $binding:ident, $count:ty, $wide:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $binding;

        impl Binding for $binding {
            type Int = c_int;
            type Count = $count;
            type Wide = i64;
            type Object = Handle;
            const WIDE: bool = $wide;

            #[inline]
            unsafe fn int(raw: c_int) -> c_int {
                raw
            }
            #[inline]
            unsafe fn count(raw: $count) -> i64 {
                i64::from(raw)
            }
            #[inline]
            unsafe fn wide(raw: i64) -> i64 {
                raw
            }
            #[inline]
            unsafe fn handle(_kind: Bind, raw: Handle) -> Handle {
                raw
            }
            unsafe fn handle_at(_kind: Bind, at: *const c_void, index: usize) -> Handle {
                // SAFETY: `at` is null or an array with this element (condition of this function).
                unsafe { element(at, index) }
            }
            unsafe fn is_in_place(buffer: *const c_void) -> bool {
                buffer.addr() == mpit_ffi::abi().in_place
            }
            #[inline]
            unsafe fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
                // The constant is 1 or the highest address in all libraries. The address of a buffer is greater than 1 and in the lower
                // half; that both of two are is one comparison.
                if buffer.addr().wrapping_sub(2).cast_signed() >= 0 { Some(false) } else { None }
            }
        }
    };
}

c!(
    /// The convention of C.
    C, c_int, false
);
c!(
    /// The convention of C in functions whose names end in `_c`.
    LargeC, i64, true
);

/// Returns a handle of an array of the program; 0 if there is no array.
///
/// # Safety
///
/// `at` is null or an array of more than `index` handles.
unsafe fn element(at: *const c_void, index: usize) -> Handle {
    let Some(abi) = Host::get().map(Host::abi) else { return 0 };
    if at.is_null() {
        return 0;
    }
    // SAFETY: `at` is not null (checked), so it is an array of more than `index` handles.
    unsafe { abi.load_handle(at.wrapping_byte_add(index * abi.handle_width())) }
}

/// Returns an integer of an array of the program.
///
/// # Safety
///
/// `at` is an array of more than `index` integers.
pub(super) unsafe fn integer(at: *const c_void, index: usize) -> c_int {
    // SAFETY: `at` is an array of more than `index` integers.
    unsafe { at.cast::<c_int>().wrapping_add(index).read() }
}

macro_rules! fortran {
    ($(#[$doc:meta])* $binding:ident, $count:ty, $wide:literal, $buffer:ident => $address:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $binding;

        impl Binding for $binding {
            type Int = *const c_int;
            type Count = *const $count;
            type Wide = *const i64;
            type Object = *const c_int;
            const WIDE: bool = $wide;

            unsafe fn int(raw: *const c_int) -> c_int {
                // SAFETY: Fortran passes the address of each argument.
                unsafe { integer(raw.cast(), 0) }
            }
            unsafe fn count(raw: *const $count) -> i64 {
                // SAFETY: Fortran passes the address of each argument, here of an integer of this kind.
                unsafe { raw.read_unaligned() }.into()
            }
            unsafe fn wide(raw: *const i64) -> i64 {
                // SAFETY: Fortran passes the address of each argument, here of an integer of 8 bytes.
                unsafe { raw.read() }
            }
            unsafe fn handle(kind: Bind, raw: *const c_int) -> Handle {
                // SAFETY: Fortran passes the address of each argument, here of one handle.
                unsafe { Self::handle_at(kind, raw.cast(), 0) }
            }
            unsafe fn handle_at(kind: Bind, at: *const c_void, index: usize) -> Handle {
                // SAFETY: `at` is an array with this element (condition of this function).
                fortran::handle(kind, unsafe { integer(at, index) }).unwrap_or(0)
            }
            unsafe fn is_in_place($buffer: *const c_void) -> bool {
                fortran::is_in_place($address)
            }
            unsafe fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
                // The constant of Fortran may have any address.
                // SAFETY: `buffer` is a parameter of the call in progress (condition of this function).
                Some(unsafe { Self::is_in_place(buffer) })
            }
        }
    };
}

/// Returns the address of a buffer that is passed by a descriptor (TS 29113); the address is its first member.
///
/// # Safety
///
/// The buffer is null or passed by a descriptor, as in functions whose names end in `ts`.
unsafe fn described(buffer: *const c_void) -> *const c_void {
    if buffer.is_null() {
        return buffer;
    }
    // SAFETY: not null (checked), so it is a descriptor, which begins with the address.
    unsafe { buffer.cast::<*const c_void>().read() }
}

fortran!(
    /// The convention of Fortran, which passes addresses.
    Fortran, c_int, false, buffer => buffer
);
fortran!(
    /// The convention of Fortran in functions whose names end in `_f08ts`: buffers have descriptors.
    FortranTs, c_int, false, buffer => {
        // SAFETY: `buffer` is a parameter of a function whose name ends in `ts`.
        unsafe { described(buffer) }
    }
);
fortran!(
    /// The convention of Fortran in functions whose names end in `_c_f08`: counts have 64 bits.
    LargeFortran, i64, true, buffer => buffer
);
fortran!(
    /// The convention of Fortran in functions whose names end in `_c_f08ts`.
    LargeFortranTs, i64, true, buffer => {
        // SAFETY: `buffer` is a parameter of a function whose name ends in `ts`.
        unsafe { described(buffer) }
    }
);
