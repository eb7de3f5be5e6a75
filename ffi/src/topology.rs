//! Topologies: the neighbors that neighborhood collectives on a communicator reach.

use std::ffi::c_int;
use std::sync::Arc;

use mpit::object::OUTSIDE;
use mpit_components::comms::Ranks;

use crate::abi::{Abi, LiveComm};
use crate::host::mpi;

/// The neighbors of this process.
#[derive(Debug, Default)]
pub(crate) struct Neighbors {
    /// World ranks of the neighbors that it sends to, in the order of the send blocks; [`OUTSIDE`] for
    /// `MPI_PROC_NULL`.
    pub(crate) destinations: Arc<[u32]>,
    /// The number of neighbors that it receives from.
    pub(crate) sources: u32,
}

impl Neighbors {
    /// Returns the neighbors in an intracommunicator; none if it has no topology, or the library fails to describe it.
    pub(crate) fn of(abi: &Abi, comm: LiveComm<'_>, rank: u32, ranks: &Ranks) -> Self {
        let [cart, graph, dist_graph] = abi.topologies;
        // Each neighbor is both a source and a destination.
        let both_ways = |neighbors: Vec<c_int>| (neighbors.len() as u32, neighbors);
        // SAFETY: the communicator is live, and `value` passes a local variable.
        let found = match mpi::value(|kind| unsafe { mpi::topo_test(comm.get(), kind) }) {
            Some(kind) if kind == cart => cartesian(comm).map(both_ways),
            Some(kind) if kind == graph => of_graph(comm, rank).map(both_ways),
            Some(kind) if kind == dist_graph => of_dist_graph(comm),
            _ => None,
        };
        let Some((sources, destinations)) = found else { return Self::default() };
        let to_world = |rank: c_int| u32::try_from(rank).map_or(OUTSIDE, |rank| ranks.world_rank(rank));
        Self { destinations: destinations.into_iter().map(to_world).collect(), sources }
    }
}

/// Returns the number that a call to the host writes.
fn number(query: impl FnOnce(*mut c_int) -> Option<c_int>) -> Option<usize> {
    mpi::value(query).map(|number| number.max(0) as usize)
}

/// Returns the neighbors in a Cartesian topology: for each dimension the one below, then the one above.
fn cartesian(comm: LiveComm<'_>) -> Option<Vec<c_int>> {
    // SAFETY: the communicator is live, and `number` passes a local variable.
    let dimensions = number(|at| unsafe { mpi::cartdim_get(comm.get(), at) })?;
    let mut neighbors = Vec::with_capacity(2 * dimensions);
    for dimension in 0..dimensions as c_int {
        let (mut below, mut above): (c_int, c_int) = (0, 0);
        // SAFETY: the communicator is live and has this dimension, and both ranks are local variables.
        let code = unsafe { mpi::cart_shift(comm.get(), dimension, 1, &raw mut below, &raw mut above) };
        if code != Some(Abi::SUCCESS) {
            return None;
        }
        neighbors.extend([below, above]);
    }
    Some(neighbors)
}

fn of_graph(comm: LiveComm<'_>, rank: u32) -> Option<Vec<c_int>> {
    let rank = rank.cast_signed();
    // SAFETY: the communicator is live, and `number` passes a local variable.
    let count = number(|at| unsafe { mpi::graph_neighbors_count(comm.get(), rank, at) })?;
    let mut neighbors = vec![0; count];
    // SAFETY: the communicator is live, and the vector has `count` elements.
    let code = unsafe { mpi::graph_neighbors(comm.get(), rank, count as c_int, neighbors.as_mut_ptr()) };
    if code == Some(Abi::SUCCESS) { Some(neighbors) } else { None }
}

fn of_dist_graph(comm: LiveComm<'_>) -> Option<(u32, Vec<c_int>)> {
    let (mut sources, mut destinations, mut weighted): (c_int, c_int, c_int) = (0, 0, 0);
    let (sources_at, destinations_at) = (&raw mut sources, &raw mut destinations);
    // SAFETY: the communicator is live, and the numbers are local variables.
    let code = unsafe {
        mpi::dist_graph_neighbors_count(comm.get(), sources_at, destinations_at, &raw mut weighted)
    };
    if code != Some(Abi::SUCCESS) {
        return None;
    }
    let zeros = |count: c_int| vec![0; count.max(0) as usize];
    let (mut from, mut from_weights) = (zeros(sources), zeros(sources));
    let (mut to, mut to_weights) = (zeros(destinations), zeros(destinations));
    // SAFETY: the communicator is live, and the vectors have as many elements as the numbers passed with them.
    let code = unsafe {
        mpi::dist_graph_neighbors(
            comm.get(),
            sources,
            from.as_mut_ptr(),
            from_weights.as_mut_ptr(),
            destinations,
            to.as_mut_ptr(),
            to_weights.as_mut_ptr(),
        )
    };
    if code == Some(Abi::SUCCESS) { Some((from.len() as u32, to)) } else { None }
}
