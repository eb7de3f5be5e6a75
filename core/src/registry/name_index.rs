//! The index of entries by name.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use hashbrown::DefaultHashBuilder;

/// The number of tables. Each is twice as large as the previous one.
const TABLES: usize = 26;
const FIRST: usize = 64;

/// A hash table of indices into a list of entries. Keys are read from the entries, so that no name is stored twice. Lookups take
/// no lock.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    /// Tables with open addressing and linear probing; the newest one has all indices. A slot is 0 if empty, else the hash in the
    /// upper half and the index plus 1 in the lower half.
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    newest: AtomicUsize,
    hasher: DefaultHashBuilder,
}

impl NameIndex {
    /// Returns the hash of a name. Other parts of a key are not hashed, since few entries share a name.
    #[inline]
    pub(super) fn hash(&self, name: &str) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(name.as_bytes());
        (hasher.finish() >> 32) as u32
    }

    /// Returns the index with this hash for which `is` returns true.
    #[inline]
    pub(super) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.tables[self.newest.load(Acquire)].get()?;
        let mask = table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match table[at].load(Acquire) {
                0 => return None,
                slot if (slot >> 32) as u32 == hash && is(index_at(slot)) => return Some(index_at(slot)),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Inserts an index. The caller ensures that the key, which has this hash, is new, and that it is the only writer.
    pub(super) fn insert(&self, index: u32, hash: u32) {
        self.reserve(index as usize + 1);
        if let Some(table) = self.tables[self.newest.load(Relaxed)].get() {
            insert_into(table, u64::from(hash) << 32 | u64::from(index + 1));
        }
    }

    /// Grows the table for `count` entries. One caller at a time.
    pub(super) fn reserve(&self, count: usize) {
        let newest = self.newest.load(Relaxed);
        let old = self.tables[newest].get_or_init(|| empty(FIRST));
        // At most half full, which keeps probe sequences short.
        let larger = (count * 2).max(1).next_power_of_two().ilog2().saturating_sub(FIRST.ilog2()) as usize;
        if larger > newest {
            let table = self.tables[larger].get_or_init(|| empty(FIRST << larger));
            old.iter()
                .map(|slot| slot.load(Relaxed))
                .filter(|slot| *slot != 0)
                .for_each(|content| insert_into(table, content));
            self.newest.store(larger, Release);
        }
    }
}

/// Writes a slot's content to the first empty slot of its probe sequence.
fn insert_into(table: &[AtomicU64], content: u64) {
    let mask = table.len() - 1;
    let mut at = (content >> 32) as usize & mask;
    while table[at].load(Relaxed) != 0 {
        at = (at + 1) & mask;
    }
    // A reader that sees the slot also sees the entry.
    table[at].store(content, Release);
}

fn index_at(slot: u64) -> u32 {
    slot as u32 - 1
}

fn empty(slots: usize) -> Box<[AtomicU64]> {
    (0..slots).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::NameIndex;

    #[test]
    fn names_are_found_while_the_table_grows() {
        const COUNT: u32 = if cfg!(miri) { 200 } else { 2000 };
        let names = NameIndex::default();
        let name = |index: u32| format!("name{index}");
        let find = |wanted: &str| names.find(names.hash(wanted), |index| name(index) == wanted);
        for index in 0..COUNT {
            assert_eq!(find(&name(index)), None);
            names.insert(index, names.hash(&name(index)));
            assert_eq!(find(&name(index / 2)), Some(index / 2));
            assert_eq!(find(&name(index)), Some(index));
        }
        assert_eq!(find("name"), None);
        names.reserve(if cfg!(miri) { 2 } else { 500 } * COUNT as usize);
        assert!((0..COUNT).all(|index| find(&name(index)) == Some(index)));
    }

    #[test]
    fn names_of_one_hash_are_distinguished() {
        let names = NameIndex::default();
        (0..100).for_each(|index| names.insert(index, 7));
        assert!((0..100).all(|wanted| names.find(7, |index| index == wanted) == Some(wanted)));
        assert_eq!(names.find(7, |_| false), None);
    }
}
