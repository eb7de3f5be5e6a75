//! Finding an entry by its name.

use std::hash::{BuildHasher, Hash};
use std::sync::{PoisonError, RwLock};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A hash table of indices into a list of entries, keyed by something that each entry knows of itself, so that
/// no name is stored twice.
#[derive(Debug, Default)]
pub(crate) struct Names {
    table: RwLock<HashTable<u32>>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The index whose entry has this key. `key_of` reads the key of an entry.
    pub(crate) fn find<K: Hash + Eq>(&self, key: &K, key_of: impl Fn(u32) -> K) -> Option<u32> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.find(self.hasher.hash_one(key), |index| key_of(*index) == *key).copied()
    }

    /// Enters an index. The caller has made sure that its key is new.
    pub(crate) fn insert<K: Hash + Eq>(&self, index: u32, key_of: impl Fn(u32) -> K) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        table.insert_unique(self.hasher.hash_one(key_of(index)), index, |index| {
            self.hasher.hash_one(key_of(*index))
        });
    }
}
