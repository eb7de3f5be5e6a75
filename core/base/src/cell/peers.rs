//! Sums per peer of a communicator.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{Behavior, Cell, CounterValue};
use crate::host::threads;
use crate::object::{Comm, OUTSIDE, Object};
use crate::sparse::Sparse;
use crate::vocabulary::Bind;

/// The cell of a per-peer array: a sum for each process with an update. `T` is `u32` or `u64`.
///
/// Bound to a communicator, it shows an element for each of its ranks. Memory grows with the number of peers that have updates,
/// not with the size of the world. Updates count while a handle is started; otherwise an update is one load and a branch.
#[derive(Debug)]
pub struct PeerArray<T: CounterValue> {
    sums: Sparse<AtomicU64>,
    watchers: AtomicU32,
    of: PhantomData<fn() -> T>,
}

impl<T: CounterValue> PeerArray<T> {
    /// Creates an array of zeros.
    pub const fn new() -> Self {
        Self { sums: Sparse::new(), watchers: AtomicU32::new(0), of: PhantomData }
    }

    /// Adds to the sum of a process, given by its rank in `MPI_COMM_WORLD`, if a handle is started.
    ///
    /// Allocates at the first update for a process, and never again for it. Without memory, nothing is added. Handles do not show what is
    /// added for [`OUTSIDE`].
    #[inline]
    pub fn add(&self, world_rank: u32, amount: T) {
        if self.watchers.load(Relaxed) != 0
            && let Some(sum) = self.sums.entry(world_rank)
        {
            threads::add(sum, amount.to_word());
        }
    }

    /// Returns the sum of a process, counted while handles were started.
    pub fn total(&self, world_rank: u32) -> T {
        T::from_word(self.sums.get(world_rank).map_or(0, |sum| sum.load(Relaxed)))
    }
}

impl<T: CounterValue> super::sealed::Sealed for PeerArray<T> {}

impl<T: CounterValue> Cell for PeerArray<T> {
    type Value = T;
    const BEHAVIOR: Behavior = Behavior::Sum;
    const BIND: Bind = Bind::Comm;
    const IS_SCALAR: bool = false;

    fn count(&self, object: &Object<'_>) -> usize {
        Comm::from_object(object).map_or(0, |comm| comm.size())
    }

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        let comm = Comm::from_object(object).ok_or(crate::Error::InvalidHandle)?;
        for (rank, out) in out.iter_mut().enumerate() {
            // The sum of no process is not that of all of them.
            let world_rank = comm.world_rank(rank);
            *out = if world_rank == OUTSIDE { T::from_word(0) } else { self.total(world_rank) };
        }
        Ok(())
    }

    fn watch(&self, more: i32) {
        self.watchers.fetch_add(more.cast_unsigned(), Relaxed);
    }
}
