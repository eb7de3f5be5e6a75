//! The arguments of MPI calls by kind: one view for all forms of a call.
//!
//! An argument in the table of calls has a kind, such as [`Count`]. A kind is a wrapper around the argument as the language passes it:
//! an `int`, an `MPI_Count`, or Fortran's address of an integer. Calls that keep their arguments in registers have a [binding](Binding),
//! [`C`] or [`Fortran`]; for all others, the form of the call is a value ([`Any`]). The fields are private, so values are parameters of
//! the interposed functions. None is used after the call. Hence the standard's rules for the argument hold.

#![allow(clippy::inline_always, reason = "part of the path of each call, where it folds away")]

mod bindings;

use std::ffi::{CStr, c_int, c_void};
use std::fmt::{self, Debug};

use mpit::object::Bind;
use mpit_ffi::abi::{Handle, LiveComm, LiveDatatype, LiveSession, LiveWin};

pub(crate) use bindings::{Any, Binding, C, Form, Fortran, Word};

/// Defines the kinds that are values, each with the type in which the language passes it. `of` is the kind of object of a
/// handle, and `as` the type of a handle whose object exists.
macro_rules! values {
    ($(
        $(#[$doc:meta])*
        $kind:ident($raw:ident) $(of $object:ident $(as $live:ident)?)? $(=> $get:ident -> $value:ty)?;
    )+) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy)]
        pub(crate) struct $kind<L: Binding>(L::$raw);

        impl From<Word> for $kind<Any> {
            fn from(word: Word) -> Self {
                Self(word)
            }
        }

        $(impl<L: Binding> $kind<L> {
            /// Returns the handle. The upper half of a narrow handle is undefined.
            #[inline]
            pub(crate) fn get(self) -> Handle {
                // SAFETY: the field is private, so it is a parameter of the call in progress.
                unsafe { L::handle(Bind::$object, self.0) }
            }

            $(
                /// Returns the object; `None` for the null handle. Not for fast paths.
                pub(crate) fn live(&self) -> Option<$live<'_>> {
                    // SAFETY: a parameter of the call in progress, for which the standard requires that MPI is initialized and
                    // that the handle is null or of an object of this kind.
                    unsafe { $live::from_nullable(mpit_ffi::abi(), self.get()) }
                }
            )?
        })?

        $(impl<L: Binding> $kind<L> {
            #[inline]
            pub(crate) fn get(self) -> $value {
                // SAFETY: the field is private, so it is a parameter of the call in progress.
                unsafe { L::$get(self.0) }
            }
        })?
    )+};
}

values! {
    /// An integer: a rank, a tag, a color.
    Int(Int) => int -> c_int;
    /// A number of elements.
    Count(Count) => count -> i64;
    /// A number of elements that is an `MPI_Count` in all forms of the call.
    Wide(Wide) => wide -> i64;
    /// A displacement in a window.
    Disp(Wide);
    Comm(Object) of Comm as LiveComm;
    Type(Object) of Datatype as LiveDatatype;
    Win(Object) of Win;
    /// A reduction operation.
    Op(Object) of Op;
    Group(Object) of Group;
    File(Object) of File;
    /// The handle of one request, by value in C.
    OneRequest(Object) of Request;
    /// A handle of another kind, which is forwarded and not used.
    Object(Object);
}

/// Defines the kinds that are an address in all languages. `of` is the kind of object of a handle at the address, and `as` the
/// type of a handle whose object exists.
macro_rules! addresses {
    ($($(#[$doc:meta])* $kind:ident $(of $object:ident $(as $live:ident)?)?;)+) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy)]
        pub(crate) struct $kind<L: Binding>(L::Address);

        impl From<Word> for $kind<Any> {
            fn from(word: Word) -> Self {
                Self(word)
            }
        }

        $(impl<L: Binding> $kind<L> {
            /// Returns the handle; 0 if there is none.
            pub(crate) fn get(self) -> Handle {
                // SAFETY: the field is private, so it is a parameter of the call in progress: the address of a handle.
                unsafe { L::form(self.0).handle_at(Bind::$object, L::address(self.0), 0) }
            }

            $(
                /// Returns the object, before a call that frees it or after one that has created it; `None` for the null handle.
                pub(crate) fn live(&self) -> Option<$live<'_>> {
                    // SAFETY: a parameter of the call in progress, for which the standard requires that MPI is initialized. Before
                    // a call that frees, it requires an object of this kind; one that creates has written its handle.
                    unsafe { $live::from_nullable(mpit_ffi::abi(), self.get()) }
                }
            )?
        })?
    )+};
}

