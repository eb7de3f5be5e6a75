//! An append-only list that is read without locks.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Release},
};

/// Chunk c holds `FIRST << c` items, so 28 chunks are more than any index space holds.
const FIRST: usize = 16;
const CHUNKS: usize = 28;

/// An append-only list: items never move and never go away, so a reference lives as long as the list.
///
/// Readers take no lock. Writers must not run at the same time as one another; who appends holds a lock for
/// the purpose (see [`Log::push`]).
#[derive(Debug)]
pub struct Log<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    len: AtomicUsize,
}

impl<T> Log<T> {
    /// An empty list.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS], len: AtomicUsize::new(0) }
    }

    /// Chunk and position within it.
    #[inline]
    fn place(index: usize) -> (usize, usize) {
        let shifted = index + FIRST;
        let chunk = (shifted.ilog2() - FIRST.ilog2()) as usize;
        (chunk, shifted - (FIRST << chunk))
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.load(Acquire)
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An item.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        let (chunk, at) = Self::place(index);
        self.chunks.get(chunk)?.get()?.get(at)?.get()
    }

    /// Appends an item and returns its index, or gives the item back when the list is full or another writer
    /// was faster.
    ///
    /// # Errors
    ///
    /// The item.
    pub fn push(&self, item: T) -> Result<usize, T> {
        let index = self.len();
        let (chunk, at) = Self::place(index);
        let Some(chunk_cell) = self.chunks.get(chunk) else { return Err(item) };
        let slots = chunk_cell.get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        slots[at].set(item)?;
        // Readers that see the new length see the item.
        self.len.store(index + 1, Release);
        Ok(index)
    }

    /// All items that are there now.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, Log};

    #[test]
    fn places_are_dense() {
        assert_eq!(Log::<u8>::place(0), (0, 0));
        assert_eq!(Log::<u8>::place(FIRST - 1), (0, FIRST - 1));
        assert_eq!(Log::<u8>::place(FIRST), (1, 0));
        assert_eq!(Log::<u8>::place(3 * FIRST), (2, 0));
    }

    #[test]
    fn items_stay() {
        let log = Log::new();
        let first: *const usize = {
            log.push(0).unwrap();
            log.get(0).unwrap()
        };
        for n in 1..10_000 {
            assert_eq!(log.push(n), Ok(n));
        }
        assert!(std::ptr::eq(first, log.get(0).unwrap()));
        assert!(log.iter().copied().eq(0..10_000));
        assert!(log.get(10_000).is_none());
        assert!(log.get(usize::MAX / 2).is_none());
    }
}
