//! Finding an entry by its name.

use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use hashbrown::DefaultHashBuilder;

/// Tables double; the first has 64 places.
const TABLES: usize = 26;
const FIRST: usize = 64;

/// A hash table of indices into a list of entries, keyed by something that each entry knows of itself, so that
/// no name is stored twice. Finding takes no lock.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Open addressing with linear probing; the newest table has all indices. A place is empty (0), or has half of the
    /// hash, and the index plus 1.
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    newest: AtomicUsize,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The index whose entry has this key. `key_of` reads the key of an entry.
    pub(crate) fn find<K: Hash + Eq>(&self, key: &K, key_of: impl Fn(u32) -> K) -> Option<u32> {
        let table = self.tables[self.newest.load(Acquire)].get()?;
        let hash = self.hasher.hash_one(key);
        let mask = table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match table[at].load(Acquire) {
                0 => return None,
                place if place >> 32 == hash >> 32 && key_of(index_at(place)) == *key => {
                    return Some(index_at(place));
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Enters an index, which is the number of those entered so far. The caller has made sure that its key is new, and
    /// enters one at a time.
    pub(crate) fn insert<K: Hash + Eq>(&self, index: u32, key_of: impl Fn(u32) -> K) {
        let newest = self.newest.load(Relaxed);
        let table = self.tables[newest].get_or_init(|| empty(FIRST));
        // At most half full, so that probing ends soon.
        if index as usize * 2 < table.len() {
            self.enter(table, index, &key_of);
        } else {
            let larger = self.tables[newest + 1].get_or_init(|| empty(table.len() * 2));
            (0..=index).for_each(|index| self.enter(larger, index, &key_of));
            self.newest.store(newest + 1, Release);
        }
    }

    fn enter<K: Hash + Eq>(&self, table: &[AtomicU64], index: u32, key_of: impl Fn(u32) -> K) {
        let hash = self.hasher.hash_one(key_of(index));
        let mask = table.len() - 1;
        let mut at = hash as usize & mask;
        while table[at].load(Relaxed) != 0 {
            at = (at + 1) & mask;
        }
        // Who sees the place sees the entry.
        table[at].store(hash >> 32 << 32 | u64::from(index + 1), Release);
    }
}

fn index_at(place: u64) -> u32 {
    place as u32 - 1
}

fn empty(places: usize) -> Box<[AtomicU64]> {
    (0..places).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn every_name_is_found_while_the_table_grows() {
        let names = Names::default();
        let key_of = |index: u32| format!("name{index}");
        for index in 0..2000 {
            assert_eq!(names.find(&key_of(index), key_of), None);
            names.insert(index, key_of);
            assert_eq!(names.find(&key_of(index / 2), key_of), Some(index / 2));
            assert_eq!(names.find(&key_of(index), key_of), Some(index));
        }
        assert_eq!(names.find(&"name".to_owned(), key_of), None);
    }
}