addresses! {
    /// A buffer, of which only the address is used.
    Buf;
    /// Any address that is forwarded and not used.
    Pointer;
    /// The error code of a call in Fortran, which `mpi_f08` may omit.
    ErrorCode;
    /// The variable of a file that the call opens.
    NewFile of File;
    // Variables: `New...` for an object that the call creates, `...Out` for a result.
    NewComm of Comm as LiveComm;
    NewWin of Win as LiveWin;
    /// The variable of a file that the call closes.
    ClosedFile of File;
    /// A buffer of `MPI_MAX_ERROR_STRING` characters in which the call stores a text.
    TextOut;
    IntOut;
    NewSession;
    /// The variable of a datatype that the call creates, commits or frees.
    NewType of Datatype as LiveDatatype;
    /// The variable of a handle that the call frees.
    Freed;
    /// A request, or an array of them.
    Request of Request;
    // Arrays with an element for each block.
    Types;
    SendCounts;
    RecvCounts;
    SendDispls;
    RecvDispls;
}

/// Defines the kinds as data.
macro_rules! kinds {
    ($($kind:ident)+) => {
        /// The kind of an argument, as data.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind),+
        }
    };
}

kinds! {
    Int Count Wide Disp Comm Type Win Op Group File OneRequest Object Buf Pointer NewFile NewComm NewWin ClosedFile CountOut TextOut
    IntOut NewSession NewType Freed Request Types SendCounts RecvCounts SendDispls RecvDispls
}

/// The value of an argument, for descriptions of calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Number(i64),
    Handle(Handle),
    Handles(Handles),
    /// An argument that is not described.
    Other,
}

/// Defines the conversions of kinds of arguments that are described, and of others in calls whose arguments are in registers.
macro_rules! values_of {
    ([$($other:ident)+] $($value:ident by $get:ident: $($kind:ident)+;)+) => {
        $($(impl<L: Binding> From<$kind<L>> for Value {
            #[inline(always)]
            fn from(argument: $kind<L>) -> Self {
                Self::$value(argument.$get().into())
            }
        })+)+

        $(impl<L: Binding> From<$other<L>> for Value {
            #[inline(always)]
            fn from(_: $other<L>) -> Self {
                Self::Other
            }
        })+

        impl Value {
            /// Returns the value of an argument of a kind.
            pub(crate) fn of(kind: Kind, word: Word) -> Self {
                match kind {
                    $($(Kind::$kind => $kind::<Any>::from(word).into(),)+)+
                    _ => Self::Other,
                }
            }
        }
    };
}

values_of! {
    [Buf Pointer Op Disp Object Types SendCounts RecvCounts SendDispls RecvDispls]
    Number by get: Int Count Wide;
    Handle by get: Comm Type Win Group File OneRequest NewComm ClosedFile;
    Handles by handles: Request NewFile NewWin;
}

impl<L: Binding> Buf<L> {
    #[inline(always)]
    pub(crate) fn is_given(self) -> bool {
        !L::address(self.0).is_null()
    }

