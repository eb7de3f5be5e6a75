//! Hash tables with open addressing and linear probing, which are read without locks while larger ones replace them.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::log::Log;

/// A slot of a table: an atomic word or pointer, which is 0 or null if the slot is empty.
pub trait Slot: Default {
    /// The word or pointer.
    type Content: Copy;

    /// Returns the content, and what was written before it was stored.
    fn load(&self) -> Option<Self::Content>;

    /// Stores a content, in an empty slot unless it is a [`ReusableSlot`]. A reader that sees the content also sees what was written
    /// before.
    fn store(&self, content: Self::Content);
}

/// A slot that is written again while other threads read it: a single atomic, of which a reader sees one content or the other. All
/// other slots are written once.
///
/// ```compile_fail
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use mpit_sync::probe_table::{ProbeTable, Slot};
///
/// #[derive(Default)]
/// struct WrittenOnce(AtomicU64);
///
/// impl Slot for WrittenOnce {
///     type Content = u64;
///
///     fn load(&self) -> Option<u64> {
///         Some(self.0.load(Relaxed)).filter(|content| *content != 0)
///     }
///
///     fn store(&self, content: u64) {
///         self.0.store(content, Relaxed);
///     }
/// }
///
/// // Compiles without this line.
/// ProbeTable::<WrittenOnce>::new().clear();
/// ```
pub trait ReusableSlot: Slot {
    /// Empties the slot. Only for the writer.
    fn clear(&self);
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

    fn store(&self, content: u64) {
        self.store(content, Release);
    }
}

impl ReusableSlot for AtomicU64 {
    fn clear(&self) {
        self.store(0, Relaxed);
    }
}

impl<E> Slot for AtomicPtr<E> {
    type Content = NonNull<E>;

    #[inline]
    fn load(&self) -> Option<NonNull<E>> {
        NonNull::new(self.load(Acquire))
    }

    fn store(&self, content: NonNull<E>) {
        self.store(content.as_ptr(), Release);
    }
}

impl<E> ReusableSlot for AtomicPtr<E> {
    fn clear(&self) {
        self.store(null_mut(), Relaxed);
    }
}

/// The slots of one table, a power of two, of which some are empty.
type Slots<S> = Box<[S]>;

/// A hash table without keys: its users derive them from the contents, and decide when it is too full. Any number of threads
/// read, and one at a time writes.
#[derive(Debug)]
pub struct ProbeTable<S> {
    /// The newest of `tables`, which has all contents; null if there is none.
    newest: AtomicPtr<Slots<S>>,
    /// All tables ever made, since a reader may still search an old one.
    tables: Log<Slots<S>>,
}

impl<S> Default for ProbeTable<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> ProbeTable<S> {
    /// Creates a table without slots.
    #[must_use]
    pub const fn new() -> Self {
        Self { newest: AtomicPtr::new(null_mut()), tables: Log::new() }
    }

