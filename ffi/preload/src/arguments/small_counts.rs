//! Calls with large counts over a library without them: arrays are converted to `int` copies.

use std::collections::{HashSet, VecDeque};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use super::{
    Buf, C, Comm, Count, CountArray, CountOut, Disp, File, Int, LargeC, NewWin, Object, Op, Pointer,
    RecvCounts, RecvDispls, Request, SendCounts, SendDispls, Type, Types, Wide, Win,
};

/// The numbers of blocks that a call sends and receives; 0 if its arrays are not significant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArrayLengths {
    pub(crate) sent: u32,
    pub(crate) received: u32,
}

/// The time for which a library may read the arrays of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayLifetime {
    /// Valid until the call returns.
    Blocking,
    /// Valid until the operation is complete, which is not observed.
    Nonblocking,
    /// Valid until the request is freed, which may never happen.
    Persistent,
}

type Array = Box<[c_int]>;

/// The arrays of nonblocking calls, the newest last.
static RECENT: Mutex<VecDeque<Array>> = Mutex::new(VecDeque::new());

/// The number of arrays that are kept. An operation has at most four, so a thousand operations may be in flight.
const MAX_RECENT: usize = 4096;

/// The arrays of persistent calls, never freed. Programs use few different ones.
static PERSISTENT: Mutex<Option<HashSet<Array>>> = Mutex::new(None);

/// The narrow arrays of a call.
#[derive(Debug)]
pub(crate) struct Arrays {
    array_lengths: ArrayLengths,
    lifetime: ArrayLifetime,
    copies: Vec<Array>,
}

impl Arrays {
    /// Prepares for the arrays of a call.
    ///
    /// # Safety
    ///
    /// Arrays that are narrowed with this value are null or have these lengths.
    pub(crate) unsafe fn new(array_lengths: ArrayLengths, lifetime: ArrayLifetime) -> Self {
        Self { array_lengths, lifetime, copies: Vec::new() }
    }

    /// Drops the arrays after the call. Never inlined, like [`narrow`](Self::narrow).
    #[inline(never)]
    pub(crate) fn release(self) {
        drop(self);
    }

    /// Returns a narrow copy of `len` counts; if the array is not significant, the same address. `None` if a
    /// count is too large. Never inlined into functions that forward calls, which must have nothing to clean up.
    #[inline(never)]
    pub(crate) fn narrow(&mut self, wide: &CountArray, len: u32) -> Option<*const c_int> {
        if len == 0 || wide.address().is_null() {
            return Some(wide.address().cast());
        }
        let narrow: Option<Array> = (0..len).map(|at| c_int::try_from(wide.get(at)).ok()).collect();
        let narrow = narrow?;
        if self.lifetime == ArrayLifetime::Persistent {
            let mut stored = PERSISTENT.lock().unwrap_or_else(PoisonError::into_inner);
            let stored = stored.get_or_insert_default();
            if !stored.contains(&narrow) {
                stored.insert(narrow.clone());
            }
            // The address stays valid, because the array is boxed and never removed.
            return stored.get(&narrow).map(|array| array.as_ptr());
        }
        let at = narrow.as_ptr();
        self.copies.push(narrow);
        Some(at)
    }
}

impl Drop for Arrays {
    fn drop(&mut self) {
        if self.lifetime == ArrayLifetime::Nonblocking {
            let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
            recent.extend(self.copies.drain(..));
            let old = recent.len().saturating_sub(MAX_RECENT);
            recent.drain(..old);
        }
    }
}

/// Conversion of an argument of a large-count form; `None` if the value does not fit an `int`.
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
same!(Int, Wide, Disp, Comm, Type, Win, Op, File, Object);

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
same_address!(Buf, NewWin, Pointer, Request, Types);

impl Narrow for CountOut<LargeC> {
    type Narrowed = CountOut<C>;
    fn narrow(self, _: &mut Arrays) -> Option<CountOut<C>> {
        if !self.0.is_null() {
            // SAFETY: the address is not null, and the standard requires the address of an `MPI_Count`. The
            // library writes the low half.
            unsafe { self.0.cast::<i64>().cast_mut().write_unaligned(0) };
        }
        Some(CountOut(self.0, PhantomData))
    }
}

