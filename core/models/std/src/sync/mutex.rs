//! A lock that can be created in a constant, and for which the threads of a model wait.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, PoisonError};

use crate::execution::{self, Binding};

/// `std::sync::Mutex`.
#[derive(Default)]
pub struct Mutex<T> {
    binding: Binding,
    /// Free whenever the lock of the model is held.
    data: sync::Mutex<T>,
}

/// `std::sync::MutexGuard`.
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    /// Declared, and so dropped, before `_turn`.
    data: sync::MutexGuard<'a, T>,
    _turn: loom::sync::MutexGuard<'static, ()>,
}

impl<T> Mutex<T> {
    /// Creates a lock that is free.
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self { binding: Binding::new(), data: sync::Mutex::new(data) }
    }

    /// Waits for the lock and takes it.
    ///
    /// # Errors
    ///
    /// Never; the signature is the one of the standard library.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let turn = execution::lock(&self.binding).lock().unwrap_or_else(PoisonError::into_inner);
        Ok(MutexGuard { data: self.data.lock().unwrap_or_else(PoisonError::into_inner), _turn: turn })
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data.fmt(f)
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.data
    }
}
