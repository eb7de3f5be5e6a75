//! `std::thread`, with the threads of loom.

pub use ::std::thread::*;

use std::cell::Cell;
use std::time::Duration;

use crate::execution;

/// Starts a thread of the model.
pub fn spawn<T: 'static>(work: impl FnOnce() -> T + 'static) -> loom::thread::JoinHandle<T> {
    loom::thread::spawn(work)
}

/// Lets another thread run.
pub fn yield_now() {
    loom::thread::yield_now();
}

/// Lets another thread run; time does not pass in a model.
pub fn sleep(_: Duration) {
    loom::thread::yield_now();
}

/// A variable of which each thread of a model has its own, in each execution.
#[derive(Debug)]
pub struct LocalKey<T: 'static>(fn() -> T);

impl<T> LocalKey<T> {
    /// Creates a variable from the function that returns the value that each thread begins with.
    #[must_use]
    pub const fn new(initial: fn() -> T) -> Self {
        Self(initial)
    }

    /// Passes the value of this thread to a function.
    ///
    /// # Errors
    ///
    /// None; the threads of a model keep their values when they end.
    pub fn try_with<R>(&'static self, access: impl FnOnce(&T) -> R) -> std::result::Result<R, AccessError> {
        Ok(self.with(access))
    }

    fn with<R>(&'static self, access: impl FnOnce(&T) -> R) -> R {
        access(&execution::local(std::ptr::from_ref(self).addr(), self.0))
    }
}

impl<T> LocalKey<Cell<T>> {
    /// Returns the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Sets the value.
    pub fn set(&'static self, new: T) {
        self.with(|cell| cell.set(new));
    }

    /// Sets the value to its default, and returns the former one.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }
}
