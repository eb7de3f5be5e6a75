//! A map from MPI handles to the objects behind them, read without locks.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use mpit::internal::lock::Mutex;

use crate::abi::Handle;

/// The maximum number of tables, each twice as long as the one before. The first has 64 slots.
const MAX_TABLES: usize = 26;
const FIRST_LEN: usize = 64;

/// The number of slots of the cache, a power of two.
const CACHE_SLOTS: usize = 64;

/// The golden ratio times 2^64, a multiplier that distributes its products over all upper bits.
const HASH_MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The handle of a removed entry: no flavor has a live handle of this value.
const REMOVED: Handle = 0;

#[derive(Debug)]
struct Entry<T> {
    handle: AtomicUsize,
    value: T,
}

/// The slots of a hash table with open addressing and linear probing.
type Slots<T> = Box<[AtomicPtr<Entry<T>>]>;

/// A map from handles to values. MPI libraries reuse handles, so an entry ends with its object, and another
/// one may follow under the same handle.
///
/// A lookup takes no lock, and costs a load and a comparison for a handle in the cache. Entries are never
/// freed: a thread that uses the value of an object which is freed meanwhile reads stale data, never unmapped
/// memory. [`Table::insert_reusing`] reuses removed entries.
#[derive(Debug)]
pub struct Table<T: 'static> {
    tables: [OnceLock<Slots<T>>; MAX_TABLES],
    newest: AtomicUsize,
    /// The cache of recent lookups, by hash. A slot whose entry has got another handle meanwhile does not
    /// match.
    cache: [AtomicPtr<Entry<T>>; CACHE_SLOTS],
    writer: Mutex<WriterState<T>>,
}

#[derive(Debug)]
struct WriterState<T: 'static> {
    /// The number of slots in use in the newest table, including removed entries.
    used: usize,
    removed: Vec<&'static Entry<T>>,
}

impl<T: Sync + Send> Table<T> {
    /// Creates an empty map.
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            tables: [const { OnceLock::new() }; MAX_TABLES],
            newest: AtomicUsize::new(0),
            cache: [const { AtomicPtr::new(std::ptr::null_mut()) }; CACHE_SLOTS],
            writer: Mutex::new(WriterState { used: 0, removed: Vec::new() }),
        }
    }

    /// Returns the value of a handle.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&'static T> {
        self.cached(handle).or_else(|| self.search(handle))
    }

    /// Returns the value of a handle from the cache of recent lookups; makes no calls.
    #[inline]
    pub fn cached(&self, handle: Handle) -> Option<&'static T> {
        // SAFETY: the slot is null or refers to an entry of this table, and entries are leaked.
        let entry = unsafe { self.cache[cache_slot(handle)].load(Acquire).as_ref() }?;
        if handle != REMOVED && entry.handle.load(Acquire) == handle { Some(&entry.value) } else { None }
    }

    #[inline(never)]
    fn search(&self, handle: Handle) -> Option<&'static T> {
        let entry = Self::probe(self.tables[self.newest.load(Acquire)].get()?, handle)?;
        self.cache[cache_slot(handle)].store(std::ptr::from_ref(entry).cast_mut(), Release);
        Some(&entry.value)
    }

    fn probe(table: &[AtomicPtr<Entry<T>>], handle: Handle) -> Option<&'static Entry<T>> {
        let mask = table.len() - 1;
        let mut at = hash(handle) & mask;
        loop {
            // SAFETY: the slot is null or refers to an entry, and entries are leaked.
            let entry: &'static Entry<T> = unsafe { table[at].load(Acquire).as_ref() }?;
            if handle != REMOVED && entry.handle.load(Acquire) == handle {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
    }

    /// Inserts a handle, unless it is present, with the value that `value` returns.
    pub fn insert(&self, handle: Handle, value: impl FnOnce() -> T) -> &'static T {
        self.insert_with(handle, |_| {
            Box::leak(Box::new(Entry { handle: AtomicUsize::new(REMOVED), value: value() }))
        })
    }

    /// Inserts a handle, unless it is present, and reuses a removed entry if there is one. `fill` sets the
    /// value.
    pub fn insert_reusing(&self, handle: Handle, fill: impl FnOnce(&T)) -> &'static T
    where
        T: Default,
    {
        self.insert_with(handle, |removed| {
            let entry = removed.pop().unwrap_or_else(|| {
                Box::leak(Box::new(Entry { handle: AtomicUsize::new(REMOVED), value: T::default() }))
            });
            fill(&entry.value);
            entry
        })
    }

    fn insert_with(
        &self,
        handle: Handle,
        make: impl FnOnce(&mut Vec<&'static Entry<T>>) -> &'static Entry<T>,
    ) -> &'static T {
        let mut writer = self.writer.lock();
        let newest = self.newest.load(Relaxed);
        let mut table = self.tables[newest].get_or_init(|| empty(FIRST_LEN));
        if let Some(entry) = Self::probe(table, handle) {
            return &entry.value;
        }
        // At most half full, to keep probe sequences short.
        if writer.used * 2 >= table.len() {
            let larger = self.tables[newest + 1].get_or_init(|| empty(table.len() * 2));
            let live = table.iter().filter_map(|slot| {
                // SAFETY: the slot is null or refers to an entry, and entries are leaked.
                unsafe { slot.load(Relaxed).as_ref() }
            });
            writer.used = 0;
            for entry in live.filter(|entry| entry.handle.load(Relaxed) != REMOVED) {
                store_entry(larger, entry.handle.load(Relaxed), entry);
                writer.used += 1;
            }
            self.newest.store(newest + 1, Release);
            table = larger;
        }
        let entry = make(&mut writer.removed);
        // The handle is stored before the slot, so a thread that finds the entry sees all of it.
        entry.handle.store(handle, Release);
        if store_entry(table, handle, entry) {
            writer.used += 1;
        }
        &entry.value
    }

    /// Removes a handle if `is_it` accepts its value. Returns true if it did.
    pub fn remove_if(&self, handle: Handle, is_it: impl FnOnce(&T) -> bool) -> bool {
        let mut writer = self.writer.lock();
        let table = self.tables[self.newest.load(Relaxed)].get();
        let Some(entry) = table.and_then(|table| Self::probe(table, handle)) else { return false };
        if !is_it(&entry.value) || entry.handle.compare_exchange(handle, REMOVED, AcqRel, Relaxed).is_err() {
            return false;
        }
        writer.removed.push(entry);
        true
    }

    /// Removes a handle whose object is freed. Returns its value.
    pub fn remove(&self, handle: Handle) -> Option<&'static T> {
        let mut writer = self.writer.lock();
        let entry = Self::probe(self.tables[self.newest.load(Relaxed)].get()?, handle)?;
        entry.handle.compare_exchange(handle, REMOVED, AcqRel, Relaxed).ok()?;
        writer.removed.push(entry);
        Some(&entry.value)
    }

    /// Returns all handles and values.
    pub fn values(&self) -> Vec<(Handle, &'static T)> {
        let Some(table) = self.tables[self.newest.load(Acquire)].get() else { return Vec::new() };
        let entries = table.iter().filter_map(|slot| {
            // SAFETY: the slot is null or refers to an entry, and entries are leaked.
            let entry: &'static Entry<T> = unsafe { slot.load(Acquire).as_ref() }?;
            Some((entry.handle.load(Acquire), &entry.value))
        });
        entries.filter(|(handle, _)| *handle != REMOVED).collect()
    }
}

