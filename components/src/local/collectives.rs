//! Collective operations, built on messages with negative tags.
//!
//! Messages of one sender do not overtake each other and all processes call the operations of a communicator in
//! the same order, so one tag per operation keeps them apart.

use std::sync::Arc;

use bytemuck::Pod;

use super::comm::{Comm, Shared};
use super::{Data, Error, Result};
use crate::coll::{self, Kind, Pattern, Root, Volume};
use crate::pml::Mode;

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
    Dup = -20,
    Split = -21,
}

impl Comm {
    /// Returns when all processes of the communicator have called it.
    ///
    /// # Errors
    ///
    /// As all collective operations, fails when a process of the communicator is gone.
    pub fn barrier(&self) -> Result<()> {
        self.report(Kind::Barrier, 0, 0);
        // Dissemination: after round k, everybody has heard of the 2^k ranks before.
        let (rank, size) = (self.rank(), self.size());
        let mut distance = 1;
        while distance < size {
            self.shared.put(&[], (rank + distance) % size, Tag::Barrier)?;
            self.shared.get(&mut [], (rank + size - distance) % size, Tag::Barrier)?;
            distance *= 2;
        }
        Ok(())
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
        self.report(Kind::Bcast, root, data.len());
        self.shared.spread(data, root, Tag::Bcast)
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
        self.report(Kind::Reduce, root, size_of_val(values));
        let result = self.shared.combine(values, operation, Tag::Reduce)?;
        // The order of the ranks makes rank 0 the natural root; another one gets the result from there.
        match (self.rank() == root, result) {
            (true, None) => {
                let mut result = vec![T::zeroed(); values.len()];
                self.shared.get(result.bytes_mut(), 0, Tag::Reduce)?;
                Ok(Some(result))
            }
            (false, Some(result)) => self.shared.put(result.bytes(), root, Tag::Reduce).map(|()| None),
            (_, result) => Ok(result),
        }
    }

    /// Combines the processes' values element by element, as [`reduce`](Self::reduce); all get the result.
    ///
    /// # Errors
    ///
    /// All processes must give the same number of values. As all collective operations, fails when a process of
    /// the communicator is gone.
    pub fn allreduce<T: Pod>(&self, values: &[T], operation: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        self.report(Kind::Allreduce, 0, size_of_val(values));
        self.reduce_to_all(values, operation, Tag::Allreduce)
    }

    /// Concatenates the processes' values in the order of the ranks; the root gets them, the others `None`.
    ///
    /// # Errors
    ///
    /// As of [`bcast`](Self::bcast).
    pub fn gather<T: Pod>(&self, values: &[T], root: usize) -> Result<Option<Vec<T>>> {
        self.shared.peer(root)?;
        self.report(Kind::Gather, root, size_of_val(values));
        if self.rank() != root {
            return self.shared.put(values.bytes(), root, Tag::Gather).map(|()| None);
        }
        let mut all = values.repeat(self.size());
        let part = values.len();
        for rank in (0..self.size()).filter(|rank| *rank != root) {
            self.shared.get(all[rank * part..][..part].bytes_mut(), rank, Tag::Gather)?;
        }
        Ok(Some(all))
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
        self.report(Kind::Scatter, root, size_of_val(buffer));
        let Some(values) = values else {
            return self.shared.get(buffer.bytes_mut(), root, Tag::Scatter);
        };
        let part = buffer.len();
        for rank in (0..self.size()).filter(|rank| *rank != root) {
            self.shared.put(values[rank * part..][..part].bytes(), rank, Tag::Scatter)?;
        }
        buffer.copy_from_slice(&values[root * part..][..part]);
        Ok(())
    }

