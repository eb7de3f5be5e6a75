//! A map from small numbers to cells that is read and filled without locks on the way of a message.

use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::lock::Mutex;
use crate::log::Log;

/// A table's place is empty (null), or points to the entry in the list of values.
type Place<T> = AtomicPtr<(u32, T)>;

/// Open addressing with linear probing; the number of places is a power of two, and some are empty.
type Table<T> = Box<[Place<T>]>;

/// Places of the first table; tables double.
const FIRST: usize = 16;

/// A map from `u32` keys to values that are made on first use, never move and never go away.
///
/// Memory grows with the keys used, whatever their size: per-peer records of a job of a million processes cost
/// what the peers spoken to cost. Finding a value takes no lock; making one does, once per key.
#[derive(Debug)]
pub struct Sparse<T> {
    /// The newest of `tables`, which holds all keys; null while there is none.
    table: AtomicPtr<Table<T>>,
    /// All there ever were: somebody may still be looking through an old one.
    tables: Log<Table<T>>,
    values: Log<(u32, T)>,
    making: Mutex<()>,
}

impl<T> Sparse<T> {
    /// An empty map.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            table: AtomicPtr::new(null_mut()),
            tables: Log::new(),
            values: Log::new(),
            making: Mutex::new(()),
        }
    }

    /// The value of a key, if it was ever used.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "looked up for each message, where a call would cost as much again"
    )]
    pub fn get(&self, key: u32) -> Option<&T> {
        // SAFETY: null, or an item of `tables`: those never move and live as long as `self`, and only shared
        // references to them are ever made.
        let table = unsafe { self.table.load(Acquire).as_ref() }?;
        let mask = table.len().wrapping_sub(1);
        let mut at = scatter(key) & mask;
        loop {
            // SAFETY: null, or an item of `values`, for which the same holds.
            let (found, value) = unsafe { table.get(at)?.load(Acquire).as_ref() }?;
            if *found == key {
                return Some(value);
            }
            at = (at + 1) & mask;
        }
    }

    /// The keys and values there are, in the order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.values.iter().map(|(key, value)| (*key, value))
    }

    /// How many keys were used.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no key was used.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T: Default> Sparse<T> {
    /// The value of a key, made if need be.
    #[inline]
    pub fn entry(&self, key: u32) -> &T {
        self.entry_with(key, T::default)
    }
}

impl<T> Sparse<T> {
    /// The value of a key, made like this if need be: once, and by one thread.
    #[inline]
    pub fn entry_with(&self, key: u32, make: impl FnOnce() -> T) -> &T {
        self.get(key).unwrap_or_else(|| self.make(key, make))
    }

    #[cold]
    fn make(&self, key: u32, make: impl FnOnce() -> T) -> &T {
        let _alone = self.making.lock();
        if let Some(value) = self.get(key) {
            return value;
        }
        let entry = append(&self.values, (key, make()));
        let newest = self.tables.len().checked_sub(1).and_then(|at| self.tables.get(at));
        match newest {
            // At most three quarters full, so that probing ends soon.
            Some(table) if self.values.len() * 4 <= table.len() * 3 => insert(table, entry),
            _ => {
                let places = newest.map_or(FIRST, |table| 2 * table.len());
                let larger = append(&self.tables, (0..places).map(|_| AtomicPtr::new(null_mut())).collect());
                for entry in self.values.iter() {
                    insert(larger, entry);
                }
                // Readers that see the table see what is in it.
                self.table.store(std::ptr::from_ref(larger).cast_mut(), Release);
            }
        }
        &entry.1
    }
}

/// Appends to a list that nobody else appends to at the same time.
fn append<U>(log: &Log<U>, item: U) -> &U {
    let index = log.push(item).unwrap_or_else(|_| panic!("a list of {} items is full", log.len()));
    log.get(index).expect("pushed just now")
}

fn insert<T>(table: &Table<T>, entry: &(u32, T)) {
    let mask = table.len() - 1;
    let mut at = scatter(entry.0) & mask;
    while !table[at].load(Relaxed).is_null() {
        at = (at + 1) & mask;
    }
    // Readers that see the place see the value.
    table[at].store(std::ptr::from_ref(entry).cast_mut(), Release);
}

/// Spreads keys over a table; ranks come in rows and strides.
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
            map.entry(key).fetch_add(u64::from(key) + 1, Relaxed);
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
        let map: Sparse<AtomicU64> = Sparse::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..10_u64 {
                        for key in 0..1000 {
                            map.entry(key).fetch_add(round, Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(map.len(), 1000);
        assert!(map.iter().all(|(_, value)| value.load(Relaxed) == 4 * 45));
    }
}
