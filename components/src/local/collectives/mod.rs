//! Collective operations, built on messages with negative tags.
//!
//! Messages of one sender do not overtake each other and all processes call the operations of a communicator in
//! the same order, so one tag per operation keeps them apart.

mod messages;
mod neighbors;
mod nonblocking;
mod prefixes;
mod ragged;

use std::sync::Arc;

use bytemuck::Pod;

use super::comm::{Comm, Shared};
use super::timed::timed;
use super::{Data, Error, Result};
use crate::calls::Area;
use crate::coll::{self, Kind, Operation, Pattern, Root, Volume};

/// A tag of the host's own messages: each is negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag(i32);

impl Tag {
    const BARRIER: Self = Self(-10);
    const BCAST: Self = Self(-11);
    const REDUCE: Self = Self(-12);
    const ALLREDUCE: Self = Self(-13);
    const GATHER: Self = Self(-14);
    const SCATTER: Self = Self(-15);
    const ALLGATHER: Self = Self(-16);
    const ALLTOALL: Self = Self(-17);
    const REDUCE_SCATTER: Self = Self(-18);
    const SCAN: Self = Self(-19);
    pub(super) const DUP: Self = Self(-20);
    pub(super) const SPLIT: Self = Self(-21);
    pub(super) const TOPOLOGY: Self = Self(-22);
    pub(super) const WINDOW: Self = Self(-23);
    pub(super) const FENCE: Self = Self(-24);

    /// For one of several edges between two neighbors.
    const fn edge(number: u16) -> Self {
        Self(-1000 - number as i32)
    }

    /// For a nonblocking operation, by its place among those of the communicator. Not so many are under way at once
    /// that two have the same tag.
    const fn nonblocking(number: u32) -> Self {
        Self(-100_000 - (number % 1_000_000).cast_signed())
    }
}

impl Comm {
    /// Returns when all processes of the communicator have called it.
    ///
    /// # Errors
    ///
    /// As all collective operations, fails when a process of the communicator is gone.
    pub fn barrier(&self) -> Result<()> {
        self.collective(Kind::Barrier, 0, Volume::Each(0), |comm| comm.meet(Tag::BARRIER))
    }

    /// Copies the root's data to all processes.
    ///
    /// # Errors
    ///
    /// The communicator must have the root, and all buffers must have the same length. As all collective
    /// operations, fails when a process of the communicator is gone.
    pub fn bcast(&self, data: &mut (impl Data + ?Sized), root: usize) -> Result<()> {
        self.shared.peer(root)?;
        let data = data.bytes_mut();
        let volume = Volume::Each(data.len() as u64);
        self.collective(Kind::Bcast, root, volume, |comm| comm.spread(data, root, Tag::BCAST))
    }

    /// Combines the processes' values element by element; the root gets the result, the others `None`.
    ///
    /// The operation must be associative. It is applied in the order of the ranks, so it need not be
    /// commutative.
    ///
    /// # Errors
    ///
    /// As of [`bcast`](Self::bcast).
    pub fn reduce<T: Pod>(
        &self,
        values: &[T],
        operation: impl Fn(T, T) -> T,
        root: usize,
    ) -> Result<Option<Vec<T>>> {
        self.shared.peer(root)?;
        self.collective(Kind::Reduce, root, each(values), |comm| {
            let result = comm.combine(values, operation, Tag::REDUCE)?;
            // The order of the ranks makes rank 0 the natural root; another one gets the result from there.
            match (comm.rank == root, result) {
                (true, None) => {
                    let mut result = vec![T::zeroed(); values.len()];
                    comm.get(result.bytes_mut(), 0, Tag::REDUCE)?;
                    Ok(Some(result))
                }
                (false, Some(result)) => comm.put(result.bytes(), root, Tag::REDUCE).map(|()| None),
                (_, result) => Ok(result),
            }
        })
    }

