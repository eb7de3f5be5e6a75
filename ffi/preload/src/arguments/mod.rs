//! The arguments of MPI calls, by what they are: one view of them for C, C with large counts, and Fortran.
//!
//! In the table of calls an argument has a kind, such as [`Count`]. A kind is a wrapper without any cost around what the
//! language passes: an `int`, an `MPI_Count`, or Fortran's address of an integer.

mod languages;
pub(crate) mod narrow;

use std::ffi::{CStr, c_int, c_void};
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use mpit::words::Bind;
use mpit_ffi::abi::{Abi, Handle};

use languages::integer;
pub(crate) use languages::{C, Fortran, FortranTs, Language, LargeC, LargeFortran, LargeFortranTs};

/// Kinds of one value, by how the language passes it.
macro_rules! values {
    ($($(#[$doc:meta])* $kind:ident($raw:ident) $(=> $get:ident -> $value:ty)?;)+) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy)]
        pub(crate) struct $kind<L: Language>(pub(crate) L::$raw);

        $(impl<L: Language> $kind<L> {
            /// The value.
            #[inline]
            pub(crate) fn get(self) -> $value {
                L::$get(self.0)
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
    /// A place in a window.
    Disp(Wide);
    /// A communicator.
    Comm(Object) => comm -> Handle;
    /// A datatype.
    Type(Object) => datatype -> Handle;
    /// A window.
    Win(Object) => win -> Handle;
    /// A reduction operation.
    Op(Object) => op -> Handle;
    /// A handle of another kind, which is passed on and never looked at.
    Object(Object);
}

/// Kinds that are an address in all languages.
macro_rules! addresses {
    ($($(#[$doc:meta])* $kind:ident;)+) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy)]
        pub(crate) struct $kind<L: Language>(*const c_void, PhantomData<L>);
    )+};
}

addresses! {
    /// A buffer, of which only the address is looked at.
    Buf;
    /// Anything that is passed on and never looked at.
    Place;
    /// A communicator that the call makes.
    NewComm;
    /// A window that the call makes.
    NewWin;
    /// The place where the call stores a number of bytes.
    CountOut;
    /// Memory of `MPI_MAX_ERROR_STRING` characters, where the call puts a text.
    TextOut;
    /// Memory where the call puts an `int`.
    IntOut;
    /// A session that the call makes.
    NewSession;
    /// A datatype that the call makes, commits or frees.
    NewType;
    /// A handle that the call frees.
    Freed;
    /// A request, or an array of them.
    Request;
    /// The types of an array of blocks.
    Types;
    /// The counts of an array of blocks to be sent.
    SendCounts;
    /// The counts of an array of blocks to be received.
    RecvCounts;
    /// Where blocks to be sent are.
    SendDispls;
    /// Where blocks to be received are.
    RecvDispls;
}

impl<L: Language> Buf<L> {
    /// Whether it is an address at all.
    #[inline]
    pub(crate) fn is_given(self) -> bool {
        !self.0.is_null()
    }

    /// Whether it is `MPI_IN_PLACE`.
    pub(crate) fn is_in_place(self) -> bool {
        L::is_in_place(self.0)
    }

    /// The same, where it is plain to see.
    #[inline]
    pub(crate) fn is_in_place_at_a_glance(self) -> Option<bool> {
        L::is_in_place_at_a_glance(self.0)
    }
}

impl<L: Language> NewComm<L> {
    /// The communicator that was made.
    pub(crate) fn get(self) -> Handle {
        L::comm_at(self.0)
    }
}

impl NewSession<C> {
    /// The session that was made.
    pub(crate) fn get(self) -> Option<Handle> {
        let abi = mpit_ffi::abi();
        // SAFETY: not null, and the call that has succeeded wrote a handle there.
        (!self.0.is_null()).then(|| unsafe { abi.load_handle(self.0) })
    }
}

impl<L: Language> Freed<L> {
    /// Returns the handle of an object of this kind; 0 where there is none.
    pub(crate) fn get(self, kind: Bind) -> Handle {
        L::handle_at(kind, self.0)
    }
}

impl TextOut<C> {
    /// Returns the text that the call, which succeeded, has written.
    pub(crate) fn get(&self) -> Option<&CStr> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, and a call that succeeds writes a string that ends with NUL.
        Some(unsafe { CStr::from_ptr(self.0.cast()) })
    }

    /// Writes another text, of less than 256 characters, which fits in every library's `MPI_MAX_ERROR_STRING`.
    pub(crate) fn set(self, text: &str) {
        let len = text.len().min(255);
        let at = self.0.cast::<u8>().cast_mut();
        if at.is_null() {
            return;
        }
        // SAFETY: not null, and the standard has the program pass memory of `MPI_MAX_ERROR_STRING` characters, 256 or more.
        unsafe { at.copy_from_nonoverlapping(text.as_ptr(), len) };
        // SAFETY: `len` is below 256, so this is inside of the same memory.
        unsafe { at.wrapping_add(len).write(0) };
    }
}

impl IntOut<C> {
    /// Writes another number.
    pub(crate) fn set(self, number: c_int) {
        let at = self.0.cast::<c_int>().cast_mut();
        if at.is_null() {
            return;
        }
        // SAFETY: not null, and the standard has the program pass the address of an `int` for the result.
        unsafe { at.write(number) };
    }
}

impl<L: Language> NewWin<L> {
    /// The window that was made.
    pub(crate) fn get(self) -> Handle {
        L::win_at(self.0)
    }
}

impl<L: Language> NewType<L> {
    /// The datatype.
    pub(crate) fn get(self) -> Handle {
        L::datatype_at(self.0, 0)
    }
}

impl<L: Language> Request<L> {
    /// Whether it is an address at all.
    #[inline]
    pub(crate) fn is_given(self) -> bool {
        !self.0.is_null()
    }

    /// The request.
    pub(crate) fn get(self) -> Handle {
        self.at(0)
    }

    /// The request of that number of an array.
    pub(crate) fn at(self, index: usize) -> Handle {
        L::request_at(self.0, index)
    }
}

impl<L: Language> Types<L> {
    /// Of so many blocks.
    pub(crate) fn of(self, len: u32) -> TypeArray {
        TypeArray { at: self.0, len, get: L::datatype_at }
    }
}

macro_rules! counts {
    ($($kind:ident),+) => {$(
        impl<L: Language> $kind<L> {
            /// Of so many blocks.
            pub(crate) fn of(self, len: u32) -> CountArray {
                CountArray { at: self.0, len, wide: L::WIDE }
            }
        }
    )+};
}

counts!(SendCounts, RecvCounts);

/// An array of counts, or of displacements, of a program's in any language. Read when asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountArray {
    at: *const c_void,
    len: u32,
    wide: bool,
}

impl CountArray {
    /// What the program passed.
    pub(crate) fn address(&self) -> *const c_void {
        self.at
    }

    /// The count of a block; 0 for none of the array's.
    pub(crate) fn get(&self, index: u32) -> i64 {
        let at = index as usize;
        if self.at.is_null() || index >= self.len {
            return 0;
        }
        if self.wide {
            // SAFETY: the standard has the program pass an array of that length.
            unsafe { self.at.cast::<i64>().wrapping_add(at).read_unaligned() }
        } else {
            integer(self.at, at).into()
        }
    }
}

/// An array of datatypes of a program's, in any language. Read when asked.
#[derive(Clone, Copy)]
pub(crate) struct TypeArray {
    at: *const c_void,
    len: u32,
    get: fn(*const c_void, usize) -> Handle,
}

impl TypeArray {
    /// The type of a block; 0 for none of the array's.
    pub(crate) fn get(&self, index: u32) -> Handle {
        let known = !self.at.is_null() && index < self.len;
        if known { (self.get)(self.at, index as usize) } else { 0 }
    }
}

impl Debug for TypeArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeArray").field("at", &self.at).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Where Fortran's error code goes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct ErrorCode(*mut c_int);

impl ErrorCode {
    /// What the call said.
    pub(crate) fn get(self) -> c_int {
        // SAFETY: Fortran passes the address of the error code, or null where it is left out.
        unsafe { self.0.as_ref() }.copied().unwrap_or(Abi::SUCCESS)
    }
}