    /// Concatenates the processes' values in the order of the ranks; all get them.
    ///
    /// # Errors
    ///
    /// As of [`allreduce`](Self::allreduce).
    pub fn allgather<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        self.report(Kind::Allgather, 0, size_of_val(values));
        self.gather_to_all(values, Tag::Allgather)
    }

    /// Gives each process one part of the values, in the order of the ranks; returns the parts that they gave.
    ///
    /// # Errors
    ///
    /// The number of values must be a multiple of the communicator's size, and the same in all processes. As all
    /// collective operations, fails when a process of the communicator is gone.
    pub fn alltoall<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        let (rank, size) = (self.rank(), self.size());
        let (given, part) = (values.len(), values.len() / size);
        if !given.is_multiple_of(size) {
            return Err(Error::Division { given, needed: (part + 1) * size });
        }
        self.report(Kind::Alltoall, 0, part * size_of::<T>());
        let mut all = values.to_vec();
        // In step k, everybody sends k ranks ahead and receives from k ranks behind.
        for step in 1..size {
            let (to, from) = ((rank + step) % size, (rank + size - step) % size);
            self.shared.put(values[to * part..][..part].bytes(), to, Tag::Alltoall)?;
            self.shared.get(all[from * part..][..part].bytes_mut(), from, Tag::Alltoall)?;
        }
        Ok(all)
    }

    /// The work of [`allreduce`](Self::allreduce): to rank 0, and from there to all.
    pub(super) fn reduce_to_all<T: Pod>(
        &self,
        values: &[T],
        operation: impl Fn(T, T) -> T,
        tag: Tag,
    ) -> Result<Vec<T>> {
        let result = self.shared.combine(values, operation, tag)?;
        let mut result = result.unwrap_or_else(|| values.to_vec());
        self.shared.spread(result.bytes_mut(), 0, tag)?;
        Ok(result)
    }

    /// The work of [`allgather`](Self::allgather): around a ring, everybody passes on what came last.
    pub(super) fn gather_to_all<T: Pod>(&self, values: &[T], tag: Tag) -> Result<Vec<T>> {
        let (rank, size, part) = (self.rank(), self.size(), values.len());
        let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut all = values.repeat(size);
        for step in 1..size {
            let (passed, received) = ((rank + size + 1 - step) % size, (rank + size - step) % size);
            self.shared.put(all[passed * part..][..part].bytes(), next, tag)?;
            self.shared.get(all[received * part..][..part].bytes_mut(), previous, tag)?;
        }
        Ok(all)
    }

    /// Reports an operation that exchanges so many bytes with each process.
    fn report(&self, kind: Kind, root: usize, bytes: usize) {
        let root = match kind.pattern() {
            Pattern::AllToAll => Root::None,
            _ if root == self.rank() => Root::Here,
            _ => Root::At(root as u32),
        };
        coll::end(&coll::Operation {
            comm: self.id(),
            kind,
            rank: self.rank() as u32,
            root,
            volume: Volume::Each(bytes as u64),
            in_place: false,
        });
    }
}

impl Shared {
    /// Sends a message of the host's own.
    fn put(self: &Arc<Self>, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.transmit(data, to, tag as i32, Mode::Standard).map(drop)
    }

    /// Receives a message of the host's own, whose length is known.
    fn get(&self, buffer: &mut [u8], from: usize, tag: Tag) -> Result<()> {
        let pattern = self.pattern_of(from, tag as i32);
        let message = self.engine().wait(|engine| engine.extract(&pattern))?;
        let (given, needed) = (message.data.len(), buffer.len());
        if given != needed {
            return Err(Error::Disagreement { given, needed });
        }
        buffer.copy_from_slice(&message.data);
        Ok(())
    }

    /// Copies the root's data to all, along a binomial tree: who has it passes it on to the rank at half the
    /// distance that it came from, a quarter, and so on. Ranks count from the root here.
    fn spread(self: &Arc<Self>, data: &mut [u8], root: usize, tag: Tag) -> Result<()> {
        let size = self.members.len();
        let (place, rank_at) = ((self.rank + size - root) % size, |place: usize| (place + root) % size);
        let mut distance = size.next_power_of_two();
        if place != 0 {
            distance = 1 << place.trailing_zeros();
            self.get(data, rank_at(place - distance), tag)?;
        }
        while distance > 1 {
            distance /= 2;
            if place + distance < size {
                self.put(data, rank_at(place + distance), tag)?;
            }
        }
        Ok(())
    }

    /// Combines the values of all along the same tree the other way, from the root 0; that gets the result.
    /// What a rank holds is always the result of a run of neighbours, so the order of the ranks is kept.
    fn combine<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        operation: impl Fn(T, T) -> T,
        tag: Tag,
    ) -> Result<Option<Vec<T>>> {
        let size = self.members.len();
        let mut result = values.to_vec();
        let mut theirs = vec![T::zeroed(); values.len()];
        let mut distance = 1;
        while distance < size {
            if self.rank & distance != 0 {
                self.put(result.bytes(), self.rank - distance, tag)?;
                return Ok(None);
            }
            if self.rank + distance < size {
                self.get(theirs.bytes_mut(), self.rank + distance, tag)?;
                for (mine, theirs) in result.iter_mut().zip(&theirs) {
                    *mine = operation(*mine, *theirs);
                }
            }
            distance *= 2;
        }
        Ok(Some(result))
    }
}
