//! A map from MPI handles to the objects behind them, read without locks.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use mpit::internal::lock::Mutex;

use crate::abi::Handle;

/// The maximum number of tables, each twice as long as the one before. The first has 64 slots.
const TABLES: usize = 26;
const FIRST: usize = 64;

/// The number of slots of the cache, a power of two.
const RECENT: usize = 64;

/// The golden ratio times 2^64, a multiplier that distributes its products over all upper bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The handle of a removed entry: no flavor has a live handle of this value.
const DEAD: Handle = 0;

#[derive(Debug)]
struct Entry<T> {
    handle: AtomicUsize,
    value: T,
}

/// The slots of a hash table with open addressing and linear probing.
type Places<T> = Box<[AtomicPtr<Entry<T>>]>;

/// A map from handles to values. MPI libraries reuse handles, so an entry ends with its object, and another
/// one may follow under the same handle.
///
/// A lookup takes no lock, and costs a load and a comparison for a handle in the cache. Entries are never
/// freed: a thread that uses the value of an object which is freed meanwhile reads stale data, never unmapped
/// memory. [`Table::insert_reusing`] reuses removed entries.
#[derive(Debug)]
pub struct Table<T: 'static> {
    tables: [OnceLock<Places<T>>; TABLES],
    newest: AtomicUsize,
    /// The cache of recent lookups, by hash. A slot whose entry has got another handle meanwhile does not
    /// match.
    recent: [AtomicPtr<Entry<T>>; RECENT],
    changing: Mutex<Changing<T>>,
}

#[derive(Debug)]
struct Changing<T: 'static> {
    /// The number of slots in use in the newest table, including removed entries.
    used: usize,
    dead: Vec<&'static Entry<T>>,
}

