//! Numbers of bytes that a process exchanges with each other process.

use std::cell::Cell;
use std::mem::ManuallyDrop;

use super::bytes;
use crate::arguments::CountArray;

#[derive(Debug)]
pub(crate) enum Amounts {
    /// An equal number of bytes with each.
    Each(u64),
    /// The numbers of elements in an array, and the size of an element.
    Counts(CountArray, u64),
    /// A number of bytes for each, from elements of different types.
    Listed(ByteList),
}

impl Amounts {
    /// Returns the bytes exchanged with each, if they are equal, in a function that forwards a call and so must have nothing to clean
    /// up. Amounts that are found in caches alone are not listed, so nothing is leaked.
    #[inline(always)]
    pub(super) fn into_each(self) -> Option<u64> {
        match *ManuallyDrop::new(self) {
            Self::Each(bytes) => Some(bytes),
            Self::Counts(..) | Self::Listed(_) => None,
        }
    }

    /// Returns the bytes exchanged with one process or neighbor.
    pub(super) fn with(&self, index: u32) -> u64 {
        match self {
            Self::Each(bytes) => *bytes,
            Self::Counts(counts, size) => bytes(counts.get(index), *size),
            Self::Listed(list) => list.0.get(index as usize).copied().unwrap_or(0),
        }
    }
}

/// Bytes by process or neighbor. The thread's next list reuses its memory.
#[derive(Debug)]
pub(crate) struct ByteList(Vec<u64>);

thread_local! {
    static SPARE: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

impl ByteList {
    /// Computes the list; returns `None` if the size of a type is unknown.
    pub(super) fn new(len: u32, counts: &CountArray, size: impl Fn(u32) -> Option<u64>) -> Option<Self> {
        let mut list = Self(SPARE.try_with(Cell::take).unwrap_or_default());
        list.0.clear();
        for index in 0..len {
            list.0.push(bytes(counts.get(index), size(index)?));
        }
        Some(list)
    }
}

impl Drop for ByteList {
    fn drop(&mut self) {
        // In a thread that ends, the memory is freed.
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
    }
}
