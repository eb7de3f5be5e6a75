//! LEVEL and the watermarks: one present value, and the marks that it leaves.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
};

use super::mark::Mark;
use super::{AmountValue, Cell};
use crate::object::Object;
use crate::threads;

/// A level, and the marks of those who watch it.
///
/// A level is never negative, and the bits of non-negative numbers, integers and `f64` alike, order like the
/// numbers; so levels are compared as bits.
///
/// Each watermark handle has a mark of its own, and an update moves those that run. Nobody watches most of the
/// time; then an update is a store, a load and a branch.
///
/// An update writes the level and then looks for running marks; a mark begins to run and then looks at the level.
/// Both are sequentially consistent, so one of the two sees the other, and no level is missed.
///
/// All zeros are a level of 0 without marks; other images keep one as `struct mpit_level`.
#[derive(Debug)]
#[repr(C)]
pub struct Gauge {
    pub(crate) level: AtomicU64,
    /// How many marks run, or are about to.
    pub(crate) running: AtomicU32,
    /// All marks ever made: those of freed handles are used again.
    pub(crate) marks: AtomicPtr<Mark>,
    /// A [`ReachedFunction`] of the image that made the marks, or null: then they are this image's.
    pub(crate) reached: AtomicPtr<c_void>,
}

/// Moves the running marks of a gauge to a level that was reached.
pub(crate) type ReachedFunction = unsafe extern "C" fn(gauge: *const Gauge, level: u64);

impl Gauge {
    pub(crate) const fn new(level: u64) -> Self {
        Self {
            level: AtomicU64::new(level),
            running: AtomicU32::new(0),
            marks: AtomicPtr::new(null_mut()),
            reached: AtomicPtr::new(null_mut()),
        }
    }

    #[inline]
    fn set(&self, level: u64) {
        if threads::concurrent() {
            self.level.swap(level, SeqCst);
        } else {
            self.level.store(level, Relaxed);
        }
        self.leave_marks(level);
    }

    /// Replaces the level by a function of it.
    #[inline]
    fn change(&self, next: impl Fn(u64) -> u64) {
        let mut seen = self.level.load(Relaxed);
        if !threads::concurrent() {
            return self.set(next(seen));
        }
        loop {
            let level = next(seen);
            match self.level.compare_exchange_weak(seen, level, SeqCst, Relaxed) {
                Ok(_) => return self.leave_marks(level),
                Err(now) => seen = now,
            }
        }
    }

    /// Has this image's function move the marks, whichever image sets the level; whether no other image's does already.
    /// The function comes in a static: a compiler may give one function several addresses, but what a static holds is one
    /// of them for the life of the process.
    pub(crate) fn bind(&self, function: &'static ReachedFunction) -> bool {
        let ours = *function as *mut c_void;
        match self.reached.compare_exchange(null_mut(), ours, AcqRel, Acquire) {
            Ok(_) => true,
            Err(known) => known == ours,
        }
    }

    /// Returns true if [`Self::bind`] was called with this function.
    pub(crate) fn is_bound_to(&self, function: &'static ReachedFunction) -> bool {
        self.reached.load(Acquire) == *function as *mut c_void
    }

    /// Moves the running marks, which this image made, to a level that was reached.
    pub(crate) fn move_marks(&self, level: u64) {
        self.marks().for_each(|mark| mark.observe(level));
    }

    /// Sees to it that the running marks are moved to a level that was reached.
    #[inline]
    fn leave_marks(&self, level: u64) {
        if self.running.load(SeqCst) != 0 {
            let reached = self.reached.load(Acquire);
            if reached.is_null() {
                return self.move_marks(level);
            }
            // SAFETY: not null, so it is what `bind` stored.
            let function = unsafe { std::mem::transmute::<*mut c_void, ReachedFunction>(reached) };
            // SAFETY: a gauge is what it takes.
            unsafe { function(self, level) };
        }
    }

    /// The present level, as a word.
    #[doc(hidden)]
    pub fn level(&self) -> u64 {
        self.level.load(SeqCst)
    }

