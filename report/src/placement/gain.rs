//! The effect of a placement on the bytes between nodes.

use std::fmt;

use super::bytes_between_nodes;
use crate::sparse::Matrix;
use crate::units::{bytes, percent};

/// The bytes between nodes in two placements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// The bytes between all ranks, inside of nodes and between them.
    pub total: u128,
    /// The bytes between nodes in the present placement.
    pub now: u128,
    /// The bytes between nodes in the other placement.
    pub after: u128,
}

impl Gain {
    /// Compares placements, given by the node of each rank.
    pub fn of(matrix: &Matrix, present: &[u32], placed: &[u32]) -> Self {
        let is_known = |rank: u32| (rank as usize) < present.len();
        let cells = matrix.cells().iter().filter(|cell| is_known(cell.from) && is_known(cell.to));
        Self {
            total: cells.map(|cell| u128::from(cell.bytes)).sum(),
            now: bytes_between_nodes(matrix, present),
            after: bytes_between_nodes(matrix, placed),
        }
    }

    /// Returns true if the bytes between nodes decrease by at least 5 %.
    pub fn is_worthwhile(&self) -> bool {
        self.after < self.now && (self.now - self.after) * 20 >= self.now
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { total, now, after } = *self;
        let share = |part: u128| 100.0 * part as f64 / total.max(1) as f64;
        write!(
            f,
            "bytes between nodes: now {} ({:.1} % of {}), after {} ({:.1} %): {} less",
            bytes(now),
            share(now),
            bytes(total),
            bytes(after),
            share(after),
            percent(now.saturating_sub(after), now)
        )
    }
}
