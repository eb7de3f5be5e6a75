//! The arguments of MPI calls by kind: one view for C, C with large counts, and Fortran.
//!
//! An argument in the table of calls has a kind, such as [`Count`]. A kind is a zero-cost wrapper around the
//! argument as the language passes it: an `int`, an `MPI_Count`, or Fortran's address of an integer. The fields are private,
//! so values are parameters of the interposed functions, or copies of them that [`small_counts`] has narrowed. None is used
//! after the call. Hence the standard's rules for the argument hold.

mod bindings;
pub(crate) mod small_counts;

use std::ffi::{CStr, c_int, c_void};
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use mpit::object::Bind;
use mpit_ffi::abi::{Abi, Handle, LiveComm, LiveDatatype, LiveSession, LiveWin};

use bindings::integer;
pub(crate) use bindings::{Binding, C, Fortran, FortranTs, LargeC, LargeFortran, LargeFortranTs};

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
        pub(crate) struct $kind<L: Binding>(*const c_void, PhantomData<L>);

        $(impl<L: Binding> $kind<L> {
            /// Returns the handle; 0 if there is none.
            pub(crate) fn get(self) -> Handle {
                // SAFETY: the field is private, so it is a parameter of the call in progress: the address of a handle.
                unsafe { L::handle_at(Bind::$object, self.0, 0) }
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
    /// The variable of a file that the call opens.
    NewFile;
    // Variables: `New...` for an object that the call creates, `...Out` for a result.
    NewComm of Comm as LiveComm;
    NewWin of Win as LiveWin;
    /// The variable of a file that the call closes.
    ClosedFile of File;
    CountOut;
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

impl<L: Binding> Buf<L> {
    #[inline]
    pub(crate) fn is_given(self) -> bool {
        !self.0.is_null()
    }

    /// Returns true if it is neither null nor `MPI_IN_PLACE`; false if that requires a lookup.
    #[inline]
    pub(crate) fn is_data(self) -> bool {
        self.is_given() && self.is_in_place_without_lookup() == Some(false)
    }

    #[inline]
    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }

    pub(crate) fn is_in_place(self) -> bool {
        // SAFETY: the field is private, so it is a parameter of the call in progress.
        unsafe { L::is_in_place(self.0) }
    }

    /// Returns true if it is `MPI_IN_PLACE`; `None` if that requires a lookup.
    #[inline]
    pub(crate) fn is_in_place_without_lookup(self) -> Option<bool> {
        // SAFETY: the field is private, so it is a parameter of the call in progress.
        unsafe { L::is_in_place_without_lookup(self.0) }
    }
}

impl NewSession<C> {
    /// Returns the session that the call has created.
    pub(crate) fn live(&self) -> Option<LiveSession<'_>> {
        if self.0.is_null() {
            return None;
        }
        let abi = mpit_ffi::abi();
        // SAFETY: not null, so the program passed space for a handle.
        let session = unsafe { abi.load_handle(self.0) };
        // SAFETY: `MPI_Session_init` has succeeded, so it wrote the handle of a session that exists.
        unsafe { LiveSession::from_nullable(abi, session) }
    }
}

impl<L: Binding> Freed<L> {
    pub(crate) fn get(self, kind: Bind) -> Handle {
        // SAFETY: the field is private, so it is a parameter of the call in progress: the address of a handle.
        unsafe { L::handle_at(kind, self.0, 0) }
    }
}

impl TextOut<C> {
    pub(crate) fn get(&self) -> Option<&CStr> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the address is not null, and a successful call writes a NUL-terminated string.
        Some(unsafe { CStr::from_ptr(self.0.cast()) })
    }

    /// Replaces the text. At most 255 characters are written, which fit in the `MPI_MAX_ERROR_STRING` of all libraries.
    pub(crate) fn set(self, text: &str) {
        let len = text.len().min(255);
        let at = self.0.cast::<u8>().cast_mut();
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

impl IntOut<C> {
    pub(crate) fn set(self, number: c_int) {
        if !self.0.is_null() {
            // SAFETY: the address is not null, and the standard requires the program to pass the address of an
            // `int`.
            unsafe { self.0.cast::<c_int>().cast_mut().write(number) };
        }
    }
}

/// An array of handles in any language.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    at: *const c_void,
    read: unsafe fn(Bind, *const c_void, usize) -> Handle,
    kind: Bind,
}

impl Handles {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "folds away")]
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
        unsafe { (self.read)(self.kind, self.at, index) }
    }

    /// Returns a handle of an array of C.
    ///
    /// # Safety
    ///
    /// The array is given and has more than `index` elements, and `is_narrow` says if handles of the library have 4 bytes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the path of each call with a request")]
    pub(crate) unsafe fn at_in_c(self, index: usize, is_narrow: bool) -> Handle {
        if is_narrow {
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

impl<L: Binding> NewWin<L> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "folds away")]
    pub(crate) fn handles(self) -> Handles {
        Handles { at: self.0, read: L::handle_at, kind: Bind::Win }
    }
}

