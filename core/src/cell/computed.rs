//! Variables that are functions: computed when they are read.

use std::marker::PhantomData;

use super::{Cell, Value};
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::words::Bind;

/// What the `pvar` attribute makes of a function.
#[doc(hidden)]
pub trait ComputedPvar: Send + Sync + 'static {
    /// The type of one element.
    type Value: Value;
    /// What the function takes.
    const BIND: Bind;
    /// The enumeration of what it returns.
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// Elements for this object.
    fn count(_object: &Object<'_>) -> usize {
        1
    }

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// When the value cannot be had.
    fn fill(object: &Object<'_>, out: &mut [Self::Value]) -> crate::Result<()>;

    /// One handle more (+1) or less (-1) is looking.
    fn watch(_more: i32) {}
}

/// The cell of a variable that is a function.
#[derive(Debug)]
pub struct Computed<F> {
    of: PhantomData<fn() -> F>,
}

impl<F> Computed<F> {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { of: PhantomData }
    }
}

impl<F: ComputedPvar> super::sealed::Sealed for Computed<F> {}

impl<F: ComputedPvar> Cell for Computed<F> {
    type Value = F::Value;
    const BIND: Bind = F::BIND;
    const ENUMERATION: Option<&'static EnumDesc> = F::ENUMERATION;

    fn count(&self, object: &Object<'_>) -> usize {
        F::count(object)
    }

    fn fill(&self, object: &Object<'_>, out: &mut [F::Value]) -> crate::Result<()> {
        F::fill(object, out)
    }

    fn watch(&self, more: i32) {
        F::watch(more);
    }
}
