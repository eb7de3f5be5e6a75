//! Where the values of performance variables of other images live.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::from_ref;
use std::sync::atomic::{
    AtomicU8, AtomicU32, AtomicU64,
    Ordering::{Relaxed, Release},
};

use super::abi::{CountFunction, LevelFunction, ReadFunction, Sum, WatchFunction};
use crate::cell::{Cell, Gauge, ReachedFunction, Value};
use crate::desc::{Head, PvarDesc};
use crate::object::Object;
use crate::readable::is_writable;
use crate::words::{Bind, Class, Datatype};
use crate::{Error, Result};

/// More elements than this are a mistake.
pub(super) const MOST_ELEMENTS: usize = 1 << 24;

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(super) enum Origins {
    /// A sum that is kept while somebody looks.
    Sum(&'static Sum),
    /// A level, which watermarks follow.
    Level(&'static Gauge),
    /// A level for each object.
    LevelOf(LevelFunction),
    /// Elements in the image's memory, for ever and aligned.
    Storage(*const c_void),
    /// A function.
    Function(ReadFunction),
}

/// How many elements there are.
#[derive(Clone, Copy)]
pub(super) enum Count {
    Fixed(usize),
    /// As many as a function says for an object.
    Of(CountFunction),
}

/// All that makes the cell of a variable.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) value: Origins,
    pub(super) count: Count,
    pub(super) bind: Bind,
    pub(super) watch: Option<WatchFunction>,
    /// What all the functions want to be given.
    pub(super) user_data: *mut c_void,
}

/// The cell of a variable of another image.
struct Foreign<T> {
    place: Place,
    of: PhantomData<fn() -> T>,
}

// SAFETY: storage is read atomically, and the header says that functions are called by any thread.
unsafe impl<T> Sync for Foreign<T> {}

impl Place {
    /// The level of an object, if it has one.
    fn level_of(&self, function: LevelFunction, object: &Object<'_>) -> Option<&'static Gauge> {
        // SAFETY: the function is the table's, and is given what it wants.
        let at = unsafe { function(self.user_data, object) };
        // SAFETY: not null and aligned, and there for ever as the header says; all its members are atomic, and the header
        // has it begin as zeros.
        if at.is_aligned() { unsafe { at.as_ref() } } else { None }
    }

    fn count(&self, object: &Object<'_>) -> usize {
        match (self.value, self.count) {
            // An object without a level is refused.
            (Origins::LevelOf(_), _) => usize::from(self.gauge(object).is_some()),
            (_, Count::Fixed(count)) => count,
            (_, Count::Of(function)) => {
                // SAFETY: the function is the table's, and is given what it wants.
                let count = unsafe { function(self.user_data, object) };
                usize::try_from(count).ok().filter(|count| *count <= MOST_ELEMENTS).unwrap_or(0)
            }
        }
    }

    /// The level behind a watermark. Its marks will be ours.
    fn gauge(&self, object: &Object<'_>) -> Option<&'static Gauge> {
        /// What is asked for without an object has this one; no handle is bound to it.
        static NONE: Gauge = Gauge::new(0);
        match self.value {
            Origins::Level(gauge) => Some(gauge),
            Origins::LevelOf(_) if object.kind() != self.bind => Some(&NONE),
            Origins::LevelOf(function) => {
                let gauge = self.level_of(function, object)?;
                // Not asked of a level that is bound already: handles come here often.
                let can_bind =
                    || is_writable(from_ref(gauge).cast(), size_of::<Gauge>()) && gauge.bind(&REACHED);
                if gauge.is_bound_to(&REACHED) || can_bind() { Some(gauge) } else { None }
            }
            _ => None,
        }
    }
}

impl<T: Value> crate::cell::sealed::Sealed for Foreign<T> {}

impl<T: Value> Cell for Foreign<T> {
    type Value = T;

    fn count(&self, object: &Object<'_>) -> usize {
        self.place.count(object)
    }

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> Result<()> {
        match self.place.value {
            Origins::Sum(sum) => out[0] = T::from_word(sum.word.load(Relaxed)),
            Origins::Level(gauge) => out[0] = T::from_word(gauge.level()),
            Origins::LevelOf(function) => {
                let gauge = self.place.level_of(function, object).ok_or(Error::Invalid)?;
                out[0] = T::from_word(gauge.level());
            }
            Origins::Storage(start) => {
                for (place, out) in out.iter_mut().enumerate() {
                    // SAFETY: a handle has as many elements as the table said, and they lie there.
                    *out = unsafe { load(start.cast::<T>().wrapping_add(place)) };
                }
            }
            Origins::Function(function) => {
                let start = out.as_mut_ptr().cast();
                // SAFETY: the function is the table's, and `out` has as many elements.
                let answer = unsafe { function(self.place.user_data, object, start, out.len() as c_int) };
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

    fn gauge_of(&self, object: &Object<'_>) -> Option<&Gauge> {
        self.place.gauge(object)
    }

    fn watch(&self, more: i32) {
        if let Origins::Sum(sum) = self.place.value {
            // `Release`: who sees the watcher sees what was set before.
            sum.watchers.fetch_add(more.cast_unsigned(), Release);
        }
        if let Some(watch) = self.place.watch {
            // SAFETY: the function is the table's, and is given what it wants.
            unsafe { watch(self.place.user_data, more) };
        }
    }
}

/// [`reached`] at one address: it is how this image knows that a level is bound to it.
pub(super) static REACHED: ReachedFunction = reached;

/// `reached` of a `struct mpit_level`: moves the watermarks, which are ours.
///
/// # Safety
///
/// `level` is null or a level as the header says, which [`Gauge::bind`] was called for.
unsafe extern "C" fn reached(level: *const Gauge, word: u64) {
    // SAFETY: by the caller's promise; all its members are atomic.
    if let Some(gauge) = unsafe { level.as_ref() } {
        // What panicked was a defect of ours; the panic hook has told where.
        let _ = catch_unwind(AssertUnwindSafe(|| gauge.move_marks(word)));
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
pub(super) fn pvar(head: Head, class: Class, datatype: Datatype, place: Place) -> PvarDesc {
    fn of<T: Value>(head: Head, class: Class, place: Place) -> PvarDesc {
        let cell = Foreign::<T> { place, of: PhantomData };
        PvarDesc::new(head, class, Box::leak(Box::new(cell)))
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
    make(head, class, place).datatype(datatype).bind(place.bind)
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    unsafe extern "C" fn level_of(user_data: *mut c_void, _object: *const Object<'_>) -> *const Gauge {
        user_data.cast_const().cast()
    }

    #[test]
    fn levels_that_cannot_be_written_are_refused() {
        const LEN: usize = 4096;
        let (flags, object) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, Object::new(Bind::Comm, 7));
        // SAFETY: makes a mapping of its own, which nothing else refers to.
        let page = unsafe { libc::mmap(null_mut(), LEN, libc::PROT_READ, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let value = Origins::LevelOf(level_of);
        let place = Place { value, count: Count::Fixed(1), bind: Bind::Comm, watch: None, user_data: page };
        assert_eq!(place.count(&object), 0);
        // SAFETY: the mapping, whose zeros are a level.
        assert_eq!(unsafe { libc::mprotect(page, LEN, libc::PROT_READ | libc::PROT_WRITE) }, 0);
        assert_eq!(place.count(&object), 1);
        // It is bound, and not written for this any more. The mapping stays, as levels do.
        // SAFETY: the mapping.
        assert_eq!(unsafe { libc::mprotect(page, LEN, libc::PROT_READ) }, 0);
        assert_eq!(place.count(&object), 1);
    }
}
