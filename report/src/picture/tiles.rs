//! A matrix reduced to a displayable size: in a large matrix, each tile is the sum of a square of cells.

use crate::nodes::NodeOrder;
use crate::sparse::{Cell, Matrix};

/// The maximum number of tiles in a row.
pub(crate) const MOST: u32 = 256;

#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    /// The number of tiles in a row.
    pub(crate) side: u32,
    /// The number of ranks in a tile; the last tile may have fewer.
    pub(crate) ranks: u32,
    /// The cells, with tiles in place of ranks.
    pub(crate) cells: Matrix,
}

impl Tiles {
    /// Reduces a matrix.
    pub(crate) fn of(matrix: &Matrix, size: u32) -> Self {
        Self::by_position(matrix, size, |rank| rank)
    }

    /// Reduces a matrix whose ranks are in another order.
    pub(crate) fn in_order(matrix: &Matrix, size: u32, order: &NodeOrder<'_>) -> Self {
        let known = order.positions(size);
        Self::by_position(matrix, size, |rank| match &known {
            Some(positions) => positions[rank as usize],
            None => order.position(rank),
        })
    }

    fn by_position(matrix: &Matrix, size: u32, position: impl Fn(u32) -> u32) -> Self {
        let ranks = size.div_ceil(MOST).max(1);
        let tile =
            |cell: Cell| Cell { from: position(cell.from) / ranks, to: position(cell.to) / ranks, ..cell };
        // The number of tiles is limited, so they are added up in place for any number of pairs.
        let row = size.div_ceil(ranks);
        let mut sums = vec![(0_u64, 0_u64); (row * row) as usize];
        for cell in matrix.cells().map(tile) {
            let (bytes, count) = &mut sums[(cell.from * row + cell.to) as usize];
            *bytes = bytes.saturating_add(cell.bytes);
            *count = count.saturating_add(cell.count);
        }
        let cells = (0..).zip(sums).filter(|(_, (_, count))| *count > 0).map(|(at, (bytes, count))| Cell {
            from: at / row,
            to: at % row,
            count,
            bytes,
        });
        Self { side: row, ranks, cells: Matrix::new(cells.collect()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, MOST, Matrix, Tiles};

    #[test]
    fn nothing_is_lost_in_tiles() {
        let sizes: &[u32] = if cfg!(miri) { &[1, 2, 40, 257] } else { &[1, 2, 255, 256, 257, 1000, 100_000] };
        for &size in sizes {
            let cells = (0..size).map(|at| Cell { from: at, to: size - 1 - at, count: 1, bytes: at.into() });
            let matrix = Matrix::new(cells.collect());
            let tiles = Tiles::of(&matrix, size);
            assert!(tiles.side <= MOST && tiles.side * tiles.ranks >= size);
            let sum = |matrix: &Matrix| {
                matrix
                    .cells()
                    .map(|cell| (cell.bytes, cell.count))
                    .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
            };
            assert_eq!(sum(&tiles.cells), sum(&matrix), "{size}");
        }
    }
}
