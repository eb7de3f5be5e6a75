//! Collective operations, built on messages with negative tags.
//!
//! Messages of one sender do not overtake each other and all processes call the operations of a communicator in
//! the same order, so one tag per operation keeps them apart.

mod messages;
mod neighbors;
mod prefixes;
mod ragged;

use std::sync::Arc;

use bytemuck::Pod;

use super::comm::{Comm, Shared};
use super::timed::timed;
use super::{Data, Error, Result};
use crate::calls::Area;
use crate::coll::{self, Kind, Operation, Pattern, Root, Volume};

/// The tags of the host's own messages.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub(super) enum Tag {
    Barrier = -10,
    Bcast = -11,
    Reduce = -12,
    Allreduce = -13,
    Gather = -14,
    Scatter = -15,
    Allgather = -16,
    Alltoall = -17,
    ReduceScatter = -18,
    Scan = -19,
    Dup = -20,
    Split = -21,
    Topology = -22,
    Window = -23,
    Fence = -24,
    /// One for each edge between two neighbors, from here downwards.
    Neighbor = -1000,
}

impl Comm {
    /// Returns when all processes of the communicator have called it.
    ///
    /// # Errors
    ///
    /// As all collective operations, fails when a process of the communicator is gone.
    pub fn barrier(&self) -> Result<()> {
        self.collective(Kind::Barrier, 0, Volume::Each(0), |comm| comm.meet(Tag::Barrier))
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
        self.collective(Kind::Bcast, root, volume, |comm| comm.spread(data, root, Tag::Bcast))
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
            let result = comm.combine(values, operation, Tag::Reduce)?;
            // The order of the ranks makes rank 0 the natural root; another one gets the result from there.
            match (comm.rank == root, result) {
                (true, None) => {
                    let mut result = vec![T::zeroed(); values.len()];
                    comm.get(result.bytes_mut(), 0, Tag::Reduce)?;
                    Ok(Some(result))
                }
                (false, Some(result)) => comm.put(result.bytes(), root, Tag::Reduce).map(|()| None),
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
            comm.reduce_to_all(values, operation, Tag::Allreduce)
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
            comm.collect(values, (comm.rank == root).then_some(&counts[..]), root, Tag::Gather)
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
            comm.distribute(values.map(|values| (values, &counts[..])), buffer, root, Tag::Scatter)
        })
    }

    /// Concatenates the processes' values in the order of the ranks; all get them.
    ///
    /// # Errors
    ///
    /// As of [`allreduce`](Self::allreduce).
    pub fn allgather<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        self.collective(Kind::Allgather, 0, each(values), |comm| comm.gather_to_all(values, Tag::Allgather))
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
            comm.exchange(values, &counts, &counts, Tag::Alltoall)
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
        let operation =
            Operation { comm: self.id(), kind, rank: self.rank() as u32, root, volume, in_place: false };
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
