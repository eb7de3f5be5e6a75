//! The arguments of MPI calls by kind: one view for all forms of a call.
//!
//! An argument in the table of calls has a kind, such as [`Count`]. A kind is a wrapper around the argument as the language passes it:
//! an `int`, an `MPI_Count`, or Fortran's address of an integer. Calls that keep their arguments in registers have a [binding](Binding),
//! [`C`] or [`Fortran`]; for all others, the form of the call is a value ([`Any`]). The fields are private, so values are parameters of
//! the interposed functions. None is used after the call. Hence the standard's rules for the argument hold.

#![allow(clippy::inline_always, reason = "part of the path of each call, where it folds away")]

mod arrays;
mod bindings;

use std::ffi::{CStr, c_int};

use mpit::object::Bind;
use mpit_ffi::abi::{Handle, LiveComm, LiveDatatype, LiveSession, LiveWin};

pub(crate) use arrays::{CountArray, Counts, Handles, TypeArray};
pub(crate) use bindings::{Any, Binding, C, Form, Fortran, Word};

pub(crate) trait Argument {
    /// Returns the argument without its kind.
    fn word(self) -> Word;
}

/// Defines the kinds of arguments: a `value`; a `handle` of an object, with the type of a handle whose object exists; a `variable` for
/// such a handle, which is an address in all languages; or an argument that is forwarded and not used, or used in a way of its own.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $content:tt;)+) => {
        /// The kind of an argument, as data.
        #[allow(dead_code, reason = "no line lists Fortran's error code")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind),+
        }

        $(
            $(#[$doc])*
            #[allow(dead_code, reason = "no record uses a number of bytes that a call returns")]
            #[repr(transparent)]
            #[derive(Clone, Copy)]
            pub(crate) struct $kind<L: Binding>(L::Raw);

            impl<L: Binding> Argument for $kind<L> {
                #[inline(always)]
                fn word(self) -> Word {
                    L::word(self.0)
                }
            }

            impl From<Word> for $kind<Any> {
                fn from(word: Word) -> Self {
                    Self(word)
                }
            }

            kinds! { @ $kind $content }
        )+
    };
    (@ $kind:ident []) => {};
    (@ $kind:ident [value $get:ident -> $value:ty]) => {
        impl<L: Binding> $kind<L> {
            #[inline(always)]
            pub(crate) fn get(self) -> $value {
                L::convert(self.0, Word::$get)
            }
        }
    };
    (@ $kind:ident [handle $object:ident $($live:ident)?]) => {
        impl<L: Binding> $kind<L> {
            /// Returns the handle. The upper half of a narrow handle is undefined.
            #[inline(always)]
            pub(crate) fn get(self) -> Handle {
                L::convert(self.0, |word| word.handle(Bind::$object))
            }
        }
        $(kinds! { @ $kind $live })?
    };
    (@ $kind:ident [variable $object:ident $($live:ident)?]) => {
        impl<L: Binding> $kind<L> {
            /// Returns the handle; 0 if there is none.
            pub(crate) fn get(self) -> Handle {
                // SAFETY: a parameter of the call in progress, which is the address of a handle.
                unsafe { self.handles().at(0) }
            }

            #[inline(always)]
            pub(crate) fn handles(self) -> Handles {
                Handles::of(self.word(), Bind::$object)
            }
        }
        $(kinds! { @ $kind $live })?
    };
    (@ $kind:ident $live:ident) => {
        impl<L: Binding> $kind<L> {
            /// Returns the object; `None` for the null handle. Not for fast paths. That of a variable is known before a call that frees
            /// it, and after one that has created it.
            pub(crate) fn live(&self) -> Option<$live<'_>> {
                // SAFETY: a parameter of the call in progress, for which the standard requires that MPI is initialized, and that the
                // object exists or the handle is null. A call that creates an object has written its handle.
                unsafe { $live::from_nullable(mpit_ffi::abi(), self.get()) }
            }
        }
    };
}

kinds! {
    /// An integer: a rank, a tag, a color.
    Int [value int -> c_int];
    /// A number of elements.
    Count [value count -> i64];
    /// A number of elements that is an `MPI_Count` in all forms of the call.
    Wide [value wide -> i64];
    /// A displacement in a window.
    Disp [];
    Comm [handle Comm LiveComm];
    Type [handle Datatype LiveDatatype];
    Win [handle Win];
    /// A reduction operation.
    Op [handle Op];
    Group [];
    File [];
    /// The handle of one request, by value in C.
    OneRequest [];
    /// A handle of another kind.
    Object [];
    /// A buffer, of which only the address is used.
    Buf [];
    /// Any address.
    Pointer [];
    /// The error code of a call in Fortran, which `mpi_f08` may omit.
    ErrorCode [];
    /// The variable of a file that the call opens.
    NewFile [variable File];
    // Variables: `New...` for an object that the call creates, `...Out` for a result.
    NewComm [variable Comm LiveComm];
    NewWin [variable Win LiveWin];
    /// The variable of a file that the call closes.
    ClosedFile [variable File];
    /// A buffer of `MPI_MAX_ERROR_STRING` characters in which the call stores a text.
    TextOut [];
    IntOut [];
    CountOut [];
    NewSession [];
    /// The variable of a datatype that the call creates, commits or frees.
    NewType [variable Datatype LiveDatatype];
    /// The variable of a handle that the call frees.
    Freed [];
    /// A request, or an array of them.
    Request [variable Request];
    // Arrays with an element for each block.
    Types [];
    SendCounts [];
    RecvCounts [];
    SendDispls [];
    RecvDispls [];
}

