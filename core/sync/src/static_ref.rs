//! Atomic, optional references to statics, exchanged without locks.

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

/// A slot for a `&'static T`, empty at first.
#[derive(Debug)]
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

/// A slot for two `&'static T`, empty at first.
///
/// One comparison finds out if both are there.
#[derive(Debug)]
pub struct StaticPair<T: 'static> {
    first: AtomicPtr<T>,
    /// Not null once `first` was not null.
    second: AtomicPtr<T>,
}

impl<T: Sync> StaticPair<T> {
    /// Creates an empty slot.
    pub const fn new() -> Self {
        Self { first: AtomicPtr::new(null_mut()), second: AtomicPtr::new(null_mut()) }
    }

    /// Returns the references, if they are there. They may be of different pairs if another thread replaces them meanwhile.
    #[inline]
    pub fn get(&self) -> Option<(&'static T, &'static T)> {
        // SAFETY: the pointer is null or comes from a `&'static T` that `set` stored, so it is valid and never mutably aliased.
        let first = unsafe { self.first.load(Acquire).as_ref() }?;
        // SAFETY: `set` stored a `&'static T` before it stored the first one, and never stores null.
        let second = unsafe { &*self.second.load(Acquire) };
        Some((first, second))
    }

    /// Replaces the references.
    #[inline]
    pub fn set(&self, references: Option<(&'static T, &'static T)>) {
        let first = references.map_or(null_mut(), |(first, second)| {
            self.second.store(std::ptr::from_ref(second).cast_mut(), Release);
            std::ptr::from_ref(first).cast_mut()
        });
        self.first.store(first, Release);
    }
}

impl<T: Sync> Default for StaticPair<T> {
    fn default() -> Self {
        Self::new()
    }
}
