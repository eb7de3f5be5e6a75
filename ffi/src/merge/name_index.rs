//! The index of an index space by name.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit_sync::probe_table::{ProbeTable, Slot};

/// The number of slots of the first table.
const FIRST: usize = 64;

/// A name with the class of a performance variable, which is 0 for other entries, and the hash of the name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'a> {
    name: &'a [u8],
    hash: u32,
    /// See [`shape`].
    shape: u64,
}

impl<'a> Key<'a> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each search, whose key stays in registers")]
    pub(super) fn new(name: &'a [u8], class: c_int) -> Self {
        Self { name, hash: hash(name), shape: shape(name, class) }
    }
}

/// Returns the parts of a key that are compared as one word: the length of the name and the class.
#[inline]
fn shape(name: &[u8], class: c_int) -> u64 {
    (name.len() as u64) << 32 | u64::from(class.cast_unsigned())
}

/// A key and the index that it leads to.
#[derive(Clone, Copy, Debug)]
struct Content {
    /// The hash in the upper half, and the index plus 1 in the lower half.
    word: u64,
    shape: u64,
    /// The text of the name, whose length is in `shape`.
    text: *const u8,
}

impl Content {
    fn hash(self) -> u32 {
        (self.word >> 32) as u32
    }

    fn index(self) -> u32 {
        self.word as u32 - 1
    }

    #[inline]
    fn has(self, key: &Key<'_>) -> bool {
        self.hash() == key.hash && self.shape == key.shape && self.name() == key.name
    }

    fn name(&self) -> &[u8] {
        // SAFETY: text and length are those of one name, which stays valid: slots hold contents of `NameIndex::insert` only, and a
        // reader of a slot sees both of the same content, since slots are written once: a `NameSlot` is no `ReusableSlot`.
        unsafe { std::slice::from_raw_parts(self.text, (self.shape >> 32) as usize) }
    }
}

/// A place for a content, written once: a reader could see parts of two contents. A search loads it and the text, and no entry.
#[derive(Debug, Default)]
struct NameSlot {
    word: AtomicU64,
    shape: AtomicU64,
    text: AtomicPtr<u8>,
}

impl Slot for NameSlot {
    type Content = Content;

    #[inline]
    fn load(&self) -> Option<Content> {
        match self.word.load(Acquire) {
            0 => None,
            // The slot is written once, so all are of one content.
            word => Some(Content { word, shape: self.shape.load(Relaxed), text: self.text.load(Relaxed) }),
        }
    }

    fn store(&self, content: Content) {
        self.shape.store(content.shape, Relaxed);
        self.text.store(content.text.cast_mut(), Relaxed);
        // A reader that sees the word also sees the rest.
        self.word.store(content.word, Release);
    }
}

/// A hash table of indices into a list of entries. Lookups take no lock, and do not access the entries.
#[derive(Debug)]
pub(super) struct NameIndex {
    table: ProbeTable<NameSlot>,
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

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call would save and load what is compared")]
    pub(super) fn find(&self, key: &Key<'_>) -> Option<u32> {
        self.table
            .find(key.hash as usize, |content| if content.has(key) { Some(content.index()) } else { None })
    }

    /// Inserts an index with this key. One caller at a time.
    ///
    /// # Safety
    ///
    /// The text of the name stays valid and unchanged as long as this value.
    pub(super) unsafe fn insert(&self, index: u32, key: &Key<'_>) {
        assert!(u32::try_from(key.name.len()).is_ok(), "the name is longer than 4 GiB");
        // At most a quarter full: most names are then in the first slot of their probe sequence.
        let slots = (4 * (index as usize + 1)).next_power_of_two().max(FIRST);
        if slots > self.table.capacity() {
            let contents = self.table.contents().map(|content| (content.hash() as usize, content));
            self.table.replace(slots, contents);
        }
        let word = u64::from(key.hash) << 32 | u64::from(index + 1);
        self.table.insert(key.hash as usize, Content { word, shape: key.shape, text: key.name.as_ptr() });
        self.inserted.store(self.inserted.load(Relaxed) + 1, Release);
    }
}

/// Factors without a pattern, one for each word that is multiplied.
const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// Returns the hash of a name. The multiplications do not wait for each other, and those before the last one not for the length, which
/// is found by a search for the end.
#[inline]
fn hash(name: &[u8]) -> u32 {
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
    let hash = if let Some(last) = name.last_chunk() {
        let (pairs, _) = name.as_chunks();
        let before = pairs.iter().map(words).fold(0_u64, |hash, (first, second)| {
            hash.rotate_left(25) ^ product(first ^ FACTORS[0], second ^ FACTORS[1])
        });
        let (first, second) = words(last);
        length ^ before ^ product(first ^ FACTORS[2], second ^ FACTORS[3])
    } else {
        let (first, last) = ends(name);
        product(length ^ first ^ FACTORS[0], last ^ FACTORS[1])
    };
    (hash >> 32) as u32 ^ hash as u32
}

/// Returns words that have all bytes of a name of less than 16 bytes.
#[inline]
fn ends(name: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (u64::from_ne_bytes(*first), u64::from_ne_bytes(*last))
    } else if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (u32::from_ne_bytes(*first).into(), u32::from_ne_bytes(*last).into())
    } else {
        // At most three bytes: the first, the second and the last one.
        let byte = |at: usize| name.get(at).map_or(0, |byte| u64::from(*byte));
        (byte(0) << 8 | byte(1), byte(name.len().saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Key, NameIndex, hash};

    fn name(index: u32) -> &'static [u8] {
        format!("name{index}").leak().as_bytes()
    }

    fn insert(names: &NameIndex, index: u32, key: &Key<'static>) {
        // SAFETY: the name is static.
        unsafe { names.insert(index, key) };
    }

    #[test]
    fn names_are_found_while_the_table_grows() {
        let names = NameIndex::new();
        let key = |index| Key::new(name(index), 0);
        for index in 0..2000 {
            assert_eq!((names.find(&key(index)), names.inserted()), (None, index));
            insert(&names, index, &key(index));
            assert_eq!(names.find(&key(index / 2)), Some(index / 2));
            assert_eq!(names.find(&key(index)), Some(index));
        }
        assert_eq!(names.find(&Key::new(b"name", 0)), None);
    }

    #[test]
    fn equal_names_differ_by_their_classes() {
        let names = NameIndex::new();
        for (index, class) in (0..).zip([0, 1, -1, 240]) {
            insert(&names, index, &Key::new(b"name", class));
        }
        let find = |class| names.find(&Key::new(b"name", class));
        assert_eq!([0, 1, -1, 240, 2].map(find), [Some(0), Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn names_with_equal_hashes_are_found() {
        let names = NameIndex::new();
        let key = |index| Key { hash: 7, ..Key::new(name(index), 0) };
        (0..10).for_each(|index| insert(&names, index, &key(index)));
        assert!((0..10).all(|wanted| names.find(&key(wanted)) == Some(wanted)));
        assert_eq!(names.find(&key(10)), None);
        // Of another length.
        assert_eq!(names.find(&Key { hash: 7, ..Key::new(b"name", 0) }), None);
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