    /// Combines the processes' values element by element, as [`reduce`](Self::reduce); all get the result.
    ///
    /// # Errors
    ///
    /// All processes must give the same number of values. As all collective operations, fails when a process of
    /// the communicator is gone.
    pub fn allreduce<T: Pod>(&self, values: &[T], operation: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        let volume = each(values);
        self.collective(Kind::Allreduce, 0, volume, |comm| {
            comm.reduce_to_all(values, operation, Tag::ALLREDUCE)
        })
    }

    /// Concatenates the processes' values in the order of the ranks; the root gets them, the others `None`.
    ///
    /// # Errors
    ///
    /// As of [`bcast`](Self::bcast).
    pub fn gather<T: Pod>(&self, values: &[T], root: usize) -> Result<Option<Vec<T>>> {
        self.shared.peer(root)?;
        self.collective(Kind::Gather, root, each(values), |comm| {
            let counts = vec![values.len(); comm.members.len()];
            comm.collect(values, (comm.rank == root).then_some(&counts[..]), root, Tag::GATHER)
        })
    }

    /// Gives each process its part of the root's values, in the order of the ranks. The root passes the values,
    /// the others `None`.
    ///
    /// # Errors
    ///
    /// The root must pass as many values as fill all buffers. As all collective operations, fails when a process
    /// of the communicator is gone.
    pub fn scatter<T: Pod>(&self, values: Option<&[T]>, buffer: &mut [T], root: usize) -> Result<()> {
        self.shared.peer(root)?;
        if values.is_some() != (self.rank() == root) {
            return Err(Error::NotTheRoot);
        }
        let needed = buffer.len() * self.size();
        if let Some(given) = values.map(<[T]>::len).filter(|given| *given != needed) {
            return Err(Error::Division { given, needed });
        }
        self.collective(Kind::Scatter, root, each(buffer), |comm| {
            let counts = vec![buffer.len(); comm.members.len()];
            comm.distribute(values.map(|values| (values, &counts[..])), buffer, root, Tag::SCATTER)
        })
    }

    /// Concatenates the processes' values in the order of the ranks; all get them.
    ///
    /// # Errors
    ///
    /// As of [`allreduce`](Self::allreduce).
    pub fn allgather<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        self.collective(Kind::Allgather, 0, each(values), |comm| comm.gather_to_all(values, Tag::ALLGATHER))
    }

    /// Gives each process one part of the values, in the order of the ranks; returns the parts that they gave.
    ///
    /// # Errors
    ///
    /// The number of values must be a multiple of the communicator's size, and the same in all processes. As all
    /// collective operations, fails when a process of the communicator is gone.
    pub fn alltoall<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        let size = self.size();
        let (given, part) = (values.len(), values.len() / size);
        if !given.is_multiple_of(size) {
            return Err(Error::Division { given, needed: (part + 1) * size });
        }
        let counts = vec![part; size];
        self.collective(Kind::Alltoall, 0, each(&values[..part]), |comm| {
            comm.exchange(values, &counts, &counts, Tag::ALLTOALL)
        })
    }

    /// Does an operation and reports it: when it begins, and when it has succeeded.
    fn collective<R>(
        &self,
        kind: Kind,
        root: usize,
        volume: Volume<'_>,
        work: impl FnOnce(&Arc<Shared>) -> Result<R>,
    ) -> Result<R> {
        let root = match kind.pattern() {
            Pattern::AllToAll => Root::None,
            _ if root == self.rank() => Root::Here,
            _ => Root::At(root as u32),
        };
        let size = match self.topology() {
            Ok(topology) if kind.is_neighborhood() => topology.destinations.len(),
            _ => self.size(),
        };
        let (comm, rank, size) = (self.id(), self.rank() as u32, size as u32);
        let operation = Operation { comm, kind, rank, size, root, volume, in_place: false };
        timed(Area::Collective, || {
            coll::begin(&operation);
            let done = work(&self.shared)?;
            coll::end(&operation);
            Ok(done)
        })
    }
}

/// The volume of an operation that exchanges these values with each process.
fn each<T>(values: &[T]) -> Volume<'static> {
    Volume::Each(size_of_val(values) as u64)
}
