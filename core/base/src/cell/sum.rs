//! COUNTER, AGGREGATE and TIMER: monotonic sums.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::{AmountValue, AtomicReadReset, Behavior, Cell, CounterValue};
use crate::host::threads;
use crate::object::Object;

/// A sum that is counted while a handle is started.
#[derive(Debug)]
struct CounterCore {
    word: AtomicU64,
    watchers: AtomicU32,
}

impl CounterCore {
    const fn new() -> Self {
        Self { word: AtomicU64::new(0), watchers: AtomicU32::new(0) }
    }

    #[inline]
    fn watched(&self) -> bool {
        self.watchers.load(Relaxed) != 0
    }

    #[inline]
    fn add<T: AmountValue>(&self, amount: T) {
        if self.watched() {
            self.add_watched(amount);
        }
    }

    #[inline]
    fn add_watched<T: AmountValue>(&self, amount: T) {
        if T::INTEGER {
            threads::add(&self.word, amount.to_word());
        } else {
            // There is no atomic addition of `f64`, so this is a compare-exchange loop.
            let amount = amount.at_least_zero();
            let mut seen = self.word.load(Relaxed);
            while let Err(now) = self.word.compare_exchange_weak(seen, T::add(seen, amount), Relaxed, Relaxed)
            {
                seen = now;
            }
        }
    }

    fn clear(&self) {
        self.word.store(0, Relaxed);
    }

    fn watch(&self, more: i32) {
        self.watchers.fetch_add(more.cast_unsigned(), Relaxed);
    }
}

/// Declares a public cell type around [`CounterCore`].
macro_rules! sum_cell {
    ($(#[$doc:meta])* $name:ident: $bound:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T: $bound> {
            sum: CounterCore,
            of: PhantomData<fn() -> T>,
        }

        impl<T: $bound> $name<T> {
            /// Creates a sum of 0.
            pub const fn new() -> Self {
                Self { sum: CounterCore::new(), of: PhantomData }
            }

            /// Adds to the sum, if a handle on it is started; otherwise one load and a branch.
            #[inline]
            pub fn add(&self, amount: T) {
                self.sum.add(amount);
            }

            /// Returns true if a handle on it is started, to skip work that only serves the sum.
            #[inline]
            pub fn watched(&self) -> bool {
                self.sum.watched()
            }

            /// Returns the sum, counted while handles were started. Tools see it through their handles.
            pub fn total(&self) -> T {
                T::from_word(self.sum.word.load(Relaxed))
            }

            /// Sets the sum to 0, while no handle refers to it.
            pub(super) fn clear(&self) {
                self.sum.clear();
            }
        }

        impl<T: $bound> super::sealed::Sealed for $name<T> {}

        impl<T: $bound> Cell for $name<T> {
            type Value = T;
            const BEHAVIOR: Behavior = Behavior::Sum;

            fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
                out[0] = self.total();
                Ok(())
            }

            fn watch(&self, more: i32) {
                self.sum.watch(more);
            }
        }

        impl<T: $bound> AtomicReadReset for $name<T> {}
    };
}

sum_cell! {
    /// The cell of a COUNTER: how often something happened. `T` is `u32` or `u64`.
    ///
    /// ```
    /// # use mpit::cell::Counter;
    /// static LOST: Counter<u64> = Counter::new();
    /// LOST.increment(); // no handle is started: one load and a branch
    /// assert_eq!(LOST.total(), 0);
    /// ```
    Counter: CounterValue
}

sum_cell! {
    /// The cell of an AGGREGATE: a sum of amounts, one per event. Negative amounts count as 0. `T` is `u32`, `u64` or `f64`.
    Aggregate: AmountValue
}

sum_cell! {
    /// The cell of a TIMER: time spent, in seconds for `f64`, or in the definition's `unit` for integers (`u32` or
    /// `u64`).
    Timer: AmountValue
}

impl<T: CounterValue> Counter<T> {
    /// Counts one event, if a handle is started.
    #[inline]
    pub fn increment(&self) {
        self.sum.add(T::from_word(1));
    }
}

impl Timer<f64> {
    /// Runs `work` and adds the seconds that it took. The clock is read only while a handle is started.
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> R {
        if !self.watched() {
            return work();
        }
        let start = Instant::now();
        let result = work();
        self.sum.add_watched(start.elapsed().as_secs_f64());
        result
    }
}
