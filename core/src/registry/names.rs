//! Finding an entry by its name.

use std::hash::{BuildHasher, Hasher};
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
pub(super) struct Names {
    /// Open addressing with linear probing; the newest table has all indices. A place is empty (0), or has the hash, and
    /// the index plus 1.
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    newest: AtomicUsize,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The hash of a name. What else belongs to a key tells apart entries of one name, of which there are few.
    #[inline]
    pub(super) fn hash(&self, name: &str) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(name.as_bytes());
        (hasher.finish() >> 32) as u32
    }

    /// The index that was entered with this hash and that `is` what is looked for.
    #[inline]
    pub(super) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.tables[self.newest.load(Acquire)].get()?;
        let mask = table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match table[at].load(Acquire) {
                0 => return None,
                place if (place >> 32) as u32 == hash && is(index_at(place)) => return Some(index_at(place)),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Enters an index. The caller has made sure that its key, of this hash, is new, and enters one at a time.
    pub(super) fn insert(&self, index: u32, hash: u32) {
        self.expect(index as usize + 1);
        if let Some(table) = self.tables[self.newest.load(Relaxed)].get() {
            enter(table, u64::from(hash) << 32 | u64::from(index + 1));
        }
    }

    /// Makes room for so many. One caller at a time.
    pub(super) fn expect(&self, count: usize) {
        let newest = self.newest.load(Relaxed);
        let old = self.tables[newest].get_or_init(|| empty(FIRST));
        // At most half full, so that probing ends soon.
        let larger = (count * 2).max(1).next_power_of_two().ilog2().saturating_sub(FIRST.ilog2()) as usize;
        if larger > newest {
            let table = self.tables[larger].get_or_init(|| empty(FIRST << larger));
            old.iter()
                .map(|place| place.load(Relaxed))
                .filter(|place| *place != 0)
                .for_each(|p| enter(table, p));
            self.newest.store(larger, Release);
        }
    }
}

/// Puts a place's content where probing for its hash finds it.
fn enter(table: &[AtomicU64], content: u64) {
    let mask = table.len() - 1;
    let mut at = (content >> 32) as usize & mask;
    while table[at].load(Relaxed) != 0 {
        at = (at + 1) & mask;
    }
    // Who sees the place sees the entry.
    table[at].store(content, Release);
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
        let name = |index: u32| format!("name{index}");
        let find = |sought: &str| names.find(names.hash(sought), |index| name(index) == sought);
        for index in 0..2000 {
            assert_eq!(find(&name(index)), None);
            names.insert(index, names.hash(&name(index)));
            assert_eq!(find(&name(index / 2)), Some(index / 2));
            assert_eq!(find(&name(index)), Some(index));
        }
        assert_eq!(find("name"), None);
        names.expect(1_000_000);
        assert!((0..2000).all(|index| find(&name(index)) == Some(index)));
    }

    #[test]
    fn names_of_one_hash_are_told_apart() {
        let names = Names::default();
        (0..100).for_each(|index| names.insert(index, 7));
        assert!((0..100).all(|sought| names.find(7, |index| index == sought) == Some(sought)));
        assert_eq!(names.find(7, |_| false), None);
    }
}
