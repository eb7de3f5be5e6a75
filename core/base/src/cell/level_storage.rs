//! LEVEL and the watermarks: a present value, and the watermark cursors that follow it.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};

use super::watermark_cursor::{WatchedLevel, WatermarkCursor};
use super::{AmountValue, Cell, CounterValue};
use crate::host::threads;
use crate::object::Object;

/// A level, and the watermark cursors that follow it.
///
/// A level is never negative, and the bits of non-negative numbers, integers and `f64` alike, are ordered like the numbers; so
/// levels are compared as bits.
///
/// Each watermark handle has its own `WatermarkCursor`, and an update moves those that are started. Without started cursors, an
/// update is a store, a load and a branch.
///
/// An update stores the level and then looks for started cursors; a cursor is started and then loads the level. All these
/// accesses are sequentially consistent, so at least one side sees the other, and no level is missed.
///
/// All zeros are a level of 0 without cursors; other images have one as `struct mpit_level`.
#[derive(Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct LevelStorage {
    pub(crate) watched: WatchedLevel,
    /// The list of all cursors. Those of freed handles are reused.
    pub(crate) cursors: AtomicPtr<WatermarkCursor>,
    /// A [`ReachedFunction`] of the image that made the cursors, or null if this image did.
    pub(crate) reached: AtomicPtr<c_void>,
}

/// Moves the started cursors of a level storage to a new level.
pub(crate) type ReachedFunction = unsafe extern "C" fn(level_storage: *const LevelStorage, level: u64);

impl LevelStorage {
    pub(crate) const fn new(level: u64) -> Self {
        Self {
            watched: WatchedLevel::new(level),
            cursors: AtomicPtr::new(null_mut()),
            reached: AtomicPtr::new(null_mut()),
        }
    }

    #[inline]
    fn set(&self, level: u64) {
        if threads::concurrent() {
            self.watched.level.swap(level, SeqCst);
        } else {
            self.watched.level.store(level, Relaxed);
        }
        self.update_cursors(level);
    }

    #[inline]
    fn change(&self, next: impl Fn(u64) -> u64) {
        let mut seen = self.watched.level.load(Relaxed);
        if !threads::concurrent() {
            return self.set(next(seen));
        }
        loop {
            let level = next(seen);
            match self.watched.level.compare_exchange_weak(seen, level, SeqCst, Relaxed) {
                Ok(_) => return self.update_cursors(level),
                Err(now) => seen = now,
            }
        }
    }

    /// Binds the level to this image's function, which moves the cursors on updates of any image. Returns false if the level is
    /// bound to another image.
    ///
    /// The function is passed in a static, since a compiler may give one function several addresses, and a static holds one of
    /// them.
    pub(crate) fn bind(&self, function: &'static ReachedFunction) -> bool {
        let ours = *function as *mut c_void;
        match self.reached.compare_exchange(null_mut(), ours, AcqRel, Acquire) {
            Ok(_) => true,
            Err(known) => known == ours,
        }
    }

    pub(crate) fn is_bound_to(&self, function: &'static ReachedFunction) -> bool {
        self.reached.load(Acquire) == *function as *mut c_void
    }

    /// Moves the started cursors, which this image made, to a new level.
    pub(crate) fn move_cursors(&self, level: u64) {
        self.cursors().for_each(|cursor| cursor.observe(level));
    }

    /// Moves the started cursors, if there are any, to a new level.
    #[inline]
    fn update_cursors(&self, level: u64) {
        if self.watched.running.load(SeqCst) != 0 {
            let reached = self.reached.load(Acquire);
            if reached.is_null() {
                return self.move_cursors(level);
            }
            // SAFETY: not null, so a `ReachedFunction` that `bind` stored.
            let function = unsafe { std::mem::transmute::<*mut c_void, ReachedFunction>(reached) };
            // SAFETY: `self` is the level storage that the function was bound to.
            unsafe { function(self, level) };
        }
    }

    /// Returns the present level, as a word.
    #[doc(hidden)]
    pub fn level(&self) -> u64 {
        self.watched.load()
    }