impl<T: Sync + Send> Table<T> {
    /// Creates an empty map.
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            tables: [const { OnceLock::new() }; TABLES],
            newest: AtomicUsize::new(0),
            recent: [const { AtomicPtr::new(std::ptr::null_mut()) }; RECENT],
            changing: Mutex::new(Changing { used: 0, dead: Vec::new() }),
        }
    }

    /// Returns the value of a handle.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&'static T> {
        self.recent(handle).or_else(|| self.search(handle))
    }

    /// Returns the value of a handle from the cache of recent lookups; makes no calls.
    #[inline]
    pub fn recent(&self, handle: Handle) -> Option<&'static T> {
        // SAFETY: the slot is null or refers to an entry of this table, and entries are leaked.
        let entry = unsafe { self.recent[recent_place(handle)].load(Acquire).as_ref() }?;
        if handle != DEAD && entry.handle.load(Acquire) == handle { Some(&entry.value) } else { None }
    }

    #[inline(never)]
    fn search(&self, handle: Handle) -> Option<&'static T> {
        let entry = Self::probe(self.tables[self.newest.load(Acquire)].get()?, handle)?;
        self.recent[recent_place(handle)].store(std::ptr::from_ref(entry).cast_mut(), Release);
        Some(&entry.value)
    }

    fn probe(table: &[AtomicPtr<Entry<T>>], handle: Handle) -> Option<&'static Entry<T>> {
        let mask = table.len() - 1;
        let mut at = scatter(handle) & mask;
        loop {
            // SAFETY: the slot is null or refers to an entry, and entries are leaked.
            let entry: &'static Entry<T> = unsafe { table[at].load(Acquire).as_ref() }?;
            if handle != DEAD && entry.handle.load(Acquire) == handle {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
    }

    /// Inserts a handle, unless it is present, with the value that `value` returns.
    pub fn insert(&self, handle: Handle, value: impl FnOnce() -> T) -> &'static T {
        self.enter(handle, |_| Box::leak(Box::new(Entry { handle: AtomicUsize::new(DEAD), value: value() })))
    }

    /// Inserts a handle, unless it is present, and reuses a removed entry if there is one. `fill` sets the
    /// value.
    pub fn insert_reusing(&self, handle: Handle, fill: impl FnOnce(&T)) -> &'static T
    where
        T: Default,
    {
        self.enter(handle, |dead| {
            let entry = dead.pop().unwrap_or_else(|| {
                Box::leak(Box::new(Entry { handle: AtomicUsize::new(DEAD), value: T::default() }))
            });
            fill(&entry.value);
            entry
        })
    }

    fn enter(
        &self,
        handle: Handle,
        make: impl FnOnce(&mut Vec<&'static Entry<T>>) -> &'static Entry<T>,
    ) -> &'static T {
        let mut changing = self.changing.lock();
        let newest = self.newest.load(Relaxed);
        let mut table = self.tables[newest].get_or_init(|| empty(FIRST));
        if let Some(entry) = Self::probe(table, handle) {
            return &entry.value;
        }
        // At most half full, to keep probe sequences short.
        if changing.used * 2 >= table.len() {
            let larger = self.tables[newest + 1].get_or_init(|| empty(table.len() * 2));
            let live = table.iter().filter_map(|place| {
                // SAFETY: the slot is null or refers to an entry, and entries are leaked.
                unsafe { place.load(Relaxed).as_ref() }
            });
            changing.used = 0;
            for entry in live.filter(|entry| entry.handle.load(Relaxed) != DEAD) {
                place(larger, entry.handle.load(Relaxed), entry);
                changing.used += 1;
            }
            self.newest.store(newest + 1, Release);
            table = larger;
        }
        let entry = make(&mut changing.dead);
        // The handle is stored before the slot, so a thread that finds the entry sees all of it.
        entry.handle.store(handle, Release);
        if place(table, handle, entry) {
            changing.used += 1;
        }
        &entry.value
    }

    /// Removes a handle if `is_it` accepts its value. Returns true if it did.
    pub fn remove_if(&self, handle: Handle, is_it: impl FnOnce(&T) -> bool) -> bool {
        let mut changing = self.changing.lock();
        let table = self.tables[self.newest.load(Relaxed)].get();
        let Some(entry) = table.and_then(|table| Self::probe(table, handle)) else { return false };
        if !is_it(&entry.value) || entry.handle.compare_exchange(handle, DEAD, AcqRel, Relaxed).is_err() {
            return false;
        }
        changing.dead.push(entry);
        true
    }

    /// Removes a handle whose object is freed. Returns its value.
    pub fn remove(&self, handle: Handle) -> Option<&'static T> {
        let mut changing = self.changing.lock();
        let entry = Self::probe(self.tables[self.newest.load(Relaxed)].get()?, handle)?;
        entry.handle.compare_exchange(handle, DEAD, AcqRel, Relaxed).ok()?;
        changing.dead.push(entry);
        Some(&entry.value)
    }

    /// Returns all handles and values.
    pub fn values(&self) -> Vec<(Handle, &'static T)> {
        let Some(table) = self.tables[self.newest.load(Acquire)].get() else { return Vec::new() };
        let entries = table.iter().filter_map(|place| {
            // SAFETY: the slot is null or refers to an entry, and entries are leaked.
            let entry: &'static Entry<T> = unsafe { place.load(Acquire).as_ref() }?;
            Some((entry.handle.load(Acquire), &entry.value))
        });
        entries.filter(|(handle, _)| *handle != DEAD).collect()
    }
}

fn empty<T>(places: usize) -> Places<T> {
    (0..places).map(|_| AtomicPtr::default()).collect()
}

/// Stores an entry in the probe sequence of its handle. Returns true if the slot was empty before.
fn place<T>(table: &[AtomicPtr<Entry<T>>], handle: Handle, entry: &'static Entry<T>) -> bool {
    let mask = table.len() - 1;
    let mut at = scatter(handle) & mask;
    loop {
        // SAFETY: the slot is null or refers to an entry, and entries are leaked.
        let there = unsafe { table[at].load(Relaxed).as_ref() };
        let is_free = |there: &Entry<T>| std::ptr::eq(there, entry) || there.handle.load(Relaxed) == DEAD;
        if there.is_none_or(is_free) {
            table[at].store(std::ptr::from_ref(entry).cast_mut(), Release);
            return there.is_none();
        }
        at = (at + 1) & mask;
    }
}

/// Returns the slot of a handle in the cache.
#[inline]
fn recent_place(handle: Handle) -> usize {
    ((handle as u64).wrapping_mul(SPREAD) >> (u64::BITS - RECENT.ilog2())) as usize
}

/// Hashes a handle: pointers are multiples of their alignment, and integers come in sequences.
#[inline]
fn scatter(handle: Handle) -> usize {
    (handle as u64).wrapping_mul(SPREAD) as usize >> 32
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
            assert_eq!((TABLE.get(handle), TABLE.recent(0), TABLE.get(0)), (None, None, None));
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
