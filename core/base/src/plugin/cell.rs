//! Cells of performance variables of other images.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::from_ref;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use crate::abi::{CountFunction, LevelFunction, ReadFunction, Sum, WatchFunction};
use crate::cell::{Cell, LevelStorage, PvarDesc, ReachedFunction, Value};
use crate::desc::Metadata;
use crate::leak::leak;
use crate::object::Object;
use crate::os::readable::is_writable;
use crate::panic::catch_panic;
use crate::vocabulary::{Bind, Class, Datatype};
use crate::{Error, Result};

/// The largest number of elements of a variable; more are taken for a mistake.
pub(super) const MAX_ELEMENTS: usize = 1 << 24;

/// The source of a variable's value.
#[derive(Clone, Copy)]
pub(super) enum ValueSource {
    /// A sum that is updated while a handle runs.
    Sum(&'static Sum),
    /// A level, and the watermarks that follow it.
    Level(&'static LevelStorage),
    /// A function that returns the level of an object.
    LevelOf(LevelFunction),
    /// Aligned elements in the image's memory, valid for the rest of the process.
    Storage(*const c_void),
    Function(ReadFunction),
}

#[derive(Clone, Copy)]
pub(super) enum Count {
    Fixed(usize),
    Of(CountFunction),
}

#[derive(Clone, Copy)]
pub(super) struct ForeignSource {
    pub(super) value: ValueSource,
    pub(super) count: Count,
    pub(super) bind: Bind,
    pub(super) watch: Option<WatchFunction>,
    /// The argument of all functions.
    pub(super) user_data: *mut c_void,
}

/// The cell of a variable of another image.
struct Foreign<T> {
    source: ForeignSource,
    of: PhantomData<fn() -> T>,
}

// SAFETY: storage is read atomically, the cells are atomic, and the table's functions may be called by any thread
// (`mpit_plugin.h`).
unsafe impl<T> Sync for Foreign<T> {}

impl ForeignSource {
    fn level_of(&self, function: LevelFunction, object: &Object<'_>) -> Option<&'static LevelStorage> {
        // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and a live object.
        let at = unsafe { function(self.user_data, object) };
        // SAFETY: null, or aligned (checked) and valid for the rest of the process, as `mpit_plugin.h` requires of the table; all
        // members are atomic, and zero-initialized by the image.
        if at.is_aligned() { unsafe { at.as_ref() } } else { None }
    }

    fn count(&self, object: &Object<'_>) -> usize {
        match (self.value, self.count) {
            // An object without a level has no elements, which refuses the handle.
            (ValueSource::LevelOf(_), _) => usize::from(self.level_storage(object).is_some()),
            (_, Count::Fixed(count)) => count,
            (_, Count::Of(function)) => {
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and a live object.
                let count = unsafe { function(self.user_data, object) };
                usize::try_from(count).ok().filter(|count| *count <= MAX_ELEMENTS).unwrap_or(0)
            }
        }
    }

    /// Returns the level that a watermark follows, bound to this host.
    fn level_storage(&self, object: &Object<'_>) -> Option<&'static LevelStorage> {
        /// The level for queries without an object. No handle is bound to it.
        static NONE: LevelStorage = LevelStorage::new(0);
        match self.value {
            ValueSource::Level(level_storage) => Some(level_storage),
            ValueSource::LevelOf(_) if object.kind() != self.bind => Some(&NONE),
            ValueSource::LevelOf(function) => {
                let level_storage = self.level_of(function, object)?;
                // `is_writable` makes a system call, so it is skipped for a level that is bound already: this runs for every
                // access.
                let can_bind = || {
                    is_writable(from_ref(level_storage).cast(), size_of::<LevelStorage>())
                        && level_storage.bind(&REACHED)
                };
                if level_storage.is_bound_to(&REACHED) || can_bind() { Some(level_storage) } else { None }
            }
            _ => None,
        }
    }
}

impl<T: Value> crate::cell::sealed::Sealed for Foreign<T> {}

impl<T: Value> Cell for Foreign<T> {
    type Value = T;
    const IS_SCALAR: bool = false;

    fn count(&self, object: &Object<'_>) -> usize {
        self.source.count(object)
    }

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> Result<()> {
        match self.source.value {
            ValueSource::Sum(sum) => out[0] = T::from_word(sum.word.load(Relaxed)),
            ValueSource::Level(level_storage) => out[0] = T::from_word(level_storage.level()),
            ValueSource::LevelOf(function) => {
                let level_storage = self.source.level_of(function, object).ok_or(Error::Invalid)?;
                out[0] = T::from_word(level_storage.level());
            }
            ValueSource::Storage(start) => {
                for (at, out) in out.iter_mut().enumerate() {
                    let at = start.cast::<T>().wrapping_add(at).cast();
                    // SAFETY: a handle has as many elements as the table states, the storage has them too, and `pvar` checked its
                    // alignment.
                    *out = T::from_word(unsafe { load_word(at, size_of::<T>()) });
                }
            }
            ValueSource::Function(function) => {
                // One element is stored to a word, so that a function that stores a `long` for an `int` overwrites nothing.
                let mut word = 0_u64;
                let start = if out.len() == 1 { (&raw mut word).cast() } else { out.as_mut_ptr().cast() };
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and a buffer of
                // `out.len()` elements.
                let answer = unsafe { function(self.source.user_data, object, start, out.len() as c_int) };
                if answer != 0 {
                    return Err(Error::Invalid);
                }
                if let [element] = out {
                    // SAFETY: a word is aligned for and at least as large as each `Value` type, of which all bit patterns are
                    // values.
                    *element = unsafe { (&raw const word).cast::<T>().read() };
                }
            }
        }
        // Tools expect text to end with a NUL.
        if T::DATATYPE == Datatype::Char
            && let Some(last) = out.last_mut()
        {
            *last = T::from_word(0);
        }
        Ok(())
    }

    fn level_storage_of(&self, object: &Object<'_>) -> Option<&LevelStorage> {
        self.source.level_storage(object)
    }

    fn watch(&self, more: i32) {
        if let ValueSource::Sum(sum) = self.source.value {
            // `Release`: an image that sees the watcher also sees what `Cells::bind` stored.
            sum.watchers.fetch_add(more.cast_unsigned(), Release);
        }
        if let Some(watch) = self.source.watch {
            // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data`.
            unsafe { watch(self.source.user_data, more) };
        }
    }
}

/// The function [`reached`] at one address, by which this image recognizes levels that are bound to it.
pub(super) static REACHED: ReachedFunction = reached;

/// Moves the watermarks of a level, which are in this image: `reached` of a `struct mpit_level`.
///
/// # Safety
///
/// `level` is null or a level as `mpit_plugin.h` specifies, for which [`LevelStorage::bind`] was called.
unsafe extern "C" fn reached(level: *const LevelStorage, word: u64) {
    // SAFETY: null or a level that is valid for the rest of the process: the image's code calls this with its own level; all
    // members are atomic.
    if let Some(level_storage) = unsafe { level.as_ref() } {
        // A panic is a defect of this crate and must not reach the image; the panic hook has reported it.
        let _ = catch_panic(|| level_storage.move_cursors(word));
    }
}

/// Loads one element of 1, 4 or 8 bytes atomically.
///
/// # Safety
///
/// `at` is valid for atomic reads, and aligned.
pub(super) unsafe fn load_word(at: *const u8, size: usize) -> u64 {
    let at = at.cast_mut();
    match size {
        // SAFETY: the caller ensures that `at` is valid for atomic reads and aligned.
        1 => u64::from(unsafe { AtomicU8::from_ptr(at) }.load(Relaxed)),
        // SAFETY: the caller ensures that `at` is valid for atomic reads and aligned.
        4 => u64::from(unsafe { AtomicU32::from_ptr(at.cast()) }.load(Relaxed)),
        // SAFETY: the caller ensures that `at` is valid for atomic reads and aligned.
        _ => unsafe { AtomicU64::from_ptr(at.cast()) }.load(Relaxed),
    }
}

pub(super) fn pvar(metadata: Metadata, class: Class, datatype: Datatype, source: ForeignSource) -> PvarDesc {
    fn of<T: Value>(metadata: Metadata, class: Class, source: ForeignSource) -> PvarDesc {
        let cell = Foreign::<T> { source, of: PhantomData };
        PvarDesc::new(metadata, class, leak(cell))
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
    make(metadata, class, source).with_datatype(datatype).with_bind(source.bind)
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    unsafe extern "C" fn level_of(user_data: *mut c_void, _object: *const Object<'_>) -> *const LevelStorage {
        user_data.cast_const().cast()
    }

    unsafe extern "C" fn store_long(
        _: *mut c_void,
        _: *const Object<'_>,
        out: *mut c_void,
        _: c_int,
    ) -> c_int {
        // SAFETY: `fill` passes a buffer of a word for a variable with one element.
        unsafe { out.cast::<i64>().write_unaligned(i64::from_ne_bytes([1; 8])) };
        0
    }

    #[test]
    fn a_long_for_an_int_overwrites_nothing() {
        let (value, user_data) = (ValueSource::Function(store_long), null_mut());
        let source =
            ForeignSource { value, count: Count::Fixed(1), bind: Bind::NoObject, watch: None, user_data };
        let cell = Foreign::<i32> { source, of: PhantomData };
        let mut out = [7; 3];
        cell.fill(&Object::NONE, &mut out[1..2]).unwrap();
        assert_eq!(out, [7, i32::from_ne_bytes([1; 4]), 7]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "protects memory from writes")]
    fn unwritable_levels_are_refused() {
        const LEN: usize = 4096;
        let (flags, object) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, Object::new(Bind::Comm, 7));
        // SAFETY: an anonymous mapping at an address that the kernel chooses, so it replaces no memory.
        let page = unsafe { libc::mmap(null_mut(), LEN, libc::PROT_READ, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let value = ValueSource::LevelOf(level_of);
        let source =
            ForeignSource { value, count: Count::Fixed(1), bind: Bind::Comm, watch: None, user_data: page };
        assert_eq!(source.count(&object), 0);
        // SAFETY: `page` is the mapping of `LEN` bytes from above, and nothing but `source` refers to it.
        assert_eq!(unsafe { libc::mprotect(page, LEN, libc::PROT_READ | libc::PROT_WRITE) }, 0);
        assert_eq!(source.count(&object), 1);
        // The level is bound by now, so it is not written any more. The mapping is leaked, as levels are never freed.
        // SAFETY: `page` is the mapping of `LEN` bytes from above, and reads remain permitted.
        assert_eq!(unsafe { libc::mprotect(page, LEN, libc::PROT_READ) }, 0);
        assert_eq!(source.count(&object), 1);
    }
}
