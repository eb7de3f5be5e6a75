//! The index of an index space by name.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::probe_table::ProbeTable;

/// The number of slots of the first table.
const FIRST: usize = 64;

/// A hash table of indices into a list of entries. Names are read from the entries. Lookups take no lock.
#[derive(Debug)]
pub(super) struct NameIndex {
    /// A content has the hash in the upper half and the index plus 1 in the lower half.
    table: ProbeTable<AtomicU64>,
    inserted: AtomicU32,
}

impl NameIndex {
    pub(super) const fn new() -> Self {
        Self { table: ProbeTable::new(), inserted: AtomicU32::new(0) }
    }

    /// Returns the number of indices that were inserted. A search that follows finds them.
    #[inline]
    pub(super) fn inserted(&self) -> u32 {
        self.inserted.load(Acquire)
    }

    /// Returns the index with this hash for which `is` returns true.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call would save and load what is compared")]
    pub(super) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.table.find(hash as usize, |content| {
            let index = index_in(content);
            if hash_in(content) == hash && is(index) { Some(index) } else { None }
        })
    }

    /// Inserts an index whose name has this hash. One caller at a time.
    pub(super) fn insert(&self, index: u32, hash: u32) {
        // At most half full, which keeps probe sequences short.
        let slots = (2 * (index as usize + 1)).next_power_of_two().max(FIRST);
        if slots > self.table.capacity() {
            let contents = self.table.contents().map(|content| (hash_in(content) as usize, content));
            self.table.replace(slots, contents);
        }
        self.table.insert(hash as usize, u64::from(hash) << 32 | u64::from(index + 1));
        self.inserted.store(self.inserted.load(Relaxed) + 1, Release);
    }
}

fn hash_in(content: u64) -> u32 {
    (content >> 32) as u32
}

fn index_in(content: u64) -> u32 {
    content as u32 - 1
}

/// Factors without a pattern, one for each word that is multiplied.
const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// Returns the hash of a name. Most names have 16 to 31 bytes, and their multiplications do not wait for each other.
#[inline]
pub(super) fn hash(name: &[u8]) -> u32 {
    let product = |left: u64, right: u64| {
        let product = u128::from(left) * u128::from(right);
        product as u64 ^ (product >> 64) as u64
    };
    let words = |pair: &[u8; 16]| {
        let pair = u128::from_ne_bytes(*pair);
        (pair as u64, (pair >> 64) as u64)
    };
    let length = name.len() as u64 + 1;
    // The last bytes may overlap those before.
    let hash = match (name.last_chunk(), name.first_chunk(), name.last_chunk()) {
        (Some(last), ..) => {
            let (pairs, _) = name.as_chunks();
            let before = pairs.iter().map(words).fold(length, |hash, (first, second)| {
                product(hash ^ first ^ FACTORS[0], second ^ FACTORS[1])
            });
            let (first, second) = words(last);
            before ^ product(first ^ FACTORS[2], second ^ FACTORS[3])
        }
        (None, Some(first), Some(last)) => {
            let (first, last) = (u64::from_ne_bytes(*first), u64::from_ne_bytes(*last));
            product(length ^ first ^ FACTORS[0], last ^ FACTORS[1])
        }
        _ => name.iter().fold(length, |hash, byte| product(hash ^ u64::from(*byte), FACTORS[0])),
    };
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{NameIndex, hash};

    #[test]
    fn names_are_found_while_the_table_grows() {
        let names = NameIndex::new();
        let name = |index: u32| format!("name{index}");
        let find = |wanted: &str| names.find(hash(wanted.as_bytes()), |index| name(index) == wanted);
        for index in 0..2000 {
            assert_eq!((find(&name(index)), names.inserted()), (None, index));
            names.insert(index, hash(name(index).as_bytes()));
            assert_eq!(find(&name(index / 2)), Some(index / 2));
            assert_eq!(find(&name(index)), Some(index));
        }
        assert_eq!(find("name"), None);
    }

    #[test]
    fn names_with_equal_hashes_are_found() {
        let names = NameIndex::new();
        (0..10).for_each(|index| names.insert(index, 7));
        assert!((0..10).all(|wanted| names.find(7, |index| index == wanted) == Some(wanted)));
        assert_eq!(names.find(7, |index| index == 10), None);
    }

    #[test]
    fn hashes_depend_on_each_byte() {
        for length in 0..40 {
            let mut name = vec![b'a'; length];
            let mut hashes = HashSet::from([hash(&name)]);
            for at in 0..length {
                name[at] = b'b';
                assert!(hashes.insert(hash(&name)), "{length} {at}");
                name[at] = b'a';
            }
        }
    }

    #[test]
    fn hashes_of_similar_names_are_spread() {
        const COUNT: usize = 4096;
        let slots: HashSet<u32> =
            (0..COUNT).map(|n| hash(format!("coll_tuned_{n}_algorithm").as_bytes()) % COUNT as u32).collect();
        // 63 % of the slots are expected of a random function.
        assert!(slots.len() > COUNT / 2, "{}", slots.len());
    }
}
