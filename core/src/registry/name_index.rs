//! The index of entries by name.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::AtomicU64;

use hashbrown::DefaultHashBuilder;

use crate::probe_table::ProbeTable;

/// The number of slots of the first table.
const FIRST: usize = 64;

/// A hash table of indices into a list of entries. Keys are read from the entries, so that no name is stored twice. Lookups take
/// no lock.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    /// A content has the hash in the upper half and the index plus 1 in the lower half.
    table: ProbeTable<AtomicU64>,
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
        self.table.find(hash as usize, |content| {
            let index = content as u32 - 1;
            if hash_in(content) == hash as usize && is(index) { Some(index) } else { None }
        })
    }

    /// Inserts an index. The caller ensures that the key, which has this hash, is new, and that it is the only writer.
    pub(super) fn insert(&self, index: u32, hash: u32) {
        self.reserve(index as usize + 1);
        self.table.insert(hash as usize, u64::from(hash) << 32 | u64::from(index + 1));
    }

    /// Grows the table for `count` entries. One caller at a time.
    pub(super) fn reserve(&self, count: usize) {
        // At most half full, which keeps probe sequences short.
        let slots = (2 * count).next_power_of_two().max(FIRST);
        if slots > self.table.capacity() {
            self.table.replace(slots, self.table.contents().map(|content| (hash_in(content), content)));
        }
    }
}

fn hash_in(content: u64) -> usize {
    (content >> 32) as usize
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
