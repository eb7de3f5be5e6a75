//! Operations in which each process has a part of its own length.

use std::sync::Arc;

use bytemuck::Pod;

use super::messages::parts;
use super::{Tag, each};
use crate::coll::{Kind, Volume};
use crate::local::comm::{Comm, Shared};
use crate::local::{Data, Error, Result};

impl Comm {
    /// Concatenates the processes' values in the order of the ranks; the root gets them, the others `None`. The root
    /// says how many each process gives, the others pass `None`.
    ///
    /// # Errors
    ///
    /// The root must pass a count for each process, which must give as many. As all collective operations, fails when
    /// a process of the communicator is gone.
    pub fn gatherv<T: Pod>(
        &self,
        values: &[T],
        counts: Option<&[usize]>,
        root: usize,
    ) -> Result<Option<Vec<T>>> {
        self.check_root(root, counts.is_some())?;
        let bytes_from;
        let volume = match counts {
            None => each(values),
            Some(counts) => {
                self.check_counts(counts)?;
                let given = values.len();
                if given != counts[root] {
                    return Err(Error::Disagreement {
                        given: size_of_val(values),
                        needed: counts[root] * size_of::<T>(),
                    });
                }
                bytes_from = by_counts::<T>(counts);
                Volume::By(&bytes_from)
            }
        };
        self.collective(Kind::Gatherv, root, volume, |comm| comm.collect(values, counts, root, Tag::GATHER))
    }

    /// Gives each process its part of the root's values, in the order of the ranks. The root passes the values and how
    /// many each process gets, the others `None`.
    ///
    /// # Errors
    ///
    /// The root must pass a count for each process, whose buffer must have as much room, and as many values as the
    /// counts say. As all collective operations, fails when a process of the communicator is gone.
    pub fn scatterv<T: Pod>(
        &self,
        values: Option<(&[T], &[usize])>,
        buffer: &mut [T],
        root: usize,
    ) -> Result<()> {
        self.check_root(root, values.is_some())?;
        let bytes_to;
        let volume = match values {
            None => each(buffer),
            Some((values, counts)) => {
                self.check_parts(values, counts)?;
                if buffer.len() != counts[root] {
                    return Err(Error::Disagreement {
                        given: counts[root] * size_of::<T>(),
                        needed: size_of_val(buffer),
                    });
                }
                bytes_to = by_counts::<T>(counts);
                Volume::By(&bytes_to)
            }
        };
        self.collective(Kind::Scatterv, root, volume, |comm| {
            comm.distribute(values, buffer, root, Tag::SCATTER)
        })
    }

    /// Concatenates the processes' values in the order of the ranks; all get them. All say how many each gives.
    ///
    /// # Errors
    ///
    /// There must be a count for each process, which must give as many. As all collective operations, fails when a
    /// process of the communicator is gone.
    pub fn allgatherv<T: Pod>(&self, values: &[T], counts: &[usize]) -> Result<Vec<T>> {
        self.check_counts(counts)?;
        let (rank, size, places) = (self.rank(), self.size(), parts(counts));
        if values.len() != counts[rank] {
            let needed = counts[rank] * size_of::<T>();
            return Err(Error::Disagreement { given: size_of_val(values), needed });
        }
        self.collective(Kind::Allgatherv, 0, each(values), |comm| {
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            let mut all = vec![T::zeroed(); counts.iter().sum()];
            all[places[rank].clone()].copy_from_slice(values);
            // Around a ring, everybody passes on what came last.
            for step in 1..size {
                let (passed, received) = ((rank + size + 1 - step) % size, (rank + size - step) % size);
                comm.put(all[places[passed].clone()].bytes(), next, Tag::ALLGATHER)?;
                comm.get(all[places[received].clone()].bytes_mut(), previous, Tag::ALLGATHER)?;
            }
            Ok(all)
        })
    }

    /// Gives each process its part of the values; returns the parts that they gave. Parts lie in the order of the
    /// ranks; `send_counts` says how long those are that go out, `recv_counts` those that come in.
    ///
    /// # Errors
    ///
    /// There must be two counts for each process, on which it agrees, and as many values as the counts say. As all
    /// collective operations, fails when a process of the communicator is gone.
    pub fn alltoallv<T: Pod>(
        &self,
        values: &[T],
        send_counts: &[usize],
        recv_counts: &[usize],
    ) -> Result<Vec<T>> {
        self.check_parts(values, send_counts)?;
        self.check_counts(recv_counts)?;
        let bytes_to = by_counts::<T>(send_counts);
        self.collective(Kind::Alltoallv, 0, Volume::By(&bytes_to), |comm| {
            comm.exchange(values, send_counts, recv_counts, Tag::ALLTOALL)
        })
    }

