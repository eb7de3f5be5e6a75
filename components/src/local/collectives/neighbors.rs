//! Operations between the neighbors of a topology.

use std::sync::Arc;

use bytemuck::Pod;

use super::messages::parts;
use super::ragged::{by_counts, check_sum};
use super::{Tag, each};
use crate::coll::{Kind, Volume};
use crate::local::comm::{Comm, Shared};
use crate::local::topology::Topology;
use crate::local::{Data, Error, PROC_NULL, Result};

impl Comm {
    /// Gives the values to each neighbor; returns what the neighbors gave, in their order. In place of a neighbor that
    /// is [`PROC_NULL`] come zeros.
    ///
    /// # Errors
    ///
    /// The communicator must have a topology. All neighbors must give the same number of values. Fails when a neighbor
    /// is gone.
    pub fn neighbor_allgather<T: Pod>(&self, values: &[T]) -> Result<Vec<T>> {
        let topology = self.topology()?;
        let lengths = vec![values.len(); topology.sources.len()];
        self.collective(Kind::NeighborAllgather, 0, each(values), |comm| {
            comm.neighbors(topology, |_| values, &lengths)
        })
    }

    /// As [`neighbor_allgather`](Self::neighbor_allgather), where each neighbor gives as many as its count says.
    ///
    /// # Errors
    ///
    /// The communicator must have a topology, and there must be a count for each neighbor that gives, on which it
    /// agrees. Fails when a neighbor is gone.
    pub fn neighbor_allgatherv<T: Pod>(&self, values: &[T], recv_counts: &[usize]) -> Result<Vec<T>> {
        let topology = self.topology()?;
        check_neighbors(&topology.sources, recv_counts)?;
        self.collective(Kind::NeighborAllgatherv, 0, each(values), |comm| {
            comm.neighbors(topology, |_| values, recv_counts)
        })
    }

    /// Gives each neighbor its part of the values, `count` of them; returns the parts that the neighbors gave, in their
    /// order. In place of a neighbor that is [`PROC_NULL`] come zeros.
    ///
    /// # Errors
    ///
    /// The communicator must have a topology, and there must be `count` values for each neighbor that gets some. Fails
    /// when a neighbor is gone.
    pub fn neighbor_alltoall<T: Pod>(&self, values: &[T], count: usize) -> Result<Vec<T>> {
        let topology = self.topology()?;
        let (given, needed) = (values.len(), topology.destinations.len() * count);
        if given != needed {
            return Err(Error::Sum { given, needed });
        }
        let lengths = vec![count; topology.sources.len()];
        let volume = Volume::Each((count * size_of::<T>()) as u64);
        self.collective(Kind::NeighborAlltoall, 0, volume, |comm| {
            comm.neighbors(topology, |neighbor| &values[neighbor * count..][..count], &lengths)
        })
    }

    /// As [`neighbor_alltoall`](Self::neighbor_alltoall), where each part is as long as its count says.
    ///
    /// # Errors
    ///
    /// The communicator must have a topology, there must be a count for each neighbor, on which it agrees, and as many
    /// values as the counts say. Fails when a neighbor is gone.
    pub fn neighbor_alltoallv<T: Pod>(
        &self,
        values: &[T],
        send_counts: &[usize],
        recv_counts: &[usize],
    ) -> Result<Vec<T>> {
        let topology = self.topology()?;
        check_neighbors(&topology.destinations, send_counts)?;
        check_neighbors(&topology.sources, recv_counts)?;
        check_sum(values, send_counts)?;
        let (bytes_to, places) = (by_counts::<T>(send_counts), parts(send_counts));
        self.collective(Kind::NeighborAlltoallv, 0, Volume::By(&bytes_to), |comm| {
            comm.neighbors(topology, |neighbor| &values[places[neighbor].clone()], recv_counts)
        })
    }
}

fn check_neighbors(neighbors: &[usize], counts: &[usize]) -> Result<()> {
    let (given, needed) = (counts.len(), neighbors.len());
    if given == needed { Ok(()) } else { Err(Error::Counts { given, needed }) }
}

impl Shared {
    /// Sends to all neighbors, then receives from all: sends do not wait.
    fn neighbors<'v, T: Pod>(
        self: &Arc<Self>,
        topology: &Topology,
        values_for: impl Fn(usize) -> &'v [T],
        lengths: &[usize],
    ) -> Result<Vec<T>> {
        for (neighbor, rank) in topology.destinations.iter().enumerate() {
            if *rank != PROC_NULL {
                let tag = Tag::edge(topology.edge_out(neighbor));
                self.put(values_for(neighbor).bytes(), *rank, tag)?;
            }
        }
        let mut all = vec![T::zeroed(); lengths.iter().sum()];
        for ((neighbor, rank), place) in topology.sources.iter().enumerate().zip(parts(lengths)) {
            if *rank != PROC_NULL {
                self.get(all[place].bytes_mut(), *rank, Tag::edge(topology.edge_in(neighbor)))?;
            }
        }
        Ok(all)
    }
}
