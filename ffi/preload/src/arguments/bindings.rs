//! The calling conventions of C and Fortran for MPI arguments.

use std::ffi::{c_int, c_void};
use std::fmt::Debug;

use mpit::object::Bind;
use mpit_ffi::abi::Handle;
use mpit_ffi::fortran;
use mpit_ffi::host::Host;

/// The form in which a function takes its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    C,
    /// Functions whose names end in `_c`: counts have 64 bits.
    LargeC,
    /// Functions of extensions, `MPIX_`.
    ExtensionC,
    /// `use mpi` and `mpif.h`: all arguments are addresses.
    Fortran,
    /// `use mpi_f08`.
    FortranF08,
    /// Functions whose names end in `_f08ts`: buffers have descriptors (TS 29113).
    FortranTs,
    /// Functions whose names end in `_c_f08`: counts have 64 bits.
    LargeFortran,
    /// Functions whose names end in `_c_f08ts`.
    LargeFortranTs,
}

impl Form {
    pub(crate) const fn is_fortran(self) -> bool {
        !matches!(self, Self::C | Self::LargeC | Self::ExtensionC)
    }

    /// Returns true if counts have 64 bits, also in arrays.
    const fn is_large(self) -> bool {
        matches!(self, Self::LargeC | Self::LargeFortran | Self::LargeFortranTs)
    }

    const fn has_descriptors(self) -> bool {
        matches!(self, Self::FortranTs | Self::LargeFortranTs)
    }

    /// Reads a handle of an object of a kind from an array of the program.
    ///
    /// # Safety
    ///
    /// `at` is an array of more than `index` handles. In C it may be null.
    pub(crate) unsafe fn handle_at(self, kind: Bind, at: *const c_void, index: usize) -> Handle {
        if self.is_fortran() {
            // SAFETY: `at` is an array with this element (condition of this function).
            fortran::handle(kind, unsafe { integer(at, index) }).unwrap_or(0)
        } else {
            // SAFETY: `at` is null or an array with this element (condition of this function).
            unsafe { element(kind, at, index) }
        }
    }

    /// Returns a count of an array of the program.
    ///
    /// # Safety
    ///
    /// `at` is an array of more than `index` counts.
    pub(super) unsafe fn count_at(self, at: *const c_void, index: usize) -> i64 {
        if self.is_large() {
            // SAFETY: `at` is an array of more than `index` counts of 64 bits (condition of this function).
            unsafe { at.cast::<i64>().wrapping_add(index).read_unaligned() }
        } else {
            // SAFETY: `at` is an array of more than `index` integers (condition of this function).
            unsafe { integer(at, index) }.into()
        }
    }
}

/// A calling convention: the types of MPI arguments and their conversion.
pub(crate) trait Binding: Copy + Debug + 'static {
    type Int: Copy;
    /// An `int` or an `MPI_Count`.
    type Count: Copy;
    /// An `MPI_Aint` or an `MPI_Count`, both of 64 bits.
    type Wide: Copy;
    type Object: Copy;
    type Address: Copy;

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

    fn address(raw: Self::Address) -> *const c_void;

    /// Returns the form of the call.
    fn form(raw: Self::Address) -> Form;

    /// Returns true if a buffer is `MPI_IN_PLACE`.
    ///
    /// # Safety
    ///
    /// `buffer` is a parameter of the call in progress.
    unsafe fn is_in_place(buffer: Self::Address) -> bool;

    /// Returns true if a buffer is `MPI_IN_PLACE`; `None` if that requires a lookup.
    ///
    /// # Safety
    ///
    /// `buffer` is a parameter of the call in progress.
    unsafe fn is_in_place_without_lookup(buffer: Self::Address) -> Option<bool>;
}

/// The convention of C with `int` counts: arguments are in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct C;

impl Binding for C {
    type Int = c_int;
    type Count = c_int;
    type Wide = i64;
    type Object = Handle;
    type Address = *const c_void;

    #[inline]
    unsafe fn int(raw: c_int) -> c_int {
        raw
    }
    #[inline]
    unsafe fn count(raw: c_int) -> i64 {
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
    #[inline]
    fn address(raw: *const c_void) -> *const c_void {
        raw
    }
    #[inline]
    fn form(_raw: *const c_void) -> Form {
        Form::C
    }
    unsafe fn is_in_place(buffer: *const c_void) -> bool {
        buffer.addr() == mpit_ffi::abi().in_place
    }
    #[inline]
    unsafe fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
        // The constant is 1 or the highest address in all libraries. The address of a buffer is greater than 1 and in the lower half;
        // that both of two are is one comparison.
        if buffer.addr().wrapping_sub(2).cast_signed() >= 0 { Some(false) } else { None }
    }
}

/// The convention of Fortran with `int` counts: arguments are addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fortran;

impl Binding for Fortran {
    type Int = *const c_int;
    type Count = *const c_int;
    type Wide = *const i64;
    type Object = *const c_int;
    type Address = *const c_void;

