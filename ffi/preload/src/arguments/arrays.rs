//! Arrays of the program, in any language. Elements are read on access.

use std::ffi::c_void;
use std::fmt::{self, Debug};

use mpit::object::Bind;
use mpit_ffi::abi::{Handle, LiveDatatype};

use super::{Argument, Binding, Form, RecvCounts, SendCounts, Types, Word};

/// An array of handles in any language.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    at: *const c_void,
    form: Form,
    kind: Bind,
}

impl Handles {
    #[inline(always)]
    pub(crate) fn of(word: Word, kind: Bind) -> Self {
        Self { at: word.address(), form: word.form(), kind }
    }

    #[inline(always)]
    pub(crate) fn is_given(self) -> bool {
        !self.at.is_null()
    }

    /// Returns a handle of the array; in C, 0 if there is no array.
    ///
    /// # Safety
    ///
    /// The array has more than `index` elements.
    pub(crate) unsafe fn at(self, index: usize) -> Handle {
        // SAFETY: the address comes from a parameter of the call in progress; the caller ensures that the array has this element.
        unsafe { self.form.handle_at(self.kind, self.at, index) }
    }

    /// Returns a handle of the array, which is given.
    ///
    /// # Safety
    ///
    /// The array has more than `index` elements, and `is_narrow` says if handles of the library have 4 bytes in C.
    #[inline(always)]
    pub(crate) unsafe fn at_given(self, index: usize, is_narrow: bool) -> Handle {
        if self.form.is_fortran() {
            // SAFETY: the array has this element (condition of this function).
            unsafe { self.at(index) }
        } else if is_narrow {
            // SAFETY: the array has this element, of 4 bytes (condition of this function).
            unsafe { self.at.cast::<u32>().wrapping_add(index).read_unaligned() as Handle }
        } else {
            // SAFETY: the array has this element, as wide as a pointer (condition of this function).
            unsafe { self.at.cast::<Handle>().wrapping_add(index).read_unaligned() }
        }
    }
}

impl Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handles").field(&self.at).finish()
    }
}

impl<L: Binding> Types<L> {
    /// Returns the array.
    ///
    /// # Safety
    ///
    /// The array is null or has `len` elements.
    pub(crate) unsafe fn of(self, len: u32) -> TypeArray {
        TypeArray { types: Handles::of(self.word(), Bind::Datatype), len }
    }
}

/// An array of counts or displacements, as the language passes it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Counts<L: Binding>(L::Raw);

macro_rules! counts {
    ($($kind:ident),+) => {$(
        impl<L: Binding> From<$kind<L>> for Counts<L> {
            fn from(counts: $kind<L>) -> Self {
                Self(counts.0)
            }
        }
    )+};
}

counts!(SendCounts, RecvCounts);

impl<L: Binding> Counts<L> {
    /// Returns the array.
    ///
    /// # Safety
    ///
    /// The array is null or has `len` elements.
    pub(crate) unsafe fn of(self, len: u32) -> CountArray {
        let word = L::word(self.0);
        CountArray { at: word.address(), len, form: word.form() }
    }
}

/// An array of counts or displacements of the program, in any language. Elements are read on access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountArray {
    at: *const c_void,
    len: u32,
    form: Form,
}

impl CountArray {
    /// Describes an array of counts.
    ///
    /// # Safety
    ///
    /// The array is null or has `len` counts of a call of this form.
    pub(crate) unsafe fn new(at: *const c_void, len: u32, form: Form) -> Self {
        Self { at, len, form }
    }

    /// Returns the count of a block; 0 for an index outside of the array.
    pub(crate) fn get(&self, index: u32) -> i64 {
        if self.at.is_null() || index >= self.len {
            return 0;
        }
        // SAFETY: the address is not null, and `index` is less than `len`.
        unsafe { self.form.count_at(self.at, index as usize) }
    }
}

/// An array of datatypes of the program, in any language. Elements are read on access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeArray {
    types: Handles,
    len: u32,
}

impl TypeArray {
    /// Returns the datatype of a block; 0 for an index outside of the array.
    pub(crate) fn get(&self, index: u32) -> Handle {
        if !self.types.is_given() || index >= self.len {
            return 0;
        }
        // SAFETY: the address is not null, and `index` is less than `len`.
        unsafe { self.types.at(index as usize) }
    }

    /// Returns the datatype of a block; `None` for the null handle and an index outside of the array.
    pub(crate) fn live(&self, index: u32) -> Option<LiveDatatype<'_>> {
        // SAFETY: an array of the call in progress, for which the standard requires that MPI is initialized and that the types
        // exist or are null.
        unsafe { LiveDatatype::from_nullable(mpit_ffi::abi(), self.get(index)) }
    }
}

#[cfg(test)]
mod tests {
    use super::{CountArray, Form};

    #[test]
    fn arrays_of_all_widths_are_read() {
        let (narrow, wide) = ([5_i32, 6], [1_i64 << 40, 6]);
        // SAFETY: the array has two integers.
        let array = unsafe { CountArray::new(narrow.as_ptr().cast(), 2, Form::Fortran) };
        assert_eq!((array.get(0), array.get(1), array.get(2)), (5, 6, 0));
        // SAFETY: the array has two counts of 64 bits.
        let array = unsafe { CountArray::new(wide.as_ptr().cast(), 2, Form::LargeC) };
        assert_eq!((array.get(0), array.get(1), array.get(2)), (1 << 40, 6, 0));
    }
}