    #[inline]
    fn newest(&self) -> Option<&Slots<S>> {
        // SAFETY: null, or an item of `tables`, which never moves, is valid as long as `self`, and is only borrowed shared.
        unsafe { self.newest.load(Acquire).as_ref() }
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> usize {
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
    pub fn find<R>(&self, hash: usize, matches: impl Fn(S::Content) -> Option<R>) -> Option<R> {
        find_in(self.newest()?, hash, matches)
    }

    /// Returns the contents of all slots, in no particular order.
    pub fn contents(&self) -> impl Iterator<Item = S::Content> {
        self.newest().into_iter().flat_map(|table| table.iter().filter_map(S::load))
    }

    /// Inserts a content. The caller guarantees two empty slots: one for the content, and one that ends searches.
    ///
    /// # Panics
    ///
    /// Panics if the table has no slots.
    pub fn insert(&self, hash: usize, content: S::Content) {
        slot_for(self.slots(), hash, |_| false).0.store(content);
    }

    /// Returns the slots, for an insertion.
    fn slots(&self) -> &[S] {
        self.newest().expect("a table without slots takes no content; `replace` makes slots")
    }

    /// Replaces the table by one with `slots` slots, a power of two, and these contents, each with its hash.
    ///
    /// # Panics
    ///
    /// Panics if another thread writes, which callers prevent.
    pub fn replace(&self, slots: usize, contents: impl Iterator<Item = (usize, S::Content)>) {
        self.publish(PrivateTable::with_contents(slots, contents));
    }

    /// Replaces the table by one that was filled before. Its contents include those of the present one.
    ///
    /// # Panics
    ///
    /// Panics if another thread writes, which callers prevent.
    pub fn publish(&self, table: PrivateTable<S>) {
        let index = self.tables.push(table.slots);
        let larger = index
            .ok()
            .and_then(|index| self.tables.get(index))
            .expect("fewer tables than a list has room for");
        // A reader that sees the table also sees its contents.
        self.newest.store(std::ptr::from_ref(larger).cast_mut(), Release);
    }
}

impl<S: ReusableSlot> ProbeTable<S> {
    /// Inserts a content like [`insert`](Self::insert), or in place of one for which `is_removed` returns true. Returns true if
    /// the slot was empty.
    ///
    /// # Panics
    ///
    /// Panics if the table has no slots.
    pub fn insert_over(
        &self,
        hash: usize,
        content: S::Content,
        is_removed: impl Fn(S::Content) -> bool,
    ) -> bool {
        let (slot, before) = slot_for(self.slots(), hash, is_removed);
        slot.store(content);
        before.is_none()
    }

    /// Empties all slots. Readers may miss contents that are inserted meanwhile.
    pub fn clear(&self) {
        self.newest().into_iter().flat_map(|table| table.iter()).for_each(S::clear);
    }
}

/// A table that is filled before other threads see it: see [`ProbeTable::publish`].
#[derive(Debug)]
pub struct PrivateTable<S> {
    slots: Slots<S>,
}

impl<S: Slot> PrivateTable<S> {
    /// Creates a table with `slots` slots, a power of two, and these contents, each with its hash.
    #[must_use]
    pub fn with_contents(slots: usize, contents: impl Iterator<Item = (usize, S::Content)>) -> Self {
        let table = Self { slots: empty_slots(slots) };
        for (hash, content) in contents {
            table.insert(hash, content);
        }
        table
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Returns the first result of `matches` for a content with this hash, like [`ProbeTable::find`].
    #[inline]
    pub fn find<R>(&self, hash: usize, matches: impl Fn(S::Content) -> Option<R>) -> Option<R> {
        find_in(&self.slots, hash, matches)
    }

    /// Returns the first result of `matches` like [`find`](Self::find). If there is none, inserts a content. The caller guarantees two
    /// empty slots: one for the content, and one that ends searches.
    #[inline]
    pub fn find_or_insert<R>(
        &mut self,
        hash: usize,
        content: S::Content,
        matches: impl Fn(S::Content) -> Option<R>,
    ) -> Option<R> {
        let mask = self.slots.len() - 1;
        let mut at = hash & mask;
        while let Some(there) = self.slots[at].load() {
            if let Some(found) = matches(there) {
                return Some(found);
            }
            at = (at + 1) & mask;
        }
        self.slots[at].store(content);
        None
    }

    /// Begins to load the first slot for a hash.
    #[inline]
    pub fn prefetch(&self, hash: usize) {
        let mask = self.slots.len().wrapping_sub(1);
        if let Some(slot) = self.slots.get(hash & mask) {
            prefetch(slot);
        }
    }

    /// Inserts a content. The caller guarantees two empty slots: one for the content, and one that ends searches.
    fn insert(&self, hash: usize, content: S::Content) {
        slot_for(&self.slots, hash, |_| false).0.store(content);
    }

    /// Returns the contents of all slots, in no particular order.
    pub fn contents(&self) -> impl Iterator<Item = S::Content> {
        self.slots.iter().filter_map(S::load)
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "looked up for each message, where a call would cost as much again")]
fn find_in<S: Slot, R>(table: &[S], hash: usize, matches: impl Fn(S::Content) -> Option<R>) -> Option<R> {
    let mask = table.len().wrapping_sub(1);
    let mut at = hash & mask;
    loop {
        if let Some(found) = matches(table.get(at)?.load()?) {
            return Some(found);
        }
        at = (at + 1) & mask;
    }
}

/// Begins to load a value into the caches.
#[inline]
fn prefetch<T>(at: &T) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, mpit_models))))]
    // SAFETY: a prefetch has no effect but on the caches.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(at).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, mpit_models)))))]
    let _ = at;
}