    fn cursors(&self) -> impl Iterator<Item = &'static WatermarkCursor> {
        let follow = |link: &AtomicPtr<WatermarkCursor>| {
            let cursor = link.load(Acquire);
            // SAFETY: null, or a cursor that `take_cursor` leaked.
            unsafe { cursor.as_ref() }
        };
        std::iter::successors(follow(&self.cursors), move |cursor| follow(&cursor.next))
    }

    /// Returns true if a handle owns a cursor. Cursors of another image cannot be inspected, so any of them counts.
    pub(super) fn is_watched(&self) -> bool {
        if self.reached.load(Acquire).is_null() {
            self.cursors().any(WatermarkCursor::is_taken)
        } else {
            !self.cursors.load(Acquire).is_null()
        }
    }

    /// Returns an unused cursor for a new handle, to be returned by [`WatermarkCursor::retire`].
    pub(crate) fn take_cursor(&'static self, highest: bool) -> &'static WatermarkCursor {
        if let Some(cursor) = self.cursors().find(|cursor| cursor.take(highest)) {
            return cursor;
        }
        let cursor: &'static WatermarkCursor =
            Box::leak(Box::new(WatermarkCursor::new(&self.watched, highest)));
        let mut first = self.cursors.load(Relaxed);
        loop {
            cursor.next.store(first, Relaxed);
            let link = std::ptr::from_ref(cursor).cast_mut();
            match self.cursors.compare_exchange(first, link, AcqRel, Relaxed) {
                Ok(_) => return cursor,
                Err(now) => first = now,
            }
        }
    }
}

/// Declares a public cell type around a [`LevelStorage`].
macro_rules! level_cell {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T: AmountValue> {
            level_storage: LevelStorage,
            of: PhantomData<fn() -> T>,
        }

        impl<T: AmountValue> $name<T> {
            /// Creates a level of 0.
            pub const fn new() -> Self {
                Self { level_storage: LevelStorage::new(0), of: PhantomData }
            }

            /// Sets the level. Negative numbers and NaN count as 0.
            #[inline]
            pub fn set(&self, level: T) {
                self.level_storage.set(level.at_least_zero().to_word());
            }

            /// Returns the present level.
            #[inline]
            pub fn get(&self) -> T {
                T::from_word(self.level_storage.level())
            }
        }

        impl<T: CounterValue> $name<T> {
            /// Raises the level; it saturates at the type's maximum.
            #[inline]
            pub fn raise(&self, by: T) {
                let max = T::from_word(u64::MAX).to_word();
                self.level_storage.change(|level| level.saturating_add(by.to_word()).min(max));
            }

            /// Lowers the level; it saturates at 0.
            #[inline]
            pub fn lower(&self, by: T) {
                self.level_storage.change(|level| level.saturating_sub(by.to_word()));
            }
        }

        impl<T: AmountValue> super::sealed::Sealed for $name<T> {}

        impl<T: AmountValue> Cell for $name<T> {
            type Value = T;

            fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
                out[0] = self.get();
                Ok(())
            }

            fn level_storage(&self) -> Option<&LevelStorage> {
                Some(&self.level_storage)
            }
        }
    };
}

level_cell! {
    /// The cell of a LEVEL: the present use of a resource. It also knows its extremes, so the same static can be
    /// published as high and low watermark, too: `#[pvar(class = "LEVEL", highwatermark, lowwatermark)]`.
    Level
}

level_cell! {
    /// The cell of a HIGHWATERMARK: set to the present level, it shows each handle the highest level since the handle was started
    /// or reset.
    HighWatermark
}

level_cell! {
    /// The cell of a LOWWATERMARK: set to the present level, it shows each handle the lowest level since the handle was started
    /// or reset.
    LowWatermark
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{Cell, Level, LevelStorage, ReachedFunction};

    static REACHED: AtomicU64 = AtomicU64::new(0);

    static OURS: ReachedFunction = reached;
    static THEIRS: ReachedFunction = another;

    /// A stand-in for the function of another image, which made the cursors.
    unsafe extern "C" fn reached(level_storage: *const LevelStorage, level: u64) {
        REACHED.store(level, Relaxed);
        // SAFETY: the test passes its own static level storage.
        unsafe { &*level_storage }.move_cursors(level);
    }

    unsafe extern "C" fn another(_level_storage: *const LevelStorage, level: u64) {
        REACHED.store(level + 1, Relaxed);
    }

    #[test]
    fn cursors_move_by_the_bound_function() {
        static LEVEL: Level<u64> = Level::new();
        let level_storage = LEVEL.level_storage().expect("a level has a level storage");
        assert!(level_storage.bind(&OURS) && level_storage.bind(&OURS) && !level_storage.bind(&THEIRS));
        assert!(!level_storage.is_watched());
        let cursor = level_storage.take_cursor(true);
        LEVEL.set(3);
        assert_eq!(REACHED.load(Relaxed), 0, "no cursor is started");
        assert_eq!(cursor.start(|| true), Ok(true));
        LEVEL.set(7);
        LEVEL.lower(5);
        assert_eq!((REACHED.load(Relaxed), cursor.read(|| true)), (2, Ok(7)));
        cursor.retire();
        assert!(level_storage.is_watched(), "cursors of another image always count");
    }
}
