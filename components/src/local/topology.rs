//! Topologies: which processes of a communicator are neighbors.

use std::sync::Arc;

use mpit::object::OUTSIDE;

use super::collectives::Tag;
use super::comm::{Comm, Shared};
use super::{Error, PROC_NULL, Result};

/// The neighbors of this process.
pub(super) struct Topology {
    /// Those it receives from, by their ranks; [`PROC_NULL`] beyond the edge of a grid.
    pub(super) sources: Vec<usize>,
    /// Those it sends to, likewise.
    pub(super) destinations: Vec<usize>,
    grid: Option<Grid>,
}

/// The dimensions of a grid: how long each is, and whether it closes to a ring.
struct Grid(Vec<(usize, bool)>);

impl Grid {
    /// The last dimension varies fastest.
    fn coordinates(&self, rank: usize) -> Vec<usize> {
        let mut rest = rank;
        let mut coordinates: Vec<_> = self
            .0
            .iter()
            .rev()
            .map(|(length, _)| {
                let coordinate = rest % length;
                rest /= length;
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// The rank so many steps ahead in a dimension.
    fn ahead(&self, rank: usize, dimension: usize, steps: isize) -> usize {
        let (length, closed) = self.0[dimension];
        let stride: usize = self.0[dimension + 1..].iter().map(|(length, _)| length).product();
        let from = rank / stride % length;
        let to = match from.checked_add_signed(steps) {
            Some(to) if to < length => to,
            // The length of a dimension is at most the number of processes.
            _ if closed => (from + steps.rem_euclid(length as isize).unsigned_abs()) % length,
            _ => return PROC_NULL,
        };
        rank - from * stride + to * stride
    }

    /// For each dimension the neighbor behind, then the one ahead.
    fn neighbors(&self, rank: usize) -> Vec<usize> {
        let both = |dimension| [-1, 1].map(|steps| self.ahead(rank, dimension, steps));
        (0..self.0.len()).flat_map(both).collect()
    }
}

impl Topology {
    /// Tells apart the edges to a process that is a neighbor several times. In a graph their order does that.
    pub(super) fn edge_out(&self, neighbor: usize) -> u16 {
        // Where numbers wrap around, what has the same one keeps its order, too.
        if self.grid.is_some() { neighbor as u16 } else { 0 }
    }

    /// The edge on which that neighbor sent: in a grid, what goes ahead comes from behind.
    pub(super) fn edge_in(&self, neighbor: usize) -> u16 {
        self.edge_out(neighbor ^ 1)
    }

    /// The neighbors that are sent to, by their ranks in the world.
    pub(super) fn neighbors(&self, members: &[u32]) -> Arc<[u32]> {
        self.destinations.iter().map(|rank| members.get(*rank).copied().unwrap_or(OUTSIDE)).collect()
    }
}

impl Comm {
    /// A communicator whose processes are arranged in a grid: each dimension has a length, and may close to a ring.
    /// Ranks stay in their order, the last dimension varies fastest; processes that the grid has no place for get
    /// `None`. All processes call this together, with the same dimensions.
    ///
    /// The neighbors of a process are, for each dimension, the one behind and the one ahead, or [`PROC_NULL`].
    ///
    /// # Errors
    ///
    /// The communicator must have as many processes as the grid has places, and a dimension at least one. Fails when a
    /// process of the communicator is gone.
    pub fn cart_create(&self, dimensions: &[(usize, bool)]) -> Result<Option<Self>> {
        let size = self.size();
        let places = dimensions.iter().try_fold(1_usize, |places, (length, _)| places.checked_mul(*length));
        let Some(places) = places.filter(|places| (1..=size).contains(places)) else {
            return Err(Error::Grid { size });
        };
        let context = self.shared.agree(Tag::TOPOLOGY)?;
        if self.rank() >= places {
            return Ok(None);
        }
        let grid = Grid(dimensions.to_vec());
        let neighbors = grid.neighbors(self.rank());
        let topology = Topology { sources: neighbors.clone(), destinations: neighbors, grid: Some(grid) };
        let members = self.shared.members[..places].into();
        let name = format!("MPI COMM {context} CART FROM {}", self.shared.context);
        Ok(Some(self.derive(context, members, &name, Some(Arc::new(topology)))))
    }

    /// A communicator whose processes are the nodes of a graph. Each process says from which ones it receives and to
    /// which ones it sends; one that is named several times is a neighbor several times. All processes call this
    /// together.
    ///
    /// # Errors
    ///
    /// The communicator must have the ranks, and both ends of an edge must name it. Fails when a process of the
    /// communicator is gone.
    pub fn dist_graph_create_adjacent(&self, sources: &[usize], destinations: &[usize]) -> Result<Self> {
        let size = self.size();
        let mut edges = vec![[0_u32; 2]; size];
        for (end, ranks) in [sources, destinations].into_iter().enumerate() {
            for rank in ranks {
                self.shared.peer(*rank)?;
                edges[*rank][end] += 1;
            }
        }
        // Everybody hears what the others say of their edges with him.
        let ones = vec![1; size];
        let said = self.shared.exchange(&edges, &ones, &ones, Tag::TOPOLOGY)?;
        let differ = |(own, theirs): (&[u32; 2], &[u32; 2])| own[0] != theirs[1] || own[1] != theirs[0];
        let wrong = edges.iter().zip(&said).any(differ);
        let all_right = self.shared.reduce_to_all(&[u8::from(wrong)], u8::max, Tag::TOPOLOGY)? == [0];
        if !all_right {
            return Err(Error::Edges);
        }
        let context = self.shared.agree(Tag::TOPOLOGY)?;
        let (sources, destinations) = (sources.to_vec(), destinations.to_vec());
        let topology = Topology { sources, destinations, grid: None };
        let name = format!("MPI COMM {context} DIST_GRAPH FROM {}", self.shared.context);
        let members = Arc::clone(&self.shared.members);
        Ok(self.derive(context, members, &name, Some(Arc::new(topology))))
    }

    /// The ranks that this process receives from and those it sends to in neighborhood operations; `None` without a
    /// topology.
    #[must_use]
    pub fn neighbors(&self) -> Option<(&[usize], &[usize])> {
        let topology = self.shared.topology.as_ref()?;
        Some((&topology.sources, &topology.destinations))
    }

    /// The coordinates of a rank in the grid.
    ///
    /// # Errors
    ///
    /// The communicator must be a grid and have the rank.
    pub fn cart_coords(&self, rank: usize) -> Result<Vec<usize>> {
        self.shared.peer(rank)?;
        Ok(self.grid()?.coordinates(rank))
    }

    /// Where this process receives from and sends to when all pass something on by so many steps in a dimension: the
    /// source and the destination, or [`PROC_NULL`].
    ///
    /// # Errors
    ///
    /// The communicator must be a grid and have the dimension.
    pub fn cart_shift(&self, dimension: usize, steps: isize) -> Result<(usize, usize)> {
        let grid = self.grid()?;
        let dimensions = grid.0.len();
        if dimension >= dimensions {
            return Err(Error::NoSuchDimension { dimension, dimensions });
        }
        let at = |steps| grid.ahead(self.rank(), dimension, steps);
        Ok((at(steps.saturating_neg()), at(steps)))
    }

    pub(super) fn topology(&self) -> Result<&Topology> {
        self.shared.topology.as_deref().ok_or(Error::NoTopology)
    }

    fn grid(&self) -> Result<&Grid> {
        self.topology()?.grid.as_ref().ok_or(Error::NoTopology)
    }
}

impl Shared {
    /// Agrees on the context of something new.
    pub(super) fn agree(self: &Arc<Self>, tag: Tag) -> Result<u32> {
        let context = self.reduce_to_all(&[self.process.proposal()], u32::max, tag)?[0];
        self.process.use_context(context);
        Ok(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{Grid, PROC_NULL};

    #[test]
    fn grids_know_who_is_where() {
        let grid = Grid(vec![(2, false), (3, true)]);
        assert_eq!(grid.coordinates(5), [1, 2]);
        assert_eq!(grid.neighbors(0), [PROC_NULL, 3, 2, 1]);
        assert_eq!(grid.neighbors(4), [1, PROC_NULL, 3, 5]);
        assert_eq!([grid.ahead(2, 1, 7), grid.ahead(2, 1, -8), grid.ahead(2, 0, 2)], [0, 0, PROC_NULL]);
        assert_eq!([grid.ahead(5, 1, isize::MAX), grid.ahead(0, 0, isize::MIN)], [3, PROC_NULL]);
        let alone = Grid(vec![(1, true)]);
        assert_eq!(alone.neighbors(0), [0, 0]);
    }
}
