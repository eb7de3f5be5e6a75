//! An append-only list that is read without locks.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

/// Chunk c holds `FIRST << c` items, so 32 chunks are more than any index space holds. A power of two, so that `get` masks the
/// number of a chunk instead of comparing it.
const FIRST: usize = 16;
const CHUNKS: usize = 32;

/// An append-only list. Items never move and are dropped only with the list, so a reference is valid as long as the list.
///
/// Readers take no lock. Writers must be serialized by the caller, usually with a lock; [`Log::push`] and [`Log::writer`] fail if they
/// are not.
#[derive(Debug)]
pub struct Log<T> {
    /// Null, or an address `FIRST << c` slots before the start of chunk c, so that `get` need not subtract that number from the
    /// index. The first `len` slots of the list are initialized.
    chunks: [AtomicPtr<T>; CHUNKS],
    /// The start of the last chunk. Behind the slots of each chunk is the start of the chunk before. Leak detectors follow these
    /// addresses, because those in `chunks` are outside of the allocations.
    last: AtomicPtr<T>,
    len: AtomicUsize,
    pushing: AtomicBool,
    of: PhantomData<T>,
}

// SAFETY: a shared list returns `&T` to any thread (`T: Sync`) and accepts items from any thread (`T: Send`).
unsafe impl<T: Send + Sync> Sync for Log<T> {}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Log<T> {
    /// Creates an empty list. Its items have a size: a list of others does not compile.
    ///
    /// ```
    /// use mpit_sync::log::Log;
    ///
    /// static ALL: Log<u8> = Log::new();
    /// assert!(ALL.is_empty());
    /// ```
    ///
    /// ```compile_fail
    /// use mpit_sync::log::Log;
    ///
    /// static ALL: Log<()> = Log::new();
    /// assert!(ALL.is_empty());
    /// ```
    pub const fn new() -> Self {
        const { assert!(size_of::<T>() != 0, "the items of a list have a size") };
        Self {
            chunks: [const { AtomicPtr::new(null_mut()) }; CHUNKS],
            last: AtomicPtr::new(null_mut()),
            len: AtomicUsize::new(0),
            pushing: AtomicBool::new(false),
            of: PhantomData,
        }
    }

    /// The number of slots with space for an address, behind those of the items.
    const LINK_SLOTS: usize = size_of::<*mut T>().div_ceil(size_of::<T>());

    /// Returns the chunk, and the index from which its slots are counted: `FIRST << chunk` at its first slot.
    #[inline]
    fn place(index: usize) -> (usize, usize) {
        let shifted = index + FIRST;
        ((shifted.ilog2() - FIRST.ilog2()) as usize, shifted)
    }

    /// Returns the bytes that a list of so many items allocates for the next one.
    pub fn growth(len: usize) -> usize {
        let (chunk, shifted) = Self::place(len);
        if shifted == FIRST << chunk { shifted * size_of::<T>() } else { 0 }
    }

