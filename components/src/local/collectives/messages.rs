//! The messages that collective operations are built on, and the patterns they go in.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use super::Tag;
use crate::local::comm::Shared;
use crate::local::{Data, Error, Result};
use crate::pml::Mode;

/// Where parts of these lengths lie that follow each other.
pub(super) fn parts(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let next = |length: &usize| {
        end += length;
        end - length..end
    };
    lengths.iter().map(next).collect()
}

impl Shared {
    /// Sends a message of the host's own.
    pub(super) fn put(self: &Arc<Self>, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.transmit(data, to, tag.0, Mode::Standard).map(drop)
    }

    /// Receives a message of the host's own, whose length is known.
    pub(super) fn get(&self, buffer: &mut [u8], from: usize, tag: Tag) -> Result<()> {
        let pattern = self.pattern_of(from, tag.0);
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
    pub(super) fn spread(self: &Arc<Self>, data: &mut [u8], root: usize, tag: Tag) -> Result<()> {
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
    pub(super) fn combine<T: Pod>(
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

    /// The work of [`Comm::barrier`]: dissemination. After round k, everybody has heard of the 2^k ranks before.
    pub(in super::super) fn meet(self: &Arc<Self>, tag: Tag) -> Result<()> {
        let (rank, size) = (self.rank, self.members.len());
        let mut distance = 1;
        while distance < size {
            self.put(&[], (rank + distance) % size, tag)?;
            self.get(&mut [], (rank + size - distance) % size, tag)?;
            distance *= 2;
        }
        Ok(())
    }

    /// The work of [`Comm::alltoallv`]: in step k, everybody sends k ranks ahead and receives from k ranks behind. The
    /// parts that go out and come in lie one after the other, in the order of the ranks.
    pub(in super::super) fn exchange<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        out: &[usize],
        back: &[usize],
        tag: Tag,
    ) -> Result<Vec<T>> {
        let (rank, size) = (self.rank, self.members.len());
        let (outgoing, incoming) = (parts(out), parts(back));
        let mut all = vec![T::zeroed(); back.iter().sum()];
        let (own, kept) = (&values[outgoing[rank].clone()], &mut all[incoming[rank].clone()]);
        if own.len() != kept.len() {
            return Err(Error::Disagreement { given: size_of_val(own), needed: size_of_val(kept) });
        }
        kept.copy_from_slice(own);
        for step in 1..size {
            let (to, from) = ((rank + step) % size, (rank + size - step) % size);
            self.put(values[outgoing[to].clone()].bytes(), to, tag)?;
            self.get(all[incoming[from].clone()].bytes_mut(), from, tag)?;
        }
        Ok(all)
    }

    /// The work of [`Comm::allreduce`]: to rank 0, and from there to all.
    pub(in super::super) fn reduce_to_all<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        operation: impl Fn(T, T) -> T,
        tag: Tag,
    ) -> Result<Vec<T>> {
        let result = self.combine(values, operation, tag)?;
        let mut result = result.unwrap_or_else(|| values.to_vec());
        self.spread(result.bytes_mut(), 0, tag)?;
        Ok(result)
    }

    /// The work of [`Comm::allgather`]: around a ring, everybody passes on what came last.
    pub(in super::super) fn gather_to_all<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        tag: Tag,
    ) -> Result<Vec<T>> {
        let (rank, size, part) = (self.rank, self.members.len(), values.len());
        let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut all = values.repeat(size);
        for step in 1..size {
            let (passed, received) = ((rank + size + 1 - step) % size, (rank + size - step) % size);
            self.put(all[passed * part..][..part].bytes(), next, tag)?;
            self.get(all[received * part..][..part].bytes_mut(), previous, tag)?;
        }
        Ok(all)
    }
}
