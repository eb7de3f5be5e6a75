//! An atomic, optional `&'static T`, exchanged without locks.

use std::fmt;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

/// A slot for a `&'static T`, empty at first.
pub struct StaticRef<T: 'static>(AtomicPtr<T>);

impl<T: Sync> StaticRef<T> {
    /// Creates an empty slot.
    pub const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// Returns the reference, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: the pointer is null or comes from a `&'static T` that `set` stored, so it is valid and never mutably aliased.
        unsafe { self.0.load(Acquire).as_ref() }
    }

    /// Replaces the reference.
    pub fn set(&self, reference: Option<&'static T>) {
        let pointer = match reference {
            Some(to) => std::ptr::from_ref(to).cast_mut(),
            None => null_mut(),
        };
        self.0.store(pointer, Release);
    }
}

impl<T: Sync> Default for StaticRef<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for StaticRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StaticRef").field(&self.0).finish()
    }
}
