//! Index spaces: append-only lists whose entries are found by index and by name.

use super::Definition;
use super::name_index::{BatchNames, Key, NameIndex};
use crate::log::{Log, Writer};

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

    /// Returns the entry with a key.
    pub(super) fn find_entry(&self, key: Key<'_>) -> Option<&T> {
        self.find(key).and_then(|index| self.get(index))
    }

    /// Appends a batch, each definition as the result of `entry` for its index. `names` lead to the positions in the batch. One
    /// caller at a time.
    pub(super) fn append_batch<D: Definition>(
        &self,
        batch: &[&'static D],
        names: BatchNames,
        mut entry: impl FnMut(u32, &'static D) -> T,
    ) {
        // Positions in the first batch are indices, so its names need not be inserted again.
        if self.entries.is_empty() && self.names.is_unused() {
            let mut writer = self.writer();
            for (index, desc) in (0..).zip(batch) {
                push(&mut writer, entry(index, desc));
            }
            drop(writer);
            // Afterwards, so that a reader that finds a name also finds the entry.
            self.names.publish(names);
            return;
        }
        self.names.reserve(self.entries.len() + batch.len());
        for (index, desc) in (self.len()..).zip(batch) {
            self.append(entry(index, desc), desc.key());
        }
    }

    /// Appends a new entry with this key. One caller at a time.
    pub(super) fn append(&self, entry: T, key: Key<'static>) -> u32 {
        let index = push(&mut self.writer(), entry);
        self.names.insert(key, index);
        index
    }

    fn writer(&self) -> Writer<'_, T> {
        self.entries.writer().expect("one image is added at a time")
    }
}

fn push<T>(writer: &mut Writer<'_, T>, entry: T) -> u32 {
    let Ok(index) = writer.push(entry) else { unreachable!("lists are longer than memory") };
    index as u32
}
