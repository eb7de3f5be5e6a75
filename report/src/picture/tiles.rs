//! A matrix reduced to a displayable size: in a large matrix, each tile is the sum of a square of cells.

use crate::nodes::NodeOrder;
use mpit_placement::{Cell, CellRange, Matrix, added_up};

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
        let tile = |rank: u32| position(rank) / ranks;
        // The number of tiles is limited, so they are added up in place for any number of pairs.
        let row = size.div_ceil(ranks);
        let mut sums = vec![(0_u64, 0_u64); (row * row) as usize];
        let mut add = |from: u32, to: u32, count: u64, bytes: u64| {
            let (bytes_of_tile, count_of_tile) = &mut sums[(from * row + to) as usize];
            *bytes_of_tile = bytes_of_tile.saturating_add(bytes);
            *count_of_tile = count_of_tile.saturating_add(count);
        };
        for cell in matrix.single_cells() {
            add(tile(cell.from), tile(cell.to), cell.count, cell.bytes);
        }
        // The senders of a row of tiles are added up first: after one collective operation, there is a pair for any two ranks.
        let mut runs: Vec<(u32, &CellRange)> =
            matrix.runs().iter().map(|run| (tile(run.from), run)).collect();
        runs.sort_by_key(|(tile, _)| *tile);
        for senders in runs.chunk_by(|(one, _), (other, _)| one == other) {
            let from = senders[0].0;
            for run in added_up(senders.iter().map(|(_, run)| **run)) {
                for to in run.to..=run.last {
                    add(from, tile(to), run.count, run.bytes);
                }
            }
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
    use super::{Cell, CellRange, MOST, Matrix, Tiles};

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

    #[test]
    fn runs_are_like_their_cells() {
        let size = 600;
        let run = |from: u32, to: u32, last: u32| CellRange {
            from,
            to,
            last,
            count: 2,
            bytes: u64::from(from % 5) << 50,
        };
        let others = |rank: u32| [run(rank, 0, rank.saturating_sub(1)), run(rank, rank + 1, size - 1)];
        let runs: Vec<_> = (3..590).flat_map(others).chain([run(0, 100, 102), run(599, 0, 599)]).collect();
        let cells = (0..size).step_by(7).map(|at| Cell { from: at, to: at / 2, count: 1, bytes: 3 });
        let matrix = Matrix::with_runs(cells.collect(), runs);
        let alone = Matrix::new(matrix.cells().collect());
        assert!(matrix.runs().len() > 1000 && alone.runs().is_empty());
        assert_eq!(Tiles::of(&matrix, size).cells, Tiles::of(&alone, size).cells);
        let shuffled = |matrix| Tiles::by_position(matrix, size, |rank| rank * 7 % size).cells;
        assert_eq!(shuffled(&matrix), shuffled(&alone));
        assert_ne!(shuffled(&matrix), Tiles::of(&matrix, size).cells);
    }
}
