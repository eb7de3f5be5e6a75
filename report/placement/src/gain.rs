//! The effect of a placement on the bytes between nodes.

use crate::matrix::Matrix;
use crate::{bytes_between_nodes, bytes_of_busiest_node};

/// The bytes between nodes in two placements, in all and for the busiest node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// The bytes between all ranks, inside of nodes and between them.
    pub total: u128,
    /// The bytes between nodes in the present placement.
    pub now: u128,
    /// The bytes between nodes in the other placement.
    pub after: u128,
    /// The bytes of the busiest node in the present placement, as [`bytes_of_busiest_node`] returns them.
    pub busiest_now: u128,
    /// The bytes of the busiest node in the other placement.
    pub busiest_after: u128,
}

impl Gain {
    /// Compares placements, given by the node of each rank.
    pub fn of(matrix: &Matrix, present: &[u32], placed: &[u32]) -> Self {
        let is_known = |rank: u32| (rank as usize) < present.len();
        let cells = matrix.cells().filter(|cell| is_known(cell.from) && is_known(cell.to));
        Self {
            total: cells.map(|cell| u128::from(cell.bytes)).sum(),
            now: bytes_between_nodes(matrix, present),
            after: bytes_between_nodes(matrix, placed),
            busiest_now: bytes_of_busiest_node(matrix, present),
            busiest_after: bytes_of_busiest_node(matrix, placed),
        }
    }

    /// Returns true if the bytes between nodes decrease by at least 5 %.
    pub fn is_worthwhile(&self) -> bool {
        self.after < self.now && (self.now - self.after) * 20 >= self.now
    }
}