    /// Returns the number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.load(Acquire)
    }

    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the item at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index >= self.len() {
            return None;
        }
        let (chunk, shifted) = Self::place(index);
        // The remainder is `chunk` itself: `Writer::push` adds no items beyond the last chunk.
        let item = self.chunks[chunk % CHUNKS].load(Relaxed).wrapping_add(shifted);
        // SAFETY: `Writer::push` initializes a slot before it publishes the new `len` (`Release`), `len()` loads it with `Acquire`, and
        // slots below `len` are not written again before `drop`.
        Some(unsafe { &*item })
    }

    /// Appends an item and returns its index. Returns the item if the list is full, there is no memory, or another writer is appending.
    ///
    /// # Errors
    ///
    /// The item.
    pub fn push(&self, item: T) -> Result<usize, T> {
        match self.writer() {
            Some(mut writer) => writer.push(item),
            None => Err(item),
        }
    }

    /// Returns the only writer, unless there is another one. It appends several items for the price of one locked instruction.
    pub fn writer(&self) -> Option<Writer<'_, T>> {
        if self.pushing.swap(true, Acquire) { None } else { Some(Writer(self)) }
    }

    /// Combines the present items in order. Unlike [`iter`](Self::iter), this computes no places: most lists have one chunk, for which it is
    /// a loop over a slice.
    #[inline]
    pub fn fold<A>(&self, start: A, mut combine: impl FnMut(A, &T) -> A) -> A {
        let len = self.len();
        // SAFETY: `len` items were published, of which the first `FIRST` are in this chunk.
        let first = unsafe { self.items(0, len.min(FIRST)) }.iter().fold(start, &mut combine);
        if len <= FIRST { first } else { self.fold_rest(len, first, combine) }
    }

    /// Combines the items behind the first chunk. Not inlined, so that short lists do not save its registers.
    #[inline(never)]
    fn fold_rest<A>(&self, len: usize, start: A, mut combine: impl FnMut(A, &T) -> A) -> A {
        let (mut left, mut result) = (len - FIRST, start);
        for chunk in 1..CHUNKS {
            let count = left.min(FIRST << chunk);
            // SAFETY: `len` items were published, of which `left` are in this chunk and those behind it.
            result = unsafe { self.items(chunk, count) }.iter().fold(result, &mut combine);
            left -= count;
            if left == 0 {
                break;
            }
        }
        result
    }

    /// Returns the first items of a chunk.
    ///
    /// # Safety
    ///
    /// The chunk has at least `count` items below a length that this thread has loaded with [`len`](Self::len).
    #[inline]
    unsafe fn items(&self, chunk: usize, count: usize) -> &[T] {
        let first = FIRST << chunk;
        debug_assert!(count <= first && first - FIRST + count <= self.len());
        let start = self.chunks[chunk].load(Relaxed).wrapping_add(first);
        // SAFETY: the chunk has `first` slots from `start`. Without a chunk `count` is 0, and `start` is `first` slots behind null, so it
        // is aligned, and not null because `new` asserts that a slot has a size. `Writer::push` initializes a slot before it publishes
        // the new `len` (`Release`), `len()` loads it with `Acquire`, and slots below `len` are not written again before `drop`.
        unsafe { std::slice::from_raw_parts(start, count) }
    }

    /// Returns an iterator over the present items.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// The only writer of a list, which another one can follow when this is dropped.
#[derive(Debug)]
pub struct Writer<'a, T>(&'a Log<T>);

impl<T> Writer<'_, T> {
    /// Appends an item and returns its index.
    ///
    /// # Errors
    ///
    /// The item, if the list is full or there is no memory.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<usize, T> {
        let log = self.0;
        let index = log.len();
        let (chunk, shifted) = Log::<T>::place(index);
        if chunk >= CHUNKS {
            return Err(item);
        }
        let first = FIRST << chunk;
        if shifted == first {
            let slots = first + Log::<T>::LINK_SLOTS;
            let Some(start) = new_chunk::<T>(slots) else { return Err(item) };
            self.link(start, first);
            log.chunks[chunk].store(start.wrapping_sub(first), Relaxed);
        }
        let slot = log.chunks[chunk].load(Relaxed).wrapping_add(shifted);
        // SAFETY: chunk `chunk` has `first` slots, counted from `first`, so one is at `shifted`; no reader accesses the slot before
        // `len` is stored below, and there is no other writer: `Log::writer` makes one only if it has set `pushing`, which `drop` clears.
        unsafe { slot.write(item) };
        // Readers that see the new length see the chunk and the item.
        log.len.store(index + 1, Release);
        Ok(index)
    }

    /// Makes a new chunk of so many slots the last one.
    fn link(&self, start: *mut T, slots: usize) {
        let before = self.0.last.load(Relaxed);
        #[allow(clippy::cast_ptr_alignment, reason = "accessed without alignment")]
        let link = start.wrapping_add(slots).cast::<*mut T>();
        // SAFETY: the caller has allocated `LINK_SLOTS` more slots, which have space for an address.
        unsafe { link.write_unaligned(before) };
        self.0.last.store(start, Relaxed);
    }
}