fn empty<T>(slots: usize) -> Slots<T> {
    (0..slots).map(|_| AtomicPtr::default()).collect()
}

/// Stores an entry in the probe sequence of its handle. Returns true if the slot was empty before.
fn store_entry<T>(table: &[AtomicPtr<Entry<T>>], handle: Handle, entry: &'static Entry<T>) -> bool {
    let mask = table.len() - 1;
    let mut at = hash(handle) & mask;
    loop {
        // SAFETY: the slot is null or refers to an entry, and entries are leaked.
        let there = unsafe { table[at].load(Relaxed).as_ref() };
        let is_free = |there: &Entry<T>| std::ptr::eq(there, entry) || there.handle.load(Relaxed) == REMOVED;
        if there.is_none_or(is_free) {
            table[at].store(std::ptr::from_ref(entry).cast_mut(), Release);
            return there.is_none();
        }
        at = (at + 1) & mask;
    }
}

/// Returns the slot of a handle in the cache.
#[inline]
fn cache_slot(handle: Handle) -> usize {
    ((handle as u64).wrapping_mul(HASH_MULTIPLIER) >> (u64::BITS - CACHE_SLOTS.ilog2())) as usize
}

/// Hashes a handle: pointers are multiples of their alignment, and integers come in sequences.
#[inline]
fn hash(handle: Handle) -> usize {
    (handle as u64).wrapping_mul(HASH_MULTIPLIER) as usize >> 32
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn handles_are_used_again() {
        static TABLE: Table<usize> = Table::new();
        for round in 0..1000 {
            for handle in 1..40 {
                assert_eq!(*TABLE.insert(handle, || round * 100 + handle), round * 100 + handle);
            }
            for handle in 1..40 {
                assert_eq!(TABLE.get(handle), Some(&(round * 100 + handle)));
                assert_eq!(TABLE.remove(handle), Some(&(round * 100 + handle)));
                assert_eq!(TABLE.get(handle), None);
                assert_eq!(TABLE.remove(handle), None);
            }
        }
    }

    #[test]
    fn dead_entries_are_not_found() {
        static TABLE: Table<usize> = Table::new();
        for handle in 1..1000 {
            TABLE.insert(handle, || handle);
            assert_eq!(TABLE.get(handle), Some(&handle));
            TABLE.remove(handle);
            assert_eq!((TABLE.get(handle), TABLE.cached(0), TABLE.get(0)), (None, None, None));
        }
    }

    #[test]
    fn grows() {
        static TABLE: Table<usize> = Table::new();
        for handle in 1..5000 {
            TABLE.insert(handle * 64, || handle);
        }
        assert!((1..5000).all(|handle| TABLE.get(handle * 64) == Some(&handle)));
        assert_eq!(TABLE.values().len(), 4999);
        assert_eq!(TABLE.get(7), None);
        assert_eq!(TABLE.get(0), None);
    }
}