    #[inline]
    unsafe fn int(raw: *const c_int) -> c_int {
        // SAFETY: Fortran passes the address of each argument.
        unsafe { raw.read() }
    }
    #[inline]
    unsafe fn count(raw: *const c_int) -> i64 {
        // SAFETY: Fortran passes the address of each argument.
        i64::from(unsafe { raw.read() })
    }
    #[inline]
    unsafe fn wide(raw: *const i64) -> i64 {
        // SAFETY: Fortran passes the address of each argument, here of an integer of 8 bytes.
        unsafe { raw.read_unaligned() }
    }
    #[inline]
    unsafe fn handle(kind: Bind, raw: *const c_int) -> Handle {
        // SAFETY: Fortran passes the address of each argument, here of one handle.
        fortran::handle(kind, unsafe { raw.read() }).unwrap_or(0)
    }
    #[inline]
    fn address(raw: *const c_void) -> *const c_void {
        raw
    }
    #[inline]
    fn form(_raw: *const c_void) -> Form {
        Form::Fortran
    }
    unsafe fn is_in_place(buffer: *const c_void) -> bool {
        fortran::is_in_place(buffer)
    }
    unsafe fn is_in_place_without_lookup(buffer: *const c_void) -> Option<bool> {
        // The constant of Fortran may have any address.
        Some(fortran::is_in_place(buffer))
    }
}

/// The convention of a call whose form is known when it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Any;

/// An argument as the program passed it in a register or on the stack. If it is an integer of 32 bits, the upper half is undefined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(super) value: usize,
    pub(super) form: Form,
}

impl Word {
    /// Describes an argument.
    ///
    /// # Safety
    ///
    /// It is a parameter of the call in progress, of a function with this form.
    pub(crate) unsafe fn new(value: usize, form: Form) -> Self {
        Self { value, form }
    }

    fn address(self) -> *const c_void {
        std::ptr::with_exposed_provenance(self.value)
    }

    /// Returns the integer that the argument is.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the upper half of a narrow argument is undefined")]
    pub(crate) fn int(self) -> c_int {
        if self.form.is_fortran() {
            // SAFETY: a parameter of the call in progress (condition of `new`), for which Fortran passes the address.
            unsafe { integer(self.address(), 0) }
        } else {
            self.value as c_int
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the upper half of a narrow argument is undefined")]
impl Binding for Any {
    type Int = Word;
    type Count = Word;
    type Wide = Word;
    type Object = Word;
    type Address = Word;

    #[inline(never)]
    unsafe fn int(raw: Word) -> c_int {
        raw.int()
    }
    #[inline(never)]
    unsafe fn count(raw: Word) -> i64 {
        match (raw.form.is_fortran(), raw.form.is_large()) {
            // SAFETY: Fortran passes the address of each argument, here of a count.
            (true, _) => unsafe { raw.form.count_at(raw.address(), 0) },
            (false, true) => raw.value.cast_signed() as i64,
            (false, false) => i64::from(raw.value as c_int),
        }
    }
    unsafe fn wide(raw: Word) -> i64 {
        if raw.form.is_fortran() {
            // SAFETY: Fortran passes the address of each argument, here of an integer of 8 bytes.
            unsafe { raw.address().cast::<i64>().read_unaligned() }
        } else {
            raw.value.cast_signed() as i64
        }
    }
    #[inline(never)]
    unsafe fn handle(kind: Bind, raw: Word) -> Handle {
        if raw.form.is_fortran() {
            // SAFETY: Fortran passes the address of each argument, here of one handle.
            unsafe { raw.form.handle_at(kind, raw.address(), 0) }
        } else {
            raw.value
        }
    }
    fn address(raw: Word) -> *const c_void {
        raw.address()
    }
    fn form(raw: Word) -> Form {
        raw.form
    }
    unsafe fn is_in_place(buffer: Word) -> bool {
        if !buffer.form.is_fortran() {
            // SAFETY: a parameter of the call in progress (condition of this function).
            return unsafe { C::is_in_place(buffer.address()) };
        }
        if !buffer.form.has_descriptors() || buffer.value == 0 {
            return fortran::is_in_place(buffer.address());
        }
        // SAFETY: not null (checked), so it is a descriptor, which begins with the address of the buffer.
        fortran::is_in_place(unsafe { buffer.address().cast::<*const c_void>().read() })
    }
    unsafe fn is_in_place_without_lookup(buffer: Word) -> Option<bool> {
        if buffer.form.is_fortran() {
            // The constant of Fortran may have any address.
            // SAFETY: `buffer` is a parameter of the call in progress (condition of this function).
            return Some(unsafe { Self::is_in_place(buffer) });
        }
        // SAFETY: a parameter of the call in progress (condition of this function).
        unsafe { C::is_in_place_without_lookup(buffer.address()) }
    }
}

/// Returns a handle of an array of the program; 0 if there is no array.
///
/// # Safety
///
/// `at` is null or an array of more than `index` handles.
unsafe fn element(kind: Bind, at: *const c_void, index: usize) -> Handle {
    let Some(abi) = Host::get().map(Host::abi) else { return 0 };
    if at.is_null() {
        return 0;
    }
    if kind == Bind::File {
        // SAFETY: `at` is not null (checked), so it is an array of more than `index` files, which are as wide as pointers in all flavors.
        return unsafe { at.cast::<Handle>().wrapping_add(index).read_unaligned() };
    }
    // SAFETY: `at` is not null (checked), so it is an array of more than `index` handles.
    unsafe { abi.load_handle(at.wrapping_byte_add(index * abi.handle_width())) }
}

/// Returns an integer of an array of the program.
///
/// # Safety
///
/// `at` is an array of more than `index` integers.
unsafe fn integer(at: *const c_void, index: usize) -> c_int {
    // SAFETY: `at` is an array of more than `index` integers.
    unsafe { at.cast::<c_int>().wrapping_add(index).read() }
}
