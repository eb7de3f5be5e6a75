//! Where the values of variables from C live.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit::cell::{Cell, Gauge, Value};
use mpit::desc::{Origin, PvarDesc};
use mpit::object::Object;
use mpit::words::{Class, Datatype};
use mpit::{Error, Result};

use super::layout::{ReadFunction, Sum};

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(super) enum Origins {
    /// A sum that is kept while somebody looks.
    Sum(&'static Sum),
    /// A level, which watermarks follow.
    Level(&'static Gauge),
    /// Elements in C's memory, for ever and aligned.
    Storage(*const c_void),
    /// A function of C's, and what it wants to be given.
    Function(ReadFunction, *mut c_void),
}

/// The cell of a variable from C.
struct Foreign<T> {
    count: usize,
    value: Origins,
    of: std::marker::PhantomData<fn() -> T>,
}

// SAFETY: storage is read atomically, and the header says that functions are called by any thread.
unsafe impl<T> Sync for Foreign<T> {}

impl<T: Value> Cell for Foreign<T> {
    type Value = T;

    fn count(&self, _object: &Object<'_>) -> usize {
        self.count
    }

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> Result<()> {
        match self.value {
            Origins::Sum(sum) => out[0] = T::from_word(sum.word.load(Relaxed)),
            Origins::Level(gauge) => out[0] = T::from_word(gauge.level()),
            Origins::Storage(start) => {
                for (place, out) in out.iter_mut().take(self.count).enumerate() {
                    // SAFETY: `count` elements lie there, as the table said.
                    *out = unsafe { load(start.cast::<T>().wrapping_add(place)) };
                }
            }
            Origins::Function(function, user_data) => {
                let start = out.as_mut_ptr().cast();
                // SAFETY: the function is the table's, and `out` has as many elements.
                let answer = unsafe { function(user_data, object.id(), start, out.len() as c_int) };
                if answer != 0 {
                    return Err(Error::Invalid);
                }
            }
        }
        // Tools take text to its NUL.
        if T::DATATYPE == Datatype::Char
            && let Some(last) = out.last_mut()
        {
            *last = T::from_word(0);
        }
        Ok(())
    }

    fn gauge(&self) -> Option<&Gauge> {
        match self.value {
            Origins::Level(gauge) => Some(gauge),
            _ => None,
        }
    }

    fn watch(&self, more: i32) {
        if let Origins::Sum(sum) = self.value {
            sum.watchers.fetch_add(more.cast_unsigned(), Relaxed);
        }
    }
}

/// One element, in one load.
///
/// # Safety
///
/// `at` is valid for atomic reads, and aligned.
pub(super) unsafe fn load<T: Value>(at: *const T) -> T {
    let at = at.cast_mut();
    let word = match size_of::<T>() {
        1 => {
            // SAFETY: by the caller's promise.
            let atomic = unsafe { AtomicU8::from_ptr(at.cast()) };
            u64::from(atomic.load(Relaxed))
        }
        4 => {
            // SAFETY: by the caller's promise.
            let atomic = unsafe { AtomicU32::from_ptr(at.cast()) };
            u64::from(atomic.load(Relaxed))
        }
        _ => {
            // SAFETY: by the caller's promise; values have 1, 4 or 8 bytes.
            let atomic = unsafe { AtomicU64::from_ptr(at.cast()) };
            atomic.load(Relaxed)
        }
    };
    T::from_word(word)
}

/// A descriptor with its cell.
pub(super) fn pvar(
    name: &'static str,
    class: Class,
    datatype: Datatype,
    count: usize,
    value: Origins,
    origin: Origin,
) -> PvarDesc {
    fn of<T: Value>(
        name: &'static str,
        class: Class,
        count: usize,
        value: Origins,
        origin: Origin,
    ) -> PvarDesc {
        let cell = Foreign::<T> { count, value, of: std::marker::PhantomData };
        PvarDesc::new(name, class, Box::leak(Box::new(cell)), origin)
    }
    let make = match datatype {
        Datatype::Int | Datatype::Int32 => of::<i32>,
        Datatype::Int64 | Datatype::Count => of::<i64>,
        Datatype::Unsigned | Datatype::Uint32 => of::<u32>,
        Datatype::UnsignedLong if size_of::<std::ffi::c_ulong>() == 4 => of::<u32>,
        Datatype::UnsignedLong | Datatype::UnsignedLongLong | Datatype::Uint64 => of::<u64>,
        Datatype::Char => of::<u8>,
        Datatype::Double => of::<f64>,
    };
    make(name, class, count, value, origin).datatype(datatype)
}
