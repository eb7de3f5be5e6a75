//! A map from small integers to cells, for lookups on the path of a message.

use std::ptr::NonNull;
use std::sync::atomic::AtomicPtr;

use crate::lock::Mutex;
use crate::log::Log;
use crate::memory;
use crate::probe_table::ProbeTable;

/// The number of slots of the first table. Each further one is twice as large.
const FIRST: usize = 16;

/// A map from `u32` keys to values that are created on first use, and never moved or removed.
///
/// Memory grows with the number of keys used, not with their size: per-peer records of a job with a million processes cost as
/// much as the peers communicated with. Lookups take no lock; creating a value takes one, once per key.
#[derive(Debug)]
pub struct Sparse<T> {
    /// Pointers to the entries of `values`.
    table: ProbeTable<AtomicPtr<(u32, T)>>,
    values: Log<(u32, T)>,
    making: Mutex<()>,
}

impl<T> Sparse<T> {
    /// Creates an empty map.
    pub const fn new() -> Self {
        Self { table: ProbeTable::new(), values: Log::new(), making: Mutex::new(()) }
    }

    /// Returns the value of a key, if the key was ever used.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "looked up for each message, where a call would cost as much again"
    )]
    pub fn get(&self, key: u32) -> Option<&T> {
        self.table.find(scatter(key), |entry| {
            // SAFETY: an item of `values`, which never moves, is valid as long as `self`, and is only borrowed shared.
            let (found, value) = unsafe { entry.as_ref() };
            if *found == key { Some(value) } else { None }
        })
    }

    /// Returns the keys and values, in the order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.values.iter().map(|(key, value)| (*key, value))
    }

    /// Returns the number of keys used.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if no key was used.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T: Default> Sparse<T> {
    /// Returns the value of a key, created if necessary; `None` if memory is short.
    #[inline]
    pub fn entry(&self, key: u32) -> Option<&T> {
        self.entry_with(key, || Some(T::default()))
    }
}

impl<T> Sparse<T> {
    /// Returns the value of a key, created with `make` if necessary: once, by one thread. Returns `None` if `make` does, or if memory is
    /// short.
    #[inline]
    pub fn entry_with(&self, key: u32, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        self.get(key).or_else(|| self.make(key, make))
    }

    /// Returns the bytes by which the list or the table grows with the next value.
    fn growth(&self) -> usize {
        let (len, slots) = (self.values.len(), self.table.capacity());
        let of_table = if (len + 1) * 4 <= slots * 3 { 0 } else { 2 * slots * size_of::<AtomicPtr<T>>() };
        of_table + Log::<(u32, T)>::growth(len)
    }

    #[cold]
    fn make(&self, key: u32, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        let _alone = self.making.lock();
        if let Some(value) = self.get(key) {
            return Some(value);
        }
        if !memory::admits(self.growth()) {
            return None;
        }
        let index = self.values.push((key, make()?)).ok()?;
        let entry = self.values.get(index)?;
        let slots = self.table.capacity();
        // At most three quarters full, which keeps probe sequences short.
        if self.values.len() * 4 <= slots * 3 {
            self.table.insert(scatter(key), NonNull::from(entry));
        } else {
            let entries = self.values.iter().map(|entry| (scatter(entry.0), NonNull::from(entry)));
            self.table.replace((2 * slots).max(FIRST), entries);
        }
        Some(&entry.1)
    }
}

/// Hashes a key, since ranks come in ranges and strides.
#[inline]
fn scatter(key: u32) -> usize {
    (u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::Sparse;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn finds_what_was_made_and_nothing_else() {
        let map: Sparse<AtomicU64> = Sparse::new();
        assert!(map.get(0).is_none());
        for key in (0..100_000).step_by(97).chain([u32::MAX, u32::MAX - 1]) {
            map.entry(key).unwrap().fetch_add(u64::from(key) + 1, Relaxed);
        }
        for (key, value) in map.iter() {
            assert_eq!(value.load(Relaxed), u64::from(key) + 1);
            assert!(std::ptr::eq(map.get(key).unwrap(), value));
        }
        assert_eq!(map.len(), 100_000_usize.div_ceil(97) + 2);
        assert!(map.get(1).is_none());
    }

    #[test]
    fn threads_make_each_value_once() {
        const KEYS: u32 = if cfg!(miri) { 50 } else { 1000 };
        let map: Sparse<AtomicU64> = Sparse::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..10_u64 {
                        for key in 0..KEYS {
                            map.entry(key).unwrap().fetch_add(round, Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(map.len(), KEYS as usize);
        assert!(map.iter().all(|(_, value)| value.load(Relaxed) == 4 * 45));
    }
}