    fn marks(&self) -> impl Iterator<Item = &'static Mark> {
        let follow = |link: &AtomicPtr<Mark>| {
            let mark = link.load(Acquire);
            // SAFETY: null, or a mark that `take_mark` leaked.
            unsafe { mark.as_ref() }
        };
        std::iter::successors(follow(&self.marks), move |mark| follow(&mark.next))
    }

    /// Whether a handle owns a mark. Another image's marks cannot be asked, so they count.
    pub(super) fn is_watched(&self) -> bool {
        if self.reached.load(Acquire).is_null() {
            self.marks().any(Mark::is_taken)
        } else {
            !self.marks.load(Acquire).is_null()
        }
    }

    /// A mark for one handle, at the beginning of its life. To be given back by [`Mark::retire`].
    pub(crate) fn take_mark(&'static self, highest: bool) -> &'static Mark {
        if let Some(mark) = self.marks().find(|mark| mark.take(highest)) {
            return mark;
        }
        let mark: &'static Mark = Box::leak(Box::new(Mark::new(self, highest)));
        let mut first = self.marks.load(Relaxed);
        loop {
            mark.next.store(first, Relaxed);
            let link = std::ptr::from_ref(mark).cast_mut();
            match self.marks.compare_exchange(first, link, AcqRel, Relaxed) {
                Ok(_) => return mark,
                Err(now) => first = now,
            }
        }
    }
}

/// Declares one view of a [`Gauge`].
macro_rules! gauge_cell {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T: AmountValue> {
            gauge: Gauge,
            of: PhantomData<fn() -> T>,
        }

        impl<T: AmountValue> $name<T> {
            /// A level of 0.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
            pub const fn new() -> Self {
                Self { gauge: Gauge::new(0), of: PhantomData }
            }

            /// Sets the level. Negative numbers and NaN count as 0.
            #[inline]
            pub fn set(&self, level: T) {
                self.gauge.set(level.at_least_zero().to_word());
            }

            /// The present level.
            #[inline]
            #[must_use]
            pub fn get(&self) -> T {
                T::from_word(self.gauge.level())
            }
        }

        impl $name<u32> {
            /// Raises the level; it stays at the type's maximum rather than overflow.
            #[inline]
            pub fn raise(&self, by: u32) {
                self.gauge.change(|level| u64::from((level as u32).saturating_add(by)));
            }

            /// Lowers the level; it stays at 0 rather than become negative.
            #[inline]
            pub fn lower(&self, by: u32) {
                self.gauge.change(|level| u64::from((level as u32).saturating_sub(by)));
            }
        }

        impl $name<u64> {
            /// Raises the level; it stays at the type's maximum rather than overflow.
            #[inline]
            pub fn raise(&self, by: u64) {
                self.gauge.change(|level| level.saturating_add(by));
            }

            /// Lowers the level; it stays at 0 rather than become negative.
            #[inline]
            pub fn lower(&self, by: u64) {
                self.gauge.change(|level| level.saturating_sub(by));
            }
        }

        impl<T: AmountValue> super::sealed::Sealed for $name<T> {}

        impl<T: AmountValue> Cell for $name<T> {
            type Value = T;

            fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
                out[0] = self.get();
                Ok(())
            }

            fn gauge(&self) -> Option<&Gauge> {
                Some(&self.gauge)
            }
        }
    };
}

gauge_cell! {
    /// The cell of a LEVEL: the present use of a resource. It also knows its extremes, so the same static can be
    /// published as high and low watermark, too: `#[pvar(class = "LEVEL", highwatermark, lowwatermark)]`.
    Level
}

gauge_cell! {
    /// The cell of a HIGHWATERMARK: set to the present level, it shows each handle the highest one since the
    /// handle was started or reset.
    HighWatermark
}

gauge_cell! {
    /// The cell of a LOWWATERMARK: set to the present level, it shows each handle the lowest one since the
    /// handle was started or reset.
    LowWatermark
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{Cell, Gauge, Level, ReachedFunction};

    static REACHED: AtomicU64 = AtomicU64::new(0);

    static OURS: ReachedFunction = reached;
    static THEIRS: ReachedFunction = another;

    /// Stands for the function of another image, which knows the marks.
    unsafe extern "C" fn reached(gauge: *const Gauge, level: u64) {
        REACHED.store(level, Relaxed);
        // SAFETY: who calls it gives its own gauge.
        unsafe { &*gauge }.move_marks(level);
    }

    unsafe extern "C" fn another(_gauge: *const Gauge, level: u64) {
        REACHED.store(level + 1, Relaxed);
    }

    #[test]
    fn marks_of_another_image_are_moved_by_its_function() {
        static LEVEL: Level<u64> = Level::new();
        let gauge = LEVEL.gauge().expect("a level has a gauge");
        assert!(gauge.bind(&OURS) && gauge.bind(&OURS) && !gauge.bind(&THEIRS));
        assert!(!gauge.is_watched());
        let mark = gauge.take_mark(true);
        LEVEL.set(3);
        assert_eq!(REACHED.load(Relaxed), 0, "no mark runs");
        assert_eq!(mark.start(), Ok(true));
        LEVEL.set(7);
        LEVEL.lower(5);
        assert_eq!((REACHED.load(Relaxed), mark.read()), (2, 7));
        mark.retire();
        assert!(gauge.is_watched(), "nobody here can say whose the mark is");
    }
}