impl<L: Binding> NewFile<L> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "folds away")]
    pub(crate) fn handles(self) -> Handles {
        Handles { at: self.0, read: L::handle_at, kind: Bind::File }
    }
}

impl<L: Binding> Request<L> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "folds away")]
    pub(crate) fn handles(self) -> Handles {
        Handles { at: self.0, read: L::handle_at, kind: Bind::Request }
    }

    #[inline]
    pub(crate) fn is_given(self) -> bool {
        !self.0.is_null()
    }

    /// Returns a handle of an array.
    ///
    /// # Safety
    ///
    /// The array has more than `index` elements.
    pub(crate) unsafe fn at(self, index: usize) -> Handle {
        // SAFETY: the field is private, so it is a parameter of the call in progress; the caller ensures that the array has
        // this element.
        unsafe { L::handle_at(Bind::Request, self.0, index) }
    }
}

impl<L: Binding> Types<L> {
    /// Returns the array.
    ///
    /// # Safety
    ///
    /// The array is null or has `len` elements.
    pub(crate) unsafe fn of(self, len: u32) -> TypeArray {
        TypeArray { at: self.0, len, get: L::handle_at }
    }
}

macro_rules! counts {
    ($($kind:ident),+) => {$(
        impl<L: Binding> $kind<L> {
            /// Returns the array.
            ///
            /// # Safety
            ///
            /// The array is null or has `len` elements.
            pub(crate) unsafe fn of(self, len: u32) -> CountArray {
                CountArray { at: self.0, len, wide: L::WIDE }
            }
        }
    )+};
}

counts!(SendCounts, RecvCounts, SendDispls, RecvDispls);

/// An array of counts or displacements of the program, in any language. Elements are read on access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountArray {
    at: *const c_void,
    len: u32,
    wide: bool,
}

impl CountArray {
    pub(crate) fn address(&self) -> *const c_void {
        self.at
    }

    /// Returns the count of a block; 0 for an index outside of the array.
    pub(crate) fn get(&self, index: u32) -> i64 {
        let at = index as usize;
        if self.at.is_null() || index >= self.len {
            return 0;
        }
        if self.wide {
            // SAFETY: the address is not null, and `index` is less than `len`.
            unsafe { self.at.cast::<i64>().wrapping_add(at).read_unaligned() }
        } else {
            // SAFETY: the address is not null, and `index` is less than `len`.
            unsafe { integer(self.at, at) }.into()
        }
    }
}

/// An array of datatypes of the program, in any language. Elements are read on access.
#[derive(Clone, Copy)]
pub(crate) struct TypeArray {
    at: *const c_void,
    len: u32,
    /// [`Binding::handle_at`] of the language.
    get: unsafe fn(Bind, *const c_void, usize) -> Handle,
}

impl TypeArray {
    /// Returns the datatype of a block; 0 for an index outside of the array.
    pub(crate) fn get(&self, index: u32) -> Handle {
        if self.at.is_null() || index >= self.len {
            return 0;
        }
        // SAFETY: the address is not null, and `index` is less than `len`.
        unsafe { (self.get)(Bind::Datatype, self.at, index as usize) }
    }

    /// Returns the datatype of a block; `None` for the null handle and an index outside of the array.
    pub(crate) fn live(&self, index: u32) -> Option<LiveDatatype<'_>> {
        // SAFETY: an array of the call in progress, for which the standard requires that MPI is initialized and that the types
        // exist or are null.
        unsafe { LiveDatatype::from_nullable(mpit_ffi::abi(), self.get(index)) }
    }
}

impl Debug for TypeArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeArray").field("at", &self.at).field("len", &self.len).finish_non_exhaustive()
    }
}

/// The variable for Fortran's error code.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct ErrorCode(*mut c_int);

impl ErrorCode {
    pub(crate) fn get(self) -> c_int {
        // SAFETY: Fortran passes the address of the error code, or null if the argument is omitted.
        unsafe { self.0.as_ref() }.copied().unwrap_or(Abi::SUCCESS)
    }
}