/// Allocates the slots of a chunk; returns `None` if there is no memory.
#[cold]
fn new_chunk<T>(slots: usize) -> Option<*mut T> {
    let mut chunk = Vec::<MaybeUninit<T>>::new();
    chunk.try_reserve_exact(slots).ok()?;
    // SAFETY: the slots are allocated, and need not be initialized.
    unsafe { chunk.set_len(slots) };
    Some(Box::into_raw(chunk.into_boxed_slice()).cast())
}

impl<T> Drop for Writer<'_, T> {
    fn drop(&mut self) {
        self.0.pushing.store(false, Release);
    }
}

impl<T> Drop for Log<T> {
    fn drop(&mut self) {
        let len = *self.len.get_mut();
        for index in 0..len {
            let (chunk, shifted) = Self::place(index);
            let item = self.chunks[chunk].get_mut().wrapping_add(shifted);
            // SAFETY: slots below `len` are initialized, and `&mut self` excludes all other references.
            unsafe { item.drop_in_place() };
        }
        let made = len.checked_sub(1).map_or(0, |last| Self::place(last).0 + 1);
        for (chunk, start) in self.chunks.iter_mut().enumerate().take(made) {
            let first = FIRST << chunk;
            let start = start.get_mut().wrapping_add(first);
            let slots = first + Self::LINK_SLOTS;
            let places = std::ptr::slice_from_raw_parts_mut(start.cast::<MaybeUninit<T>>(), slots);
            // SAFETY: `Writer::push` made the chunk as a boxed slice of so many slots; its items were dropped above.
            drop(unsafe { Box::from_raw(places) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, Log};

    const COUNT: usize = if cfg!(miri) { 200 } else { 20_000 };

    #[test]
    fn places_are_dense() {
        assert_eq!(Log::<u8>::place(0), (0, FIRST));
        assert_eq!(Log::<u8>::place(FIRST - 1), (0, 2 * FIRST - 1));
        assert_eq!(Log::<u8>::place(FIRST), (1, 2 * FIRST));
        assert_eq!(Log::<u8>::place(3 * FIRST), (2, 4 * FIRST));
    }

    #[test]
    fn one_writer_at_a_time_appends() {
        let log = Log::new();
        let mut writer = log.writer().unwrap();
        assert_eq!((writer.push('a'), writer.push('b')), (Ok(0), Ok(1)));
        assert!(log.writer().is_none());
        assert_eq!(log.push('c'), Err('c'));
        drop(writer);
        assert_eq!(log.push('c'), Ok(2));
        assert_eq!(log.iter().collect::<String>(), "abc");
    }

    #[test]
    fn items_stay() {
        let log = Log::new();
        let first: *const usize = {
            log.push(0).unwrap();
            log.get(0).unwrap()
        };
        for n in 1..COUNT {
            assert_eq!(log.push(n), Ok(n));
        }
        assert!(std::ptr::eq(first, log.get(0).unwrap()));
        assert!(log.iter().copied().eq(0..COUNT));
        let all = log.fold(Vec::new(), |mut all, item| {
            all.push(*item);
            all
        });
        assert!(all.into_iter().eq(0..COUNT));
        assert!(log.get(COUNT).is_none());
        assert!(log.get(usize::MAX / 2).is_none());
    }

    #[test]
    fn sums_have_the_last_item() {
        let log = Log::new();
        for item in 0..=3 * FIRST + 1 {
            assert_eq!(log.fold(0, |sum, item| sum + item), (0..item).sum::<usize>());
            log.push(item).unwrap();
        }
    }

    #[test]
    fn items_are_dropped_with_the_list() {
        let item = std::sync::Arc::new(());
        let log = Log::new();
        for _ in 0..100 {
            assert!(log.push(item.clone()).is_ok());
        }
        assert_eq!(std::sync::Arc::strong_count(&item), 101);
        drop(log);
        assert_eq!(std::sync::Arc::strong_count(&item), 1);
    }

    #[test]
    fn readers_see_whole_items_during_pushes() {
        let log = &Log::new();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while log.len() < COUNT {
                        assert!(log.iter().enumerate().all(|(index, item)| *item == [index; 4]));
                    }
                });
            }
            (0..COUNT).for_each(|index| assert_eq!(log.push([index; 4]), Ok(index)));
        });
    }
}
