//! LEVEL and the watermarks: one present value, and the extremes it reached.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::{AmountValue, Cell};
use crate::object::Object;
use crate::threads;

/// A level with the extremes of the present interval.
///
/// A level is never negative, and the bits of non-negative numbers, integers and `f64` alike, order like the
/// numbers; so extremes are kept on bits.
///
/// The interval is cut whenever a watermark handle is started or reset (see [`crate::session`]): the extremes so
/// far are folded into the marks of the running handles, and start again at the present level. An update
/// touches the present interval only.
#[derive(Debug)]
pub struct Gauge {
    level: AtomicU64,
    high: AtomicU64,
    low: AtomicU64,
    /// Somebody is cutting. Owned by [`crate::session`].
    pub(crate) cutting: AtomicBool,
}

impl Gauge {
    const fn new(level: u64) -> Self {
        Self {
            level: AtomicU64::new(level),
            high: AtomicU64::new(level),
            low: AtomicU64::new(level),
            cutting: AtomicBool::new(false),
        }
    }

    #[inline]
    fn set(&self, level: u64) {
        self.level.store(level, Relaxed);
        self.observe(level);
    }

    /// Widens the present interval to a level that was reached.
    #[inline]
    fn observe(&self, level: u64) {
        if level > self.high.load(Relaxed) {
            self.high.fetch_max(level, Relaxed);
        }
        if level < self.low.load(Relaxed) {
            self.low.fetch_min(level, Relaxed);
        }
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
            match self.level.compare_exchange_weak(seen, level, Relaxed, Relaxed) {
                Ok(_) => return self.observe(level),
                Err(now) => seen = now,
            }
        }
    }

    /// The present level.
    pub(crate) fn level(&self) -> u64 {
        self.level.load(Relaxed)
    }

    /// The highest level of the present interval.
    pub(crate) fn high(&self) -> u64 {
        self.high.load(Relaxed)
    }

    /// The lowest level of the present interval.
    pub(crate) fn low(&self) -> u64 {
        self.low.load(Relaxed)
    }

    /// Starts a new interval at the present level, unless the extremes are no longer those given.
    pub(crate) fn cut(&self, high: u64, low: u64) -> Result<u64, ()> {
        let level = self.level();
        if self.high.compare_exchange(high, level, Relaxed, Relaxed).is_err() {
            return Err(());
        }
        if self.low.compare_exchange(low, level, Relaxed, Relaxed).is_err() {
            // The old high is folded already; folding the new one again next time does no harm.
            return Err(());
        }
        // A level set between the reading and the exchanges is in the old interval or in neither.
        self.observe(self.level());
        Ok(level)
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