macro_rules! arrays {
    ($($kind:ident of $len:ident),+) => {$(
        impl Narrow for $kind<LargeC> {
            type Narrowed = $kind<C>;
            fn narrow(self, arrays: &mut Arrays) -> Option<$kind<C>> {
                let len = arrays.array_lengths.$len;
                // SAFETY: the array is null or has this length (condition of `Arrays::new`).
                let wide = unsafe { self.of(len) };
                let at: *const c_int = arrays.narrow(&wide, len)?;
                Some($kind(at.cast::<c_void>(), PhantomData))
            }
        }
    )+};
}
arrays!(SendCounts of sent, SendDispls of sent, RecvCounts of received, RecvDispls of received);

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::marker::PhantomData;

    use super::{ArrayLengths, ArrayLifetime, Arrays, Narrow};
    use crate::arguments::{Count, Fortran, Int, LargeC, RecvCounts, SendCounts, SendDispls};

    fn counts(wide: &[i64]) -> SendCounts<LargeC> {
        SendCounts(wide.as_ptr().cast(), PhantomData)
    }

    fn ints(at: *const std::ffi::c_void, len: usize) -> Vec<c_int> {
        // SAFETY: the tests pass the length that they have narrowed, while the array exists.
        unsafe { std::slice::from_raw_parts(at.cast(), len) }.to_vec()
    }

    fn arrays(sent: u32, lifetime: ArrayLifetime) -> Arrays {
        // SAFETY: the tests narrow arrays of `sent` counts.
        unsafe { Arrays::new(ArrayLengths { sent, received: 0 }, lifetime) }
    }

    #[test]
    fn counts_are_narrowed_if_they_fit() {
        let mut arrays = arrays(3, ArrayLifetime::Blocking);
        let narrowed = counts(&[1, 2, c_int::MAX.into()]).narrow(&mut arrays).unwrap();
        assert_eq!(ints(narrowed.0, 3), [1, 2, c_int::MAX]);
        assert!(counts(&[1, 2, i64::from(c_int::MAX) + 1]).narrow(&mut arrays).is_none());
        assert!(Count::<LargeC>(1 << 31).narrow(&mut arrays).is_none());
        assert_eq!(Count::<LargeC>(-1).narrow(&mut arrays).map(Count::get), Some(-1));
    }

    #[test]
    fn insignificant_arrays_are_not_copied() {
        let mut arrays = arrays(3, ArrayLifetime::Blocking);
        let nothing = SendDispls::<LargeC>(std::ptr::null(), PhantomData);
        assert!(nothing.narrow(&mut arrays).unwrap().0.is_null());
        let invalid = RecvCounts::<LargeC>(std::ptr::without_provenance(8), PhantomData);
        assert_eq!(invalid.narrow(&mut arrays).unwrap().0.addr(), 8);
    }

    #[test]
    fn copies_outlive_the_call() {
        let narrow = |lifetime| counts(&[7, 8]).narrow(&mut arrays(2, lifetime)).unwrap().0;
        let (nonblocking, persistent) =
            (narrow(ArrayLifetime::Nonblocking), narrow(ArrayLifetime::Persistent));
        assert_eq!((ints(nonblocking, 2), ints(persistent, 2)), (vec![7, 8], vec![7, 8]));
        assert_eq!(persistent, narrow(ArrayLifetime::Persistent), "the same array again");
    }

    #[test]
    fn arrays_of_all_widths_are_read() {
        let narrow = [5 as c_int, 6];
        // SAFETY: `narrow` has two elements.
        let array = unsafe { SendCounts::<Fortran>(narrow.as_ptr().cast(), PhantomData).of(2) };
        assert_eq!((array.get(0), array.get(1), array.get(2)), (5, 6, 0));
        let wide = [1 << 40, 6];
        // SAFETY: `wide` has two elements.
        let array = unsafe { counts(&wide).of(2) };
        assert_eq!((array.get(0), array.get(1), array.get(2)), (1 << 40, 6, 0));
        assert_eq!(Int::<Fortran>(&raw const narrow[1]).get(), 6);
    }
}
