//! The index of entries by name.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use foldhash::fast::FixedState;

use crate::probe_table::{PrivateTable, ProbeTable, Slot};

/// The number of slots of the first table.
const FIRST: usize = 64;

/// A name, a tag that distinguishes entries with the same name, and the hash of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// First, so that a comparison begins with it.
    hash: u64,
    name: &'a str,
    tag: u8,
}

impl<'a> Key<'a> {
    /// Creates the key of a name that is unique.
    #[inline]
    pub(super) fn new(name: &'a str) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(name.as_bytes());
        Self { hash: hasher.finish(), name, tag: 0 }
    }

    /// Sets the tag. It is not hashed, since few entries share a name.
    #[inline]
    pub(super) fn with_tag(self, tag: u8) -> Self {
        Self { tag, ..self }
    }

    /// Returns the upper half of a slot's word. Its part of the hash does not select the slot, so keys whose bits are equal and
    /// whose names differ are rare.
    #[inline]
    fn bits(self) -> u32 {
        (self.hash >> 48) as u32 | u32::from(self.tag) << 16 | (self.name.len() as u32) << 24
    }
}

/// A key, and the index that it leads to.
#[derive(Clone, Copy, Debug)]
struct Content {
    /// The bits of the key in the upper half, and the index plus 1 in the lower half.
    word: u64,
    /// The text of the name, whose length is among the bits.
    text: *const u8,
}

impl Content {
    fn new(key: Key<'static>, index: u32) -> Self {
        assert!(u8::try_from(key.name.len()).is_ok(), "names have at most 255 bytes");
        Self { word: u64::from(key.bits()) << 32 | u64::from(index + 1), text: key.name.as_ptr() }
    }

    fn bits(self) -> u32 {
        (self.word >> 32) as u32
    }

    fn index(self) -> u32 {
        self.word as u32 - 1
    }

    /// Returns the index if it is that of a key.
    #[inline]
    fn index_if(self, key: Key<'_>) -> Option<u32> {
        if self.bits() == key.bits() && self.name() == key.name.as_bytes() {
            Some(self.index())
        } else {
            None
        }
    }

    fn name(self) -> &'static [u8] {
        let len = self.bits() >> 24;
        // SAFETY: text and length are those of one `&'static str`: `new` takes both from it, slots hold contents of `new` only, and a
        // reader of a slot sees both of the same content, since slots are written once: a `NameSlot` is no `ReusableSlot`.
        unsafe { std::slice::from_raw_parts(self.text, len as usize) }
    }
}

/// A place for a content, written once: a reader could see parts of two contents. The text's address is beside the word, so that a
/// lookup loads one cache line of the table and the text, and no entry.
#[derive(Debug, Default)]
struct NameSlot {
    word: AtomicU64,
    text: AtomicPtr<u8>,
}

impl Slot for NameSlot {
    type Content = Content;

    #[inline]
    fn load(&self) -> Option<Content> {
        match self.word.load(Acquire) {
            0 => None,
            // The slot is written once, so both are of one content.
            word => Some(Content { word, text: self.text.load(Relaxed) }),
        }
    }

    fn store(&self, content: Content) {
        self.text.store(content.text.cast_mut(), Relaxed);
        // A reader that sees the word also sees the text.
        self.word.store(content.word, Release);
    }
}

/// A hash table of indices into a list of entries. Lookups take no lock, and do not access the entries.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    table: ProbeTable<NameSlot>,
}

impl NameIndex {
    /// Returns the index that was inserted for a key.
    #[inline]
    pub(super) fn find(&self, key: Key<'_>) -> Option<u32> {
        self.table.find(key.hash as usize, |content| content.index_if(key))
    }

    /// Returns true if nothing was inserted, and no memory reserved.
    pub(super) fn is_unused(&self) -> bool {
        self.table.capacity() == 0
    }

    /// Inserts an index. The caller ensures that the key is new, and that it is the only writer.
    pub(super) fn insert(&self, key: Key<'static>, index: u32) {
        self.reserve(index as usize + 1);
        self.table.insert(key.hash as usize, Content::new(key, index));
    }

    /// Grows the table for `count` entries. One caller at a time.
    pub(super) fn reserve(&self, count: usize) {
        if is_too_full(count, self.table.capacity()) {
            self.table
                .replace(slots_for(count), self.table.contents().map(|content| (hash_of(content), content)));
        }
    }

    /// Publishes the names of a first batch. The caller ensures that the index is unused, and that it is the only writer.
    pub(super) fn publish(&self, names: BatchNames) {
        self.table.publish(names.table);
    }
}

/// The names of a batch: an index that no other thread sees before it is published.
#[derive(Debug)]
pub(super) struct BatchNames {
    table: PrivateTable<NameSlot>,
}