    /// Combines the processes' values element by element, as [`reduce`](Self::reduce); each process gets its part of
    /// the result, in the order of the ranks.
    ///
    /// # Errors
    ///
    /// There must be a count for each process, the same ones in all, and as many values as the counts say. As all
    /// collective operations, fails when a process of the communicator is gone.
    pub fn reduce_scatter<T: Pod>(
        &self,
        values: &[T],
        counts: &[usize],
        operation: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        self.check_parts(values, counts)?;
        let bytes_to = by_counts::<T>(counts);
        self.collective(Kind::ReduceScatter, 0, Volume::By(&bytes_to), |comm| {
            comm.reduce_parts(values, counts, operation)
        })
    }

    /// Combines the processes' values element by element, as [`reduce`](Self::reduce); each process gets a part of the
    /// result, all of the same length.
    ///
    /// # Errors
    ///
    /// The number of values must be a multiple of the communicator's size, and the same in all processes. As all
    /// collective operations, fails when a process of the communicator is gone.
    pub fn reduce_scatter_block<T: Pod>(
        &self,
        values: &[T],
        operation: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let (given, size) = (values.len(), self.size());
        let part = given / size;
        if !given.is_multiple_of(size) {
            return Err(Error::Division { given, needed: (part + 1) * size });
        }
        self.collective(Kind::ReduceScatterBlock, 0, each(&values[..part]), |comm| {
            comm.reduce_parts(values, &vec![part; size], operation)
        })
    }

    fn check_root(&self, root: usize, gives: bool) -> Result<()> {
        self.shared.peer(root)?;
        if gives == (self.rank() == root) { Ok(()) } else { Err(Error::NotTheRoot) }
    }

    fn check_counts(&self, counts: &[usize]) -> Result<()> {
        let (given, needed) = (counts.len(), self.size());
        if given == needed { Ok(()) } else { Err(Error::Counts { given, needed }) }
    }

    /// There must be as many values as the counts say.
    fn check_parts<T>(&self, values: &[T], counts: &[usize]) -> Result<()> {
        self.check_counts(counts)?;
        check_sum(values, counts)
    }
}

pub(super) fn check_sum<T>(values: &[T], counts: &[usize]) -> Result<()> {
    let (given, needed) = (values.len(), counts.iter().sum());
    if given == needed { Ok(()) } else { Err(Error::Sum { given, needed }) }
}

/// The bytes that counts of values stand for, by the rank that a count is for.
pub(super) fn by_counts<T>(counts: &[usize]) -> impl Fn(u32) -> u64 + '_ {
    |rank| counts.get(rank as usize).map_or(0, |count| (count * size_of::<T>()) as u64)
}

impl Shared {
    /// The root, which has counts, collects everybody's values.
    pub(super) fn collect<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        counts: Option<&[usize]>,
        root: usize,
        tag: Tag,
    ) -> Result<Option<Vec<T>>> {
        let Some(counts) = counts else {
            return self.put(values.bytes(), root, tag).map(|()| None);
        };
        let mut all = vec![T::zeroed(); counts.iter().sum()];
        for (rank, place) in parts(counts).into_iter().enumerate() {
            if rank == root {
                all[place].copy_from_slice(values);
            } else {
                self.get(all[place].bytes_mut(), rank, tag)?;
            }
        }
        Ok(Some(all))
    }

    /// The root, which has values and counts, gives everybody his own.
    pub(super) fn distribute<T: Pod>(
        self: &Arc<Self>,
        values: Option<(&[T], &[usize])>,
        buffer: &mut [T],
        root: usize,
        tag: Tag,
    ) -> Result<()> {
        let Some((values, counts)) = values else {
            return self.get(buffer.bytes_mut(), root, tag);
        };
        for (rank, place) in parts(counts).into_iter().enumerate() {
            if rank == root {
                buffer.copy_from_slice(&values[place]);
            } else {
                self.put(values[place].bytes(), rank, tag)?;
            }
        }
        Ok(())
    }

    /// Combines at rank 0, which then gives everybody his part of the result.
    fn reduce_parts<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        counts: &[usize],
        operation: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let result = self.combine(values, operation, Tag::REDUCE_SCATTER)?;
        let mut own = vec![T::zeroed(); counts[self.rank]];
        let parts = result.as_ref().map(|result| (&result[..], counts));
        self.distribute(parts, &mut own, 0, Tag::REDUCE_SCATTER)?;
        Ok(own)
    }
}
