//! The arguments of MPI calls, by what they are: one view of them for C, C with large counts, and Fortran.
//!
//! In the table of calls an argument has a kind, such as [`Count`]. A kind is a wrapper without any cost around what the
//! language passes: an `int`, an `MPI_Count`, or Fortran's address of an integer.

use std::ffi::{c_int, c_void};
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use mpit_ffi::abi::{Abi, Handle};
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
    /// A communicator in a variable of the program's.
    fn comm_at(at: *const c_void) -> Handle;
    /// A window in a variable of the program's.
    fn win_at(at: *const c_void) -> Handle;
    /// A datatype in an array of the program's.
    fn datatype_at(at: *const c_void, index: usize) -> Handle;
    /// A request in an array of the program's.
    fn request_at(at: *const c_void, index: usize) -> Handle;
    fn is_in_place(buffer: *const c_void) -> bool;
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
            fn is_in_place(buffer: *const c_void) -> bool {
                buffer.addr() == mpit_ffi::abi().in_place
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
fn integer(at: *const c_void, index: usize) -> c_int {
    // SAFETY: Fortran passes the address of each argument, and the standard has it hold so many integers.
    unsafe { at.cast::<c_int>().wrapping_add(index).read() }
}

impl Language for Fortran {
    type Int = *const c_int;
    type Count = *const c_int;
    type Wide = *const i64;
    type Object = *const c_int;
    const WIDE: bool = false;

    fn int(raw: *const c_int) -> c_int {
        integer(raw.cast(), 0)
    }
    fn count(raw: *const c_int) -> i64 {
        integer(raw.cast(), 0).into()
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
    fn is_in_place(buffer: *const c_void) -> bool {
        fortran::is_in_place(buffer)
    }
}

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
    /// Whether it is `MPI_IN_PLACE`.
    pub(crate) fn is_in_place(self) -> bool {
        L::is_in_place(self.0)
    }
}

impl<L: Language> NewComm<L> {
    /// The communicator that was made.
    pub(crate) fn get(self) -> Handle {
        L::comm_at(self.0)
    }
}

impl<L: Language> NewWin<L> {
    /// The window that was made.
    pub(crate) fn get(self) -> Handle {
        L::win_at(self.0)
    }
}

impl<L: Language> Request<L> {
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

/// A large form's arguments as the form with `int` counts takes them.
pub(crate) mod narrow {
    use std::ffi::{c_int, c_void};
    use std::marker::PhantomData;

    use super::{
        Buf, C, Comm, Count, CountArray, Disp, Int, LargeC, NewWin, Object, Place, RecvCounts, RecvDispls,
        Request, SendCounts, SendDispls, Type, Types, Wide, Win,
    };
    use crate::narrow::Arrays;

    /// An argument of a large form. `None` if it holds what an `int` cannot.
    pub(crate) trait Narrow {
        type Narrowed;
        fn narrow(self, arrays: &mut Arrays) -> Option<Self::Narrowed>;
    }

    impl Narrow for Count<LargeC> {
        type Narrowed = Count<C>;
        fn narrow(self, _: &mut Arrays) -> Option<Count<C>> {
            c_int::try_from(self.0).ok().map(Count)
        }
    }

    macro_rules! same {
        ($($kind:ident),+) => {$(
            impl Narrow for $kind<LargeC> {
                type Narrowed = $kind<C>;
                fn narrow(self, _: &mut Arrays) -> Option<$kind<C>> {
                    Some($kind(self.0))
                }
            }
        )+};
    }
    same!(Int, Wide, Disp, Comm, Type, Win, Object);

    macro_rules! same_address {
        ($($kind:ident),+) => {$(
            impl Narrow for $kind<LargeC> {
                type Narrowed = $kind<C>;
                fn narrow(self, _: &mut Arrays) -> Option<$kind<C>> {
                    Some($kind(self.0, PhantomData))
                }
            }
        )+};
    }
    same_address!(Buf, NewWin, Place, Request, Types);

    macro_rules! arrays {
        ($($kind:ident of $len:ident),+) => {$(
            impl Narrow for $kind<LargeC> {
                type Narrowed = $kind<C>;
                fn narrow(self, arrays: &mut Arrays) -> Option<$kind<C>> {
                    let wide = CountArray { at: self.0, len: arrays.lens.$len, wide: true };
                    let at: *const c_int = arrays.narrow(&wide, arrays.lens.$len)?;
                    Some($kind(at.cast::<c_void>(), PhantomData))
                }
            }
        )+};
    }
    arrays!(SendCounts of sent, SendDispls of sent, RecvCounts of received, RecvDispls of received);
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

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::marker::PhantomData;

    use super::narrow::Narrow;
    use super::{Count, Fortran, Int, LargeC, RecvCounts, SendCounts, SendDispls};
    use crate::narrow::{Arrays, Lens, Needed};

    fn counts(wide: &[i64]) -> SendCounts<LargeC> {
        SendCounts(wide.as_ptr().cast(), PhantomData)
    }

    fn ints(at: *const std::ffi::c_void, len: usize) -> Vec<c_int> {
        // SAFETY: the tests ask for as many as they had narrowed, while those are kept.
        unsafe { std::slice::from_raw_parts(at.cast(), len) }.to_vec()
    }

    fn arrays(sent: u32, needed: Needed) -> Arrays {
        Arrays::new(Lens { sent, received: 0 }, needed)
    }

    #[test]
    fn counts_become_narrow_where_they_fit() {
        let mut room = arrays(3, Needed::Blocking);
        let narrowed = counts(&[1, 2, c_int::MAX.into()]).narrow(&mut room).unwrap();
        assert_eq!(ints(narrowed.0, 3), [1, 2, c_int::MAX]);
        assert!(counts(&[1, 2, i64::from(c_int::MAX) + 1]).narrow(&mut room).is_none());
        assert!(Count::<LargeC>(1 << 31).narrow(&mut room).is_none());
        assert_eq!(Count::<LargeC>(-1).narrow(&mut room).map(Count::get), Some(-1));
    }

    #[test]
    fn what_is_not_looked_at_stays_as_it_is() {
        let mut room = arrays(3, Needed::Blocking);
        let nothing = SendDispls::<LargeC>(std::ptr::null(), PhantomData);
        assert!(nothing.narrow(&mut room).unwrap().0.is_null());
        let rubbish = RecvCounts::<LargeC>(std::ptr::without_provenance(8), PhantomData);
        assert_eq!(rubbish.narrow(&mut room).unwrap().0.addr(), 8);
    }

    #[test]
    fn arrays_live_as_long_as_they_are_needed() {
        let narrow = |needed| counts(&[7, 8]).narrow(&mut arrays(2, needed)).unwrap().0;
        let (nonblocking, persistent) = (narrow(Needed::Nonblocking), narrow(Needed::Persistent));
        assert_eq!((ints(nonblocking, 2), ints(persistent, 2)), (vec![7, 8], vec![7, 8]));
        assert_eq!(persistent, narrow(Needed::Persistent), "the same array again");
    }

    #[test]
    fn arrays_of_all_widths_are_read() {
        let narrow = [5 as c_int, 6];
        let array = SendCounts::<Fortran>(narrow.as_ptr().cast(), PhantomData).of(2);
        assert_eq!((array.get(0), array.get(1), array.get(2)), (5, 6, 0));
        let array = counts(&[1 << 40, 6]).of(2);
        assert_eq!((array.get(0), array.get(1), array.get(2)), (1 << 40, 6, 0));
        assert_eq!(Int::<Fortran>(&raw const narrow[1]).get(), 6);
    }
}
