//! Index spaces: append-only lists whose entries are found by index and by name.

use super::name_index::{Key, NameIndex};
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

    /// Returns the index of the entry with a key.
    #[inline]
    pub(super) fn find(&self, key: Key<'_>) -> Option<u32> {
        self.names.find(key)
    }

    /// Prepares the index for `more` further entries.
    pub(super) fn reserve(&self, more: usize) {
        self.names.reserve(self.entries.len() + more);
    }

    /// Appends a new entry with this key. One caller at a time.
    pub(super) fn append(&self, entry: T, key: Key<'static>) -> u32 {
        let Ok(index) = self.entries.push(entry) else {
            unreachable!("one image is added at a time, and lists are longer than memory")
        };
        let index = index as u32;
        self.names.insert(key, index);
        index
    }
}
