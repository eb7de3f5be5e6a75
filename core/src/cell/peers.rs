//! One sum per peer of a communicator.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{Cell, CounterValue};
use crate::desc::Behaviour;
use crate::object::{Comm, Object};
use crate::sparse::Sparse;
use crate::threads;
use crate::words::Bind;

/// The cell of a per-peer array: one sum for each process that was ever added to.
///
/// Bound to a communicator, it shows an element for each of its ranks. Memory grows with the peers added to,
/// not with the size of the world. Kept while a handle is started; otherwise an update is one load and a
/// branch.
#[derive(Debug)]
pub struct PeerArray<T: CounterValue> {
    sums: Sparse<AtomicU64>,
    watchers: AtomicU32,
    of: PhantomData<fn() -> T>,
}

impl<T: CounterValue> PeerArray<T> {
    /// An array of zeros.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { sums: Sparse::new(), watchers: AtomicU32::new(0), of: PhantomData }
    }

    /// Adds to the sum of a process, given by its rank in the world, if a handle is started.
    ///
    /// Allocates when a process is added to for the first time, never again.
    #[inline]
    pub fn add(&self, world_rank: u32, amount: T) {
        if self.watchers.load(Relaxed) != 0 {
            threads::add(self.sums.entry(world_rank), amount.to_word());
        }
    }

    /// What was added for a process so far while handles were started.
    #[must_use]
    pub fn total(&self, world_rank: u32) -> T {
        T::from_word(self.sums.get(world_rank).map_or(0, |sum| sum.load(Relaxed)))
    }
}

impl<T: CounterValue> super::sealed::Sealed for PeerArray<T> {}

impl<T: CounterValue> Cell for PeerArray<T> {
    type Value = T;
    const BEHAVIOUR: Behaviour = Behaviour::Sum;
    const BIND: Bind = Bind::Comm;

    fn count(&self, object: &Object<'_>) -> usize {
        Comm::from_object(object).map_or(0, |comm| comm.size())
    }

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        let comm = Comm::from_object(object).ok_or(crate::Error::InvalidHandle)?;
        for (rank, out) in out.iter_mut().enumerate() {
            *out = self.total(comm.world_rank(rank));
        }
        Ok(())
    }

    fn watch(&self, more: i32) {
        self.watchers.fetch_add(more.cast_unsigned(), Relaxed);
    }
}
