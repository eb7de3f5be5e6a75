//! Index spaces: append-only lists whose entries are found by index and by name.

use super::name_index::NameIndex;
use crate::log::Log;

/// One index space, and its index by name.
#[derive(Debug)]
pub(super) struct IndexSpace<T> {
    entries: Log<T>,
    names: NameIndex,
}

impl<T> Default for IndexSpace<T> {
    fn default() -> Self {
        Self { entries: Log::new(), names: NameIndex::default() }
    }
}

impl<T> IndexSpace<T> {
    pub(super) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter()
    }

    /// Returns the hash of a name, for the functions below.
    pub(super) fn hash(&self, name: &str) -> u32 {
        self.names.hash(name)
    }

    /// Returns the index of the entry with a name of this hash for which `is` returns true.
    #[inline]
    pub(super) fn find(&self, hash: u32, is: impl Fn(&T) -> bool) -> Option<u32> {
        self.names.find(hash, |index| self.get(index).is_some_and(&is))
    }

    /// Prepares the index for `more` further entries.
    pub(super) fn reserve(&self, more: usize) {
        self.names.reserve(self.entries.len() + more);
    }

    /// Appends a new entry whose name has this hash. One caller at a time.
    pub(super) fn append(&self, entry: T, hash: u32) -> u32 {
        let Ok(index) = self.entries.push(entry) else {
            unreachable!("one image is added at a time, and lists are longer than memory")
        };
        let index = index as u32;
        self.names.insert(index, hash);
        index
    }
}
