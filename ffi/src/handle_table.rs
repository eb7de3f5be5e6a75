//! A map from MPI handles to the objects behind them, read without locks.

use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit_sync::lock::Mutex;
use mpit_sync::probe_table::ProbeTable;

use crate::abi::Handle;

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

/// A map from handles to values. MPI libraries reuse handles, so an entry ends with its object, and another
/// one may follow under the same handle.
///
/// A lookup takes no lock, and costs a load and a comparison for a handle in the cache. Entries are never
/// freed: a thread that uses the value of an object which is freed meanwhile reads stale data, never unmapped
/// memory. [`HandleTable::insert_reusing`] reuses removed entries.
#[derive(Debug)]
pub struct HandleTable<T: 'static> {
    entries: ProbeTable<AtomicPtr<Entry<T>>>,
    /// The cache of recent lookups, by hash. A slot whose entry has got another handle meanwhile does not match.
    cache: [AtomicPtr<Entry<T>>; CACHE_SLOTS],
    writer: Mutex<WriterState<T>>,
}

#[derive(Debug)]
struct WriterState<T: 'static> {
    /// The number of slots in use, including those of removed entries.
    used: usize,
    removed: Vec<&'static Entry<T>>,
}

impl<T: Sync + Send> HandleTable<T> {
    /// Creates an empty map.
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            entries: ProbeTable::new(),
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
        let entry = self.find(handle)?;
        self.cache[cache_slot(handle)].store(std::ptr::from_ref(entry).cast_mut(), Release);
        Some(&entry.value)
    }

    fn find(&self, handle: Handle) -> Option<&'static Entry<T>> {
        self.entries.find(hash(handle), |entry| {
            let entry = leaked(entry);
            if handle != REMOVED && entry.handle.load(Acquire) == handle { Some(entry) } else { None }
        })
    }

    /// Inserts a handle, unless it is present, and reuses a removed entry if there is one. `fill` sets the value.
    pub fn insert_reusing(&self, handle: Handle, fill: impl FnOnce(&T)) -> &'static T
    where
        T: Default,
    {
        let mut writer = self.writer.lock();
        if let Some(entry) = self.find(handle) {
            return &entry.value;
        }
        // At most half full, to keep probe sequences short.
        let capacity = self.entries.capacity();
        if writer.used * 2 >= capacity {
            let live: Vec<_> = self.live().collect();
            writer.used = live.len();
            self.entries.replace((2 * capacity).max(FIRST_LEN), live.into_iter());
        }
        let entry = writer.removed.pop().unwrap_or_else(new_entry);
        fill(&entry.value);
        // The handle is stored before the slot, so a thread that finds the entry sees all of it.
        entry.handle.store(handle, Release);
        let is_free = |there| {
            let there = leaked(there);
            std::ptr::eq(there, entry) || there.handle.load(Relaxed) == REMOVED
        };
        if self.entries.insert_over(hash(handle), NonNull::from(entry), is_free) {
            writer.used += 1;
        }
        &entry.value
    }

    /// Returns the entries that are not removed, with their hashes. Only for the writer.
    fn live(&self) -> impl Iterator<Item = (usize, NonNull<Entry<T>>)> {
        let with_handle = |entry: NonNull<Entry<T>>| (leaked(entry).handle.load(Relaxed), entry);
        let live = self.entries.contents().map(with_handle).filter(|(handle, _)| *handle != REMOVED);
        live.map(|(handle, entry)| (hash(handle), entry))
    }

    /// Removes a handle if `is_it` accepts its value. Returns the value if it did.
    pub fn remove_if(&self, handle: Handle, is_it: impl FnOnce(&T) -> bool) -> Option<&'static T> {
        let mut writer = self.writer.lock();
        let entry = self.find(handle).filter(|entry| is_it(&entry.value))?;
        entry.handle.store(REMOVED, Release);
        writer.removed.push(entry);
        Some(&entry.value)
    }

    /// Removes a handle whose object is freed. Returns its value.
    pub fn remove(&self, handle: Handle) -> Option<&'static T> {
        self.remove_if(handle, |_| true)
    }
}

fn new_entry<T: Default + 'static>() -> &'static Entry<T> {
    Box::leak(Box::new(Entry { handle: AtomicUsize::new(REMOVED), value: T::default() }))
}

fn leaked<T: 'static>(entry: NonNull<Entry<T>>) -> &'static Entry<T> {
    // SAFETY: `Entry` is private to this file, and all pointers in tables come from `new_entry`, which leaks the entries.
    unsafe { entry.as_ref() }
}

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
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::HandleTable;

    type Numbers = HandleTable<AtomicUsize>;

    fn insert(table: &Numbers, handle: usize, number: usize) {
        let value = table.insert_reusing(handle, |value| value.store(number, Relaxed));
        assert_eq!(value.load(Relaxed), number);
    }

    fn get(table: &Numbers, handle: usize) -> Option<usize> {
        table.get(handle).map(|value| value.load(Relaxed))
    }

    #[test]
    fn handles_are_used_again() {
        static TABLE: Numbers = HandleTable::new();
        for round in 0..1000 {
            for handle in 1..40 {
                insert(&TABLE, handle, round * 100 + handle);
            }
            for handle in 1..40 {
                assert_eq!(get(&TABLE, handle), Some(round * 100 + handle));
                assert!(TABLE.remove(handle).is_some());
                assert_eq!(get(&TABLE, handle), None);
                assert!(TABLE.remove(handle).is_none());
            }
        }
    }

    #[test]
    fn dead_entries_are_not_found() {
        static TABLE: Numbers = HandleTable::new();
        for handle in 1..1000 {
            insert(&TABLE, handle, handle);
            assert_eq!(get(&TABLE, handle), Some(handle));
            TABLE.remove(handle);
            assert!(TABLE.get(handle).is_none() && TABLE.cached(0).is_none() && TABLE.get(0).is_none());
        }
    }

    #[test]
    fn grows() {
        static TABLE: Numbers = HandleTable::new();
        for handle in 1..5000 {
            insert(&TABLE, handle * 64, handle);
        }
        assert!((1..5000).all(|handle| get(&TABLE, handle * 64) == Some(handle)));
        assert_eq!(TABLE.live().count(), 4999);
        assert_eq!((get(&TABLE, 7), get(&TABLE, 0)), (None, None));
    }
}
