//! SIZE, PERCENTAGE, STATE and GENERIC: cells with a present value.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{AmountValue, Cell, EnumValue, Value};
use crate::desc::EnumDesc;
use crate::object::Object;

/// The cell of a SIZE: the size of a resource. Negative numbers and NaN count as 0. `T` is `u32`, `u64` or `f64`.
#[derive(Debug)]
pub struct Size<T: AmountValue> {
    word: AtomicU64,
    of: PhantomData<fn() -> T>,
}

impl<T: AmountValue> Size<T> {
    /// Creates a size of 0.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { word: AtomicU64::new(0), of: PhantomData }
    }

    /// Sets the size.
    #[inline]
    pub fn set(&self, size: T) {
        self.word.store(size.at_least_zero().to_word(), Relaxed);
    }

    /// Returns the present size.
    #[must_use]
    pub fn get(&self) -> T {
        T::from_word(self.word.load(Relaxed))
    }
}

impl<T: AmountValue> super::sealed::Sealed for Size<T> {}

impl<T: AmountValue> Cell for Size<T> {
    type Value = T;

    fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        out[0] = self.get();
        Ok(())
    }
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
    #[must_use]
    pub const fn new(share: f64) -> Self {
        assert!(share >= 0.0 && share <= 1.0, "a PERCENTAGE is a share from 0.0 to 1.0");
        Self { word: AtomicU64::new(share.to_bits()) }
    }

    /// Sets the share, clamped to 0.0 to 1.0; NaN counts as 0.
    #[inline]
    pub fn set(&self, share: f64) {
        self.word.store(clamped(share).to_bits(), Relaxed);
    }

    /// Returns the present share.
    #[must_use]
    pub fn get(&self) -> f64 {
        f64::from_bits(self.word.load(Relaxed))
    }
}

fn clamped(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
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
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
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
    #[must_use]
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

/// The cell of a GENERIC: a value of any type, to be documented in its description.
#[derive(Debug)]
pub struct Generic<T: Value> {
    word: AtomicU64,
    of: PhantomData<fn() -> T>,
}

impl<T: Value> Generic<T> {
    /// Creates a cell with the value 0.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { word: AtomicU64::new(0), of: PhantomData }
    }

    /// Sets the value.
    #[inline]
    pub fn set(&self, value: T) {
        self.word.store(value.to_word(), Relaxed);
    }

    /// Returns the present value.
    #[must_use]
    pub fn get(&self) -> T {
        T::from_word(self.word.load(Relaxed))
    }
}

impl<T: Value> super::sealed::Sealed for Generic<T> {}

impl<T: Value> Cell for Generic<T> {
    type Value = T;

    fn fill(&self, _object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        out[0] = self.get();
        Ok(())
    }
}
