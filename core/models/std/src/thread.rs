//! `std::thread`, with the threads of loom.

pub use ::std::thread::*;

use std::sync::{Mutex, PoisonError};
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

/// A cell of which each thread of a model has its own.
#[derive(Debug)]
pub struct LocalCell<T> {
    initial: T,
    /// The number of the execution, and the values in it.
    values: Mutex<(u64, Vec<(loom::thread::ThreadId, T)>)>,
}

impl<T: Copy> LocalCell<T> {
    /// Creates a cell with the value that it has in each thread at first.
    #[must_use]
    pub const fn new(initial: T) -> Self {
        Self { initial, values: Mutex::new((0, Vec::new())) }
    }

    fn with<R>(&self, access: impl FnOnce(&mut T) -> R) -> R {
        let id = loom::thread::current().id();
        let mut content = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, values) = &mut *content;
        if *number != execution::number() {
            *number = execution::number();
            values.clear();
        }
        let position = values.iter().position(|(of, _)| *of == id).unwrap_or_else(|| {
            values.push((id, self.initial));
            values.len() - 1
        });
        access(&mut values[position].1)
    }

    /// Returns the value.
    pub fn get(&self) -> T {
        self.with(|value| *value)
    }

    /// Sets the value.
    pub fn set(&self, new: T) {
        self.with(|value| *value = new);
    }

    /// Sets the value to its default, and returns the former one.
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.with(std::mem::take)
    }
}
