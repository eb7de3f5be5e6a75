//! Bytes that a process exchanges with each other one.

use std::cell::Cell;

use super::bytes;
use crate::arguments::CountArray;

/// The bytes that a process exchanges with each other one.
#[derive(Debug)]
pub(crate) enum Amounts {
    /// So many bytes.
    Each(u64),
    /// The array's numbers of elements, of one size.
    Counts(CountArray, u64),
    /// Bytes of each: the elements have types of their own.
    Listed(Listed),
}

impl Amounts {
    /// The bytes exchanged with one process, or neighbor.
    pub(super) fn with(&self, index: u32) -> u64 {
        match self {
            Self::Each(bytes) => *bytes,
            Self::Counts(counts, size) => bytes(counts.get(index), *size),
            Self::Listed(list) => list.0.get(index as usize).copied().unwrap_or(0),
        }
    }
}

/// Bytes by process, or neighbor. Its memory is used again by the thread's next list.
#[derive(Debug)]
pub(crate) struct Listed(Vec<u64>);

thread_local! {
    static SPARE: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

impl Listed {
    /// `None` if one of the types cannot be looked up that way.
    pub(super) fn new(len: u32, counts: &CountArray, size: impl Fn(u32) -> Option<u64>) -> Option<Self> {
        let mut list = Self(SPARE.try_with(Cell::take).unwrap_or_default());
        list.0.clear();
        for index in 0..len {
            list.0.push(bytes(counts.get(index), size(index)?));
        }
        Some(list)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        // Of a thread that ends, the memory is given back.
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
    }
}
