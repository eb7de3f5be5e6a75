//! Sparse matrices of the traffic between ranks.

use std::cmp::Reverse;

/// The traffic from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The rank that sends the data.
    pub from: u32,
    /// The rank that receives the data.
    pub to: u32,
    /// The number of messages or operations.
    pub count: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

/// A sparse matrix: cells by ascending sender and receiver, each pair once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix(Vec<Cell>);

impl Matrix {
    /// Creates a matrix from cells: sorts them, and adds up those of the same pair. Sums saturate.
    pub fn new(mut cells: Vec<Cell>) -> Self {
        let pair = |cell: &Cell| (cell.from, cell.to);
        if !cells.is_sorted_by(|a, b| pair(a) < pair(b)) {
            cells.sort_by_key(pair);
            cells.dedup_by(|later, first| {
                let same = pair(later) == pair(first);
                if same {
                    first.count = first.count.saturating_add(later.count);
                    first.bytes = first.bytes.saturating_add(later.bytes);
                }
                same
            });
        }
        Self(cells)
    }

    /// Returns the sum of several matrices.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::new(all.into_iter().flat_map(Self::cells).copied().collect())
    }

    /// Returns the cells that are not empty.
    pub fn cells(&self) -> &[Cell] {
        &self.0
    }

    /// Returns true if all cells are empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the matrix plus its transpose.
    #[must_use]
    pub fn symmetric(&self) -> Self {
        let transposed = self.0.iter().map(|cell| Cell { from: cell.to, to: cell.from, ..*cell });
        Self::new(self.0.iter().copied().chain(transposed).collect())
    }

    /// Returns the `n` cells with the most bytes, in descending order.
    pub fn top(&self, n: usize) -> Vec<Cell> {
        let order = |cell: &Cell| (Reverse(cell.bytes), Reverse(cell.count), cell.from, cell.to);
        // Not a sorted copy of all cells, of which there may be many.
        let mut top: Vec<Cell> = Vec::new();
        for part in self.0.chunks(n.max(1 << 16)) {
            top.extend(part);
            if n < top.len() {
                top.select_nth_unstable_by_key(n, order);
                top.truncate(n);
            }
        }
        top.sort_by_key(order);
        top
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Matrix};

    fn cell(from: u32, to: u32, bytes: u64) -> Cell {
        Cell { from, to, count: 1, bytes }
    }

    #[test]
    fn pairs_are_sorted_and_added_up() {
        let matrix = Matrix::new(vec![cell(1, 0, 5), cell(0, 1, 1), cell(1, 0, u64::MAX)]);
        let wanted = [cell(0, 1, 1), Cell { count: 2, ..cell(1, 0, u64::MAX) }];
        assert_eq!(matrix.cells(), wanted);
        let twice = Matrix::new(vec![cell(2, 3, 1), cell(2, 3, 2)]);
        assert_eq!(twice.cells(), [Cell { count: 2, ..cell(2, 3, 3) }]);
    }

    #[test]
    fn symmetry_adds_both_directions() {
        let matrix = Matrix::new(vec![cell(0, 0, 7), cell(0, 1, 1), cell(1, 0, 2)]).symmetric();
        let bytes: Vec<_> = matrix.cells().iter().map(|cell| (cell.from, cell.to, cell.bytes)).collect();
        assert_eq!(bytes, [(0, 0, 14), (0, 1, 3), (1, 0, 3)]);
    }

    #[test]
    fn the_top_is_by_bytes() {
        let matrix = Matrix::new((0..10).map(|at| cell(at, at, u64::from(at * 7 % 10))).collect());
        let top: Vec<_> = matrix.top(3).iter().map(|cell| cell.bytes).collect();
        assert_eq!(top, [9, 8, 7]);
        assert_eq!(matrix.top(100).len(), 10);
        assert!(matrix.top(0).is_empty());
    }
}
