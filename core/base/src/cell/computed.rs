//! Computed variables: functions that are called when the variable is read.

use std::marker::PhantomData;

use super::{Cell, Value};
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::vocabulary::Bind;

/// A computed variable, implemented by the expansion of the `pvar` attribute on a function.
#[doc(hidden)]
pub trait ComputedPvar: Send + Sync + 'static {
    type Value: Value;
    /// The kind of object that the function takes.
    const BIND: Bind;
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// True if there is one element for any object, and no function `count`.
    const IS_SCALAR: bool = true;

    fn count(_object: &Object<'_>) -> usize {
        1
    }

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// The error of the function.
    fn fill(object: &Object<'_>, out: &mut [Self::Value]) -> crate::Result<()>;

    /// Counts a handle that is started (+1) or stopped (-1).
    fn watch(_more: i32) {}
}

/// The cell of a computed variable.
#[derive(Debug)]
#[doc(hidden)]
pub struct Computed<F> {
    of: PhantomData<fn() -> F>,
}

impl<F> Computed<F> {
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self { of: PhantomData }
    }
}

impl<F: ComputedPvar> super::sealed::Sealed for Computed<F> {}

impl<F: ComputedPvar> Cell for Computed<F> {
    type Value = F::Value;
    const BIND: Bind = F::BIND;
    const ENUMERATION: Option<&'static EnumDesc> = F::ENUMERATION;
    const IS_SCALAR: bool = F::IS_SCALAR;

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

/// A function that computes the values of many variables, which have numbers. These share one type of cell; with a function of its own,
/// each has a type of its own, whose functions are pointers that the dynamic linker writes when the image is loaded.
#[doc(hidden)]
pub trait NumberedPvars: Send + Sync + 'static {
    /// The type of the values.
    type Value: Value;

    /// Returns the value of the variable with a number.
    fn value(number: u32) -> Self::Value;
}

/// The cell of one of the variables that a function computes.
#[derive(Debug)]
#[doc(hidden)]
pub struct Numbered<F> {
    number: u32,
    of: PhantomData<fn() -> F>,
}

impl<F> Numbered<F> {
    /// Creates the cell of the variable with a number.
    pub const fn new(number: u32) -> Self {
        Self { number, of: PhantomData }
    }
}

impl<F: NumberedPvars> super::sealed::Sealed for Numbered<F> {}

impl<F: NumberedPvars> Cell for Numbered<F> {
    type Value = F::Value;

    fn fill(&self, _object: &Object<'_>, out: &mut [F::Value]) -> crate::Result<()> {
        out.fill(F::value(self.number));
        Ok(())
    }
}
