//! Hash tables with open addressing and linear probing, which are read without locks while larger ones replace them.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::log::Log;

/// A slot of a table: an atomic word or pointer, which is 0 or null if the slot is empty.
pub(crate) trait Slot: Default {
    type Content: Copy;

    /// Returns the content, and what was written before it was stored.
    fn load(&self) -> Option<Self::Content>;

    /// Returns true if the slot is empty. Only for the writer.
    fn is_empty(&self) -> bool;

    /// Stores a content. A reader that sees it also sees what was written before.
    fn store(&self, content: Self::Content);
}

impl Slot for AtomicU64 {
    /// A number other than 0.
    type Content = u64;

    #[inline]
    fn load(&self) -> Option<u64> {
        match self.load(Acquire) {
            0 => None,
            content => Some(content),
        }
    }

    fn is_empty(&self) -> bool {
        self.load(Relaxed) == 0
    }

    fn store(&self, content: u64) {
        self.store(content, Release);
    }
}

impl<E> Slot for AtomicPtr<E> {
    type Content = NonNull<E>;

    #[inline]
    fn load(&self) -> Option<NonNull<E>> {
        NonNull::new(self.load(Acquire))
    }

    fn is_empty(&self) -> bool {
        self.load(Relaxed).is_null()
    }

    fn store(&self, content: NonNull<E>) {
        self.store(content.as_ptr(), Release);
    }
}

/// The slots of one table, a power of two, of which some are empty.
type Slots<S> = Box<[S]>;

/// A hash table without keys: its users derive them from the contents, and decide when it is too full. Any number of threads
/// read, and one at a time writes.
#[derive(Debug)]
pub(crate) struct ProbeTable<S> {
    /// The newest of `tables`, which has all contents; null if there is none.
    newest: AtomicPtr<Slots<S>>,
    /// All tables ever made, since a reader may still search an old one.
    tables: Log<Slots<S>>,
}

impl<S> ProbeTable<S> {
    pub(crate) const fn new() -> Self {
        Self { newest: AtomicPtr::new(null_mut()), tables: Log::new() }
    }

    #[inline]
    fn newest(&self) -> Option<&Slots<S>> {
        // SAFETY: null, or an item of `tables`, which never moves, is valid as long as `self`, and is only borrowed shared.
        unsafe { self.newest.load(Acquire).as_ref() }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.newest().map_or(0, |table| table.len())
    }
}

impl<S: Slot> ProbeTable<S> {
    /// Returns the first result of `matches` for a content with this hash. Contents with other hashes are passed as well.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "looked up for each message, where a call would cost as much again"
    )]
    pub(crate) fn find<R>(&self, hash: usize, matches: impl Fn(S::Content) -> Option<R>) -> Option<R> {
        let table = self.newest()?;
        let mask = table.len().wrapping_sub(1);
        let mut at = hash & mask;
        loop {
            if let Some(found) = matches(table.get(at)?.load()?) {
                return Some(found);
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns the contents of all slots, in no particular order.
    pub(crate) fn contents(&self) -> impl Iterator<Item = S::Content> {
        self.newest().into_iter().flat_map(|table| table.iter().filter_map(S::load))
    }

    /// Inserts a content, for which the table has an empty slot, and one more.
    pub(crate) fn insert(&self, hash: usize, content: S::Content) {
        if let Some(table) = self.newest() {
            insert_into(table, hash, content);
        }
    }

    /// Replaces the table by one with `slots` slots, a power of two, and these contents, each with its hash.
    pub(crate) fn replace(&self, slots: usize, contents: impl Iterator<Item = (usize, S::Content)>) {
        let index = self.tables.push((0..slots).map(|_| S::default()).collect());
        let larger = index
            .ok()
            .and_then(|index| self.tables.get(index))
            .expect("fewer tables than a list has room for");
        for (hash, content) in contents {
            insert_into(larger, hash, content);
        }
        // A reader that sees the table also sees its contents.
        self.newest.store(std::ptr::from_ref(larger).cast_mut(), Release);
    }
}

/// Stores a content in the first empty slot of its probe sequence.
fn insert_into<S: Slot>(table: &[S], hash: usize, content: S::Content) {
    let mask = table.len() - 1;
    let mut at = hash & mask;
    while !table[at].is_empty() {
        at = (at + 1) & mask;
    }
    table[at].store(content);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::ProbeTable;

    #[test]
    fn contents_with_equal_hashes_are_found() {
        let table: ProbeTable<AtomicU64> = ProbeTable::new();
        let find =
            |hash, wanted| table.find(hash, |content| if content == wanted { Some(content) } else { None });
        assert_eq!((table.capacity(), find(3, 7), table.contents().count()), (0, None, 0));
        table.replace(8, [(7, 10), (7, 11)].into_iter());
        // Behind the last slot comes the first one.
        table.insert(15, 12);
        assert_eq!([10, 11, 12, 13].map(|wanted| find(7, wanted)), [Some(10), Some(11), Some(12), None]);
        table.replace(16, table.contents().map(|content| (content as usize, content)));
        assert_eq!((table.capacity(), table.contents().count()), (16, 3));
        assert!([10, 11, 12].iter().all(|content| find(*content as usize, *content) == Some(*content)));
    }
}
