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
    pub(super) unsafe fn handle_at(self, kind: Bind, at: *const c_void, index: usize) -> Handle {
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

/// An argument as the program passed it in a register or on the stack, and the form of its call. If it is narrower than a register, the
/// upper half is undefined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    value: usize,
    form: Form,
}

#[allow(clippy::cast_possible_truncation, reason = "the upper half of a narrow argument is undefined")]
impl Word {
    /// Describes an argument.
    ///
    /// # Safety
    ///
    /// It is a parameter of the call in progress, of a function with this form.
    #[inline(always)]
    pub(crate) unsafe fn new(value: usize, form: Form) -> Self {
        Self { value, form }
    }

    #[inline(always)]
    pub(super) fn form(self) -> Form {
        self.form
    }

    #[inline(always)]
    pub(crate) fn address(self) -> *const c_void {
        std::ptr::with_exposed_provenance(self.value)
    }

    #[inline(always)]
    pub(crate) fn int(self) -> c_int {
        if !self.form.is_fortran() {
            return self.value as c_int;
        }
        // SAFETY: a parameter of the call in progress (condition of `new`), for which Fortran passes the address.
        unsafe { integer(self.address(), 0) }
    }

    /// Returns the number of elements that the argument is.
    #[inline(always)]
    pub(crate) fn count(self) -> i64 {
        match (self.form.is_fortran(), self.form.is_large()) {
            // SAFETY: a parameter of the call in progress (condition of `new`), for which Fortran passes the address.
            (true, _) => unsafe { self.form.count_at(self.address(), 0) },
            (false, true) => self.value.cast_signed() as i64,
            (false, false) => i64::from(self.value as c_int),
        }
    }

    /// Returns the integer of 64 bits that the argument is.
    #[inline(always)]
    pub(crate) fn wide(self) -> i64 {
        if !self.form.is_fortran() {
            return self.value.cast_signed() as i64;
        }
        // SAFETY: a parameter of the call in progress (condition of `new`), for which Fortran passes the address.
        unsafe { self.address().cast::<i64>().read_unaligned() }
    }

    /// Returns the handle that the argument is, of an object of a kind. The upper half of a narrow handle is undefined.
    #[inline(always)]
    pub(crate) fn handle(self, kind: Bind) -> Handle {
        if !self.form.is_fortran() {
            return self.value;
        }
        // SAFETY: a parameter of the call in progress (condition of `new`), for which Fortran passes the address.
        unsafe { self.form.handle_at(kind, self.address(), 0) }
    }

    /// Returns true if the argument is a buffer, and that is `MPI_IN_PLACE`.
    pub(super) fn is_in_place(self) -> bool {
        if !self.form.is_fortran() {
            return self.value == mpit_ffi::abi().in_place;
        }
        if !self.form.has_descriptors() || self.value == 0 {
            return fortran::is_in_place(self.address());
        }
        // SAFETY: not null (checked), so it is a descriptor, which begins with the address of the buffer.
        fortran::is_in_place(unsafe { self.address().cast::<*const c_void>().read() })
    }

    /// Returns the same as [`is_in_place`](Self::is_in_place); `None` if that requires a lookup.
    #[inline(always)]
    pub(super) fn is_in_place_without_lookup(self) -> Option<bool> {
        if self.form.is_fortran() {
            // The constant of Fortran may have any address.
            return Some(self.is_in_place());
        }
        // The constant of C is 1 or the highest address in all libraries. The address of a buffer is greater than 1 and in the lower half;
        // that both of two are is one comparison.
        if self.value.wrapping_sub(2).cast_signed() >= 0 { Some(false) } else { None }
    }
}

/// A calling convention.
pub(crate) trait Binding: Copy + Debug + 'static {
    /// An argument in the functions of calls with this convention, which exist for calls in progress only.
    type Raw: Copy;

    fn word(raw: Self::Raw) -> Word;

    /// Converts an argument. The conversion is `Copy`, so that functions which forward calls have nothing to clean up.
    #[inline(always)]
    fn convert<R>(raw: Self::Raw, conversion: impl FnOnce(Word) -> R + Copy) -> R {
        conversion(Self::word(raw))
    }
}

/// Defines the conventions of calls whose arguments are in registers.
macro_rules! known {
    ($($(#[$doc:meta])* $binding:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $binding;

        impl Binding for $binding {
            type Raw = usize;

            #[inline(always)]
            fn word(raw: usize) -> Word {
                Word { value: raw, form: Form::$binding }
            }
        }
    )+};
}

known! {
    /// The convention of C with `int` counts.
    C;
    /// The convention of Fortran with `int` counts: arguments are addresses.
    Fortran;
}

/// The convention of a call whose form is known when it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Any;

impl Binding for Any {
    type Raw = Word;

    #[inline(always)]
    fn word(raw: Word) -> Word {
        raw
    }

    // A separate function, because each record has many arguments.
    #[inline(never)]
    fn convert<R>(raw: Word, conversion: impl FnOnce(Word) -> R + Copy) -> R {
        conversion(raw)
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
