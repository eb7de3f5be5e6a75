//! SIZE, PERCENTAGE, STATE and GENERIC: cells with a present value.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{AmountValue, Cell, EnumValue, Value};
use crate::desc::EnumDesc;
use crate::object::Object;

/// Declares a public cell type with a present value, which `$admit` makes admissible.
macro_rules! current_cell {
    ($(#[$doc:meta])* $name:ident: $bound:ident, $admit:path) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T: $bound> {
            word: AtomicU64,
            of: PhantomData<fn() -> T>,
        }

        impl<T: $bound> $name<T> {
            /// Creates a cell with the value 0.
            pub const fn new() -> Self {
                Self { word: AtomicU64::new(0), of: PhantomData }
            }

            /// Sets the value.
            #[inline]
            pub fn set(&self, value: T) {
                self.word.store($admit(value).to_word(), Relaxed);
            }

            /// Returns the present value.
            pub fn get(&self) -> T {
                T::from_word(self.word.load(Relaxed))
            }
        }

        impl<T: $bound> super::sealed::Sealed for $name<T> {}

        impl<T: $bound> Cell for $name<T> {
            type Value = T;

            fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
                out[0] = self.get();
                Ok(())
            }
        }
    };
}

current_cell! {
    /// The cell of a SIZE: the size of a resource. Negative numbers and NaN count as 0. `T` is `u32`, `u64` or `f64`.
    Size: AmountValue, AmountValue::at_least_zero
}

current_cell! {
    /// The cell of a GENERIC: a value of any type, to be documented in its description.
    Generic: Value, std::convert::identity
}

/// The cell of a PERCENTAGE: the used share of a finite resource, from 0.0 to 1.0.
#[derive(Debug)]
pub struct Percentage {
    word: AtomicU64,
}

impl Percentage {
    /// Creates a share.
    ///
    /// # Panics
    ///
    /// Panics if it is outside of 0.0 to 1.0; in a static it does not compile.
    pub const fn new(share: f64) -> Self {
        assert!(share >= 0.0 && share <= 1.0, "a PERCENTAGE is a share from 0.0 to 1.0");
        Self { word: AtomicU64::new(share.to_bits()) }
    }

    /// Sets the share, clamped to 0.0 to 1.0; NaN counts as 0.
    #[inline]
    pub fn set(&self, share: f64) {
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.word.store(share.to_bits(), Relaxed);
    }

    /// Returns the present share.
    pub fn get(&self) -> f64 {
        f64::from_bits(self.word.load(Relaxed))
    }
}

impl super::sealed::Sealed for Percentage {}

impl Cell for Percentage {
    type Value = f64;

    fn fill(&self, _object: &Object<'_>, out: &mut [f64]) -> crate::Result<()> {
        out[0] = self.get();
        Ok(())
    }
}

/// The cell of a STATE: one of a set of states. `E` is an enum that derives [`MpitEnum`](trait@crate::MpitEnum).
#[derive(Debug)]
pub struct State<E: EnumValue> {
    word: AtomicU64,
    of: PhantomData<fn() -> E>,
}

impl<E: EnumValue> State<E> {
    /// Creates a cell in the state of the enumeration's first item.
    pub const fn new() -> Self {
        let first = E::DESC.items()[0].value();
        Self { word: AtomicU64::new(first.cast_unsigned() as u64), of: PhantomData }
    }

    /// Sets the state.
    #[inline]
    pub fn set(&self, state: E) {
        self.word.store(state.value().to_word(), Relaxed);
    }

    /// Returns the present state.
    #[allow(clippy::missing_panics_doc, reason = "only values of `E` are ever stored")]
    pub fn get(&self) -> E {
        E::from_value(i32::from_word(self.word.load(Relaxed))).expect("only states are stored")
    }
}

impl<E: EnumValue> super::sealed::Sealed for State<E> {}

impl<E: EnumValue> Cell for State<E> {
    type Value = i32;
    const ENUMERATION: Option<&'static EnumDesc> = Some(E::DESC);

    fn fill(&self, _object: &Object<'_>, out: &mut [i32]) -> crate::Result<()> {
        out[0] = i32::from_word(self.word.load(Relaxed));
        Ok(())
    }
}