fn empty_slots<S: Slot>(slots: usize) -> Slots<S> {
    let mut table = Vec::with_capacity(slots);
    advise_huge_pages(table.spare_capacity_mut());
    table.resize_with(slots, S::default);
    table.into_boxed_slice()
}

/// Advises the kernel to back memory of megabytes with huge pages. A lookup then rarely waits for the translation of an address
/// before it waits for the slot.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge_pages<T>(memory: &mut [T]) {
    use crate::errno::with_errno_kept;

    const PAGE: usize = 4096;
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    if bytes < 2 * HUGE_PAGE {
        return;
    }
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(PAGE);
    let (start, len) = (start.wrapping_add(before).cast(), (bytes - before) / PAGE * PAGE);
    // SAFETY: whole pages of `memory`, at most; the advice does not change their content. It may fail, without consequences.
    with_errno_kept(|| unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) });
}

#[cfg(any(not(target_os = "linux"), miri))]
fn advise_huge_pages<T>(_: &mut [T]) {}

/// Returns the first slot of a probe sequence that is empty or has a removed content, and that content.
fn slot_for<S: Slot>(
    table: &[S],
    hash: usize,
    is_removed: impl Fn(S::Content) -> bool,
) -> (&S, Option<S::Content>) {
    let mask = table.len() - 1;
    let mut at = hash & mask;
    loop {
        let content = table[at].load();
        if content.is_none_or(&is_removed) {
            return (&table[at], content);
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::{PrivateTable, ProbeTable};

    /// The kernel refuses to back a table with huge pages.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn large_tables_keep_errno() {
        crate::errno::tests::check_without(libc::SYS_madvise, || {
            let table: ProbeTable<AtomicU64> = ProbeTable::new();
            table.replace(1 << 20, [(7, 10)].into_iter());
            assert_eq!(table.find(7, Some), Some(10));
        });
    }

    #[test]
    fn contents_are_inserted_once() {
        let mut table: PrivateTable<AtomicU64> = PrivateTable::with_contents(8, std::iter::empty());
        let mut insert = |hash, new| {
            table.find_or_insert(hash, new, |content| if content == new { Some(content) } else { None })
        };
        // Behind the last slot comes the first one.
        assert_eq!([10, 11, 12].map(|content| insert(7, content)), [None; 3]);
        assert_eq!([12, 10, 11].map(|content| insert(15, content)), [Some(12), Some(10), Some(11)]);
        assert_eq!((insert(0, 13), insert(0, 13)), (None, Some(13)));
        assert_eq!(table.contents().count(), 4);
    }

    #[test]
    #[should_panic(expected = "a table without slots takes no content")]
    fn tables_without_slots_take_no_content() {
        let table: ProbeTable<AtomicU64> = ProbeTable::new();
        table.insert(7, 10);
    }

    #[test]
    #[should_panic(expected = "a table without slots takes no content")]
    fn nothing_is_replaced_without_slots() {
        let table: ProbeTable<AtomicU64> = ProbeTable::new();
        table.insert_over(7, 10, |_| true);
    }

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
        assert!(table.insert_over(10, 26, |content| content == 9));
        assert!(!table.insert_over(10, 42, |content| content == 26), "in the slot of 26");
        assert_eq!((find(10, 26), find(10, 42), find(10, 11)), (None, Some(42), Some(11)));
        table.clear();
        assert_eq!((table.capacity(), table.contents().count()), (16, 0));
    }
}