impl<L: Binding> Buf<L> {
    #[inline(always)]
    pub(crate) fn is_given(self) -> bool {
        self.address() != 0
    }

    /// Returns true if it is neither null nor `MPI_IN_PLACE`; false if that requires a lookup.
    #[inline(always)]
    pub(crate) fn is_data(self) -> bool {
        self.is_given() && self.is_in_place_without_lookup() == Some(false)
    }

    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        self.word().address().addr()
    }

    pub(crate) fn is_in_place(self) -> bool {
        self.word().is_in_place()
    }

    /// Returns true if it is `MPI_IN_PLACE`; `None` if that requires a lookup.
    #[inline(always)]
    pub(crate) fn is_in_place_without_lookup(self) -> Option<bool> {
        self.word().is_in_place_without_lookup()
    }
}

impl<L: Binding> NewSession<L> {
    /// Returns the session that the call has created; `None` in Fortran.
    pub(crate) fn live(&self) -> Option<LiveSession<'_>> {
        let word = self.word();
        let at = word.address();
        if at.is_null() || word.form().is_fortran() {
            return None;
        }
        let abi = mpit_ffi::abi();
        // SAFETY: not null, so the program passed space for a handle.
        let session = unsafe { abi.load_handle(at) };
        // SAFETY: `MPI_Session_init` has succeeded, so it wrote the handle of a session that exists.
        unsafe { LiveSession::from_nullable(abi, session) }
    }
}

impl<L: Binding> Freed<L> {
    pub(crate) fn get(self, kind: Bind) -> Handle {
        // SAFETY: a parameter of the call in progress, which is the address of a handle.
        unsafe { Handles::of(self.word(), kind).at(0) }
    }
}

impl ErrorCode<Fortran> {
    /// Returns the error code after the call; success if the program omits it.
    #[inline]
    pub(crate) fn get(self) -> c_int {
        // SAFETY: a parameter of the call in progress: null or the address of an integer.
        unsafe { self.word().address().cast::<c_int>().as_ref() }
            .copied()
            .unwrap_or(mpit_ffi::abi::Abi::SUCCESS)
    }
}

/// In C.
impl<L: Binding> TextOut<L> {
    pub(crate) fn get(&self) -> Option<&CStr> {
        let at = self.word().address();
        if at.is_null() {
            return None;
        }
        // SAFETY: the address is not null, and a successful call writes a NUL-terminated string.
        Some(unsafe { CStr::from_ptr(at.cast()) })
    }

    /// Replaces the text. At most 255 characters are written, which fit in the `MPI_MAX_ERROR_STRING` of all libraries.
    pub(crate) fn set(self, text: &str) {
        let len = text.len().min(255);
        let at = self.word().address().cast::<u8>().cast_mut();
        if at.is_null() {
            return;
        }
        // SAFETY: the address is not null, and the standard requires the program to pass space for
        // `MPI_MAX_ERROR_STRING` characters, which is 256 or more.
        unsafe { at.copy_from_nonoverlapping(text.as_ptr(), len) };
        // SAFETY: `len` is less than 256, so the NUL is within the same buffer.
        unsafe { at.wrapping_add(len).write(0) };
    }
}

/// In C.
impl<L: Binding> IntOut<L> {
    pub(crate) fn set(self, number: c_int) {
        let at = self.word().address();
        if !at.is_null() {
            // SAFETY: the address is not null, and the standard requires the program to pass the address of an
            // `int`.
            unsafe { at.cast::<c_int>().cast_mut().write(number) };
        }
    }
}

impl<L: Binding> Request<L> {
    #[inline]
    pub(crate) fn is_given(self) -> bool {
        self.handles().is_given()
    }

    /// Returns a handle of an array.
    ///
    /// # Safety
    ///
    /// The array has more than `index` elements.
    pub(crate) unsafe fn at(self, index: usize) -> Handle {
        // SAFETY: the field is private, so it is a parameter of the call in progress; the caller ensures that the array has
        // this element.
        unsafe { self.handles().at(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Any, Count, Form, Int, Wide, Word};

    fn word(value: usize, form: Form) -> Word {
        // SAFETY: the tests pass values, or addresses of integers that exist, by the form.
        unsafe { Word::new(value, form) }
    }

    #[test]
    fn upper_halves_of_narrow_words_are_ignored() {
        let dirty = 0xdead_beef << 32 | 7;
        assert_eq!(Int::<Any>::from(word(dirty, Form::C)).get(), 7);
        assert_eq!(Count::<Any>::from(word(dirty, Form::C)).get(), 7);
        assert_eq!(Count::<Any>::from(word(dirty, Form::LargeC)).get(), dirty.cast_signed() as i64);
        assert_eq!(Wide::<Any>::from(word(dirty, Form::C)).get(), dirty.cast_signed() as i64);
    }

    #[test]
    fn integers_of_fortran_have_addresses() {
        let (narrow, wide) = (-5_i32, 1_i64 << 40);
        let at = |form, large| {
            let address = if large {
                (&raw const wide).expose_provenance()
            } else {
                (&raw const narrow).expose_provenance()
            };
            Count::<Any>::from(word(address, form)).get()
        };
        assert_eq!((at(Form::Fortran, false), at(Form::LargeFortran, true)), (-5, 1 << 40));
        let address = (&raw const narrow).expose_provenance();
        assert_eq!(Int::<Any>::from(word(address, Form::FortranF08)).get(), -5);
    }
}