    /// Returns true if it is neither null nor `MPI_IN_PLACE`; false if that requires a lookup.
    #[inline(always)]
    pub(crate) fn is_data(self) -> bool {
        self.is_given() && self.is_in_place_without_lookup() == Some(false)
    }

    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        L::address(self.0).addr()
    }

    pub(crate) fn is_in_place(self) -> bool {
        // SAFETY: the field is private, so it is a parameter of the call in progress.
        unsafe { L::is_in_place(self.0) }
    }

    /// Returns true if it is `MPI_IN_PLACE`; `None` if that requires a lookup.
    #[inline(always)]
    pub(crate) fn is_in_place_without_lookup(self) -> Option<bool> {
        // SAFETY: the field is private, so it is a parameter of the call in progress.
        unsafe { L::is_in_place_without_lookup(self.0) }
    }
}

impl<L: Binding> NewSession<L> {
    /// Returns the session that the call has created; `None` in Fortran.
    pub(crate) fn live(&self) -> Option<LiveSession<'_>> {
        let at = L::address(self.0);
        if at.is_null() || L::form(self.0).is_fortran() {
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
        // SAFETY: the field is private, so it is a parameter of the call in progress: the address of a handle.
        unsafe { L::form(self.0).handle_at(kind, L::address(self.0), 0) }
    }
}

impl ErrorCode<Fortran> {
    /// Returns the error code after the call; success if the program omits it.
    #[inline]
    pub(crate) fn get(self) -> c_int {
        // SAFETY: the field is private, so it is a parameter of the call in progress: null or the address of an integer.
        unsafe { self.0.cast::<c_int>().as_ref() }.copied().unwrap_or(mpit_ffi::abi::Abi::SUCCESS)
    }
}

/// In C.
impl<L: Binding> TextOut<L> {
    pub(crate) fn get(&self) -> Option<&CStr> {
        let at = L::address(self.0);
        if at.is_null() {
            return None;
        }
        // SAFETY: the address is not null, and a successful call writes a NUL-terminated string.
        Some(unsafe { CStr::from_ptr(at.cast()) })
    }

    /// Replaces the text. At most 255 characters are written, which fit in the `MPI_MAX_ERROR_STRING` of all libraries.
    pub(crate) fn set(self, text: &str) {
        let len = text.len().min(255);
        let at = L::address(self.0).cast::<u8>().cast_mut();
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
        let at = L::address(self.0);
        if !at.is_null() {
            // SAFETY: the address is not null, and the standard requires the program to pass the address of an
            // `int`.
            unsafe { at.cast::<c_int>().cast_mut().write(number) };
        }
    }
}

/// An array of handles in any language.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    at: *const c_void,
    form: Form,
    kind: Bind,
}

impl Handles {
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

macro_rules! arrays_of_handles {
    ($($kind:ident of $object:ident;)+) => {$(
        impl<L: Binding> $kind<L> {
            #[inline(always)]
            pub(crate) fn handles(self) -> Handles {
                Handles { at: L::address(self.0), form: L::form(self.0), kind: Bind::$object }
            }
        }
    )+};
}

arrays_of_handles! {
    NewWin of Win;
    NewFile of File;
    Request of Request;
}

impl<L: Binding> Request<L> {
    #[inline]
    pub(crate) fn is_given(self) -> bool {
        !L::address(self.0).is_null()
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

impl<L: Binding> Types<L> {
    /// Returns the array.
    ///
    /// # Safety
    ///
    /// The array is null or has `len` elements.
    pub(crate) unsafe fn of(self, len: u32) -> TypeArray {
        TypeArray { at: L::address(self.0), len, form: L::form(self.0) }
    }
}

/// An array of counts or displacements, as the language passes it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Counts<L: Binding>(L::Address);

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
        CountArray { at: L::address(self.0), len, form: L::form(self.0) }
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
    at: *const c_void,
    len: u32,
    form: Form,
}

impl TypeArray {
    /// Returns the datatype of a block; 0 for an index outside of the array.
    pub(crate) fn get(&self, index: u32) -> Handle {
        if self.at.is_null() || index >= self.len {
            return 0;
        }
        // SAFETY: the address is not null, and `index` is less than `len`.
        unsafe { self.form.handle_at(Bind::Datatype, self.at, index as usize) }
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
    use super::{Any, Count, CountArray, Form, Int, Wide, Word};

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