impl BatchNames {
    /// Creates an index for `count` names, which grows if there are more.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { table: PrivateTable::with_contents(slots_for(count), std::iter::empty()) }
    }

    /// Returns the index that was inserted for a key.
    #[inline]
    pub(super) fn find(&self, key: Key<'_>) -> Option<u32> {
        self.table.find(key.hash as usize, |content| content.index_if(key))
    }

    /// Begins to load what a search for a key needs.
    pub(super) fn prefetch(&self, key: Key<'_>) {
        self.table.prefetch(key.hash as usize);
    }

    /// Returns the index that was inserted for a key. If there is none, inserts this one, which is the number of names before. Grows a
    /// table without room in both cases.
    #[inline]
    pub(super) fn find_or_insert(&mut self, key: Key<'static>, index: u32) -> Option<u32> {
        if is_too_full(index as usize + 1, self.table.capacity()) {
            self.grow();
        }
        let content = Content::new(key, index);
        self.table.find_or_insert(key.hash as usize, content, |content| content.index_if(key))
    }

    #[cold]
    fn grow(&mut self) {
        let contents = self.table.contents().map(|content| (hash_of(content), content));
        self.table = PrivateTable::with_contents(2 * self.table.capacity(), contents);
    }
}

/// Returns true if more than half of the slots would be full with `count` entries, so that probe sequences become long.
#[inline]
fn is_too_full(count: usize, slots: usize) -> bool {
    2 * count > slots
}

/// Returns the number of slots for `count` entries.
fn slots_for(count: usize) -> usize {
    (2 * count).next_power_of_two().max(FIRST)
}

fn hash_of(content: Content) -> usize {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(content.name());
    hasher.finish() as usize
}

#[cfg(test)]
mod tests {
    use super::{BatchNames, Key, NameIndex};

    const COUNT: u32 = if cfg!(miri) { 200 } else { 2000 };

    fn names() -> Vec<&'static str> {
        (0..COUNT).map(|index| &*format!("name{index}").leak()).collect()
    }

    #[test]
    fn names_are_found_while_the_table_grows() {
        let (index, names) = (NameIndex::default(), names());
        for (name, at) in names.iter().zip(0..) {
            assert_eq!(index.find(Key::new(name)), None);
            index.insert(Key::new(name), at);
            assert_eq!(index.find(Key::new(names[at as usize / 2])), Some(at / 2));
            assert_eq!(index.find(Key::new(name)), Some(at));
        }
        assert_eq!(index.find(Key::new("name")), None);
        index.reserve(if cfg!(miri) { 2 } else { 500 } * COUNT as usize);
        assert!(names.iter().zip(0..).all(|(name, at)| index.find(Key::new(name)) == Some(at)));
    }

    #[test]
    fn a_published_batch_is_found() {
        for capacity in [0, COUNT as usize] {
            let (index, names) = (NameIndex::default(), names());
            let (first, later) = names.split_at(names.len() / 2);
            let mut batch = BatchNames::with_capacity(capacity);
            for (name, at) in first.iter().zip(0..) {
                assert_eq!(batch.find(Key::new(name)), None);
                assert_eq!(batch.find_or_insert(Key::new(name), at), None);
                assert_eq!(batch.find(Key::new(name)), Some(at));
                assert_eq!(index.find(Key::new(name)), None);
            }
            for (name, at) in first.iter().zip(0..) {
                assert_eq!(batch.find_or_insert(Key::new(name), first.len() as u32), Some(at));
            }
            assert!(index.is_unused());
            index.publish(batch);
            assert!(!index.is_unused());
            for (name, at) in later.iter().zip(first.len() as u32..) {
                index.insert(Key::new(name), at);
            }
            assert!(names.iter().zip(0..).all(|(name, at)| index.find(Key::new(name)) == Some(at)));
        }
    }

    #[test]
    fn equal_names_differ_by_their_tags() {
        let index = NameIndex::default();
        let key = |tag| Key::new("name").with_tag(tag);
        (0..100).for_each(|tag| index.insert(key(tag), u32::from(tag)));
        assert!((0..100).all(|tag| index.find(key(tag)) == Some(u32::from(tag))));
        assert_eq!(index.find(key(100)), None);
    }

    #[test]
    fn equal_hashes_differ_by_their_names() {
        let (index, names) = (NameIndex::default(), names());
        let key = |name| Key { hash: 7, name, tag: 0 };
        names[..30].iter().zip(0..).for_each(|(name, at)| index.insert(key(name), at));
        assert!(names[..30].iter().zip(0..).all(|(name, at)| index.find(key(name)) == Some(at)));
        assert_eq!(index.find(key(names[30])), None);
    }

    #[test]
    fn the_longest_name_is_found() {
        let index = NameIndex::default();
        for len in [0, 1, 254, 255] {
            index.insert(Key::new("x".repeat(len).leak()), len as u32);
        }
        for len in [0, 1, 254, 255] {
            assert_eq!(index.find(Key::new(&"x".repeat(len))), Some(len as u32));
        }
        // Lengths beyond those of names are not taken for the lower bits of themselves.
        for len in [256, 257, 510, 511] {
            assert_eq!(index.find(Key::new(&"x".repeat(len))), None);
        }
    }
}
