//! Sparse matrices of the traffic between ranks.
//!
//! After one collective operation, each process has exchanged data with each other one. Receivers with equal numbers are one part, so that
//! such a matrix takes memory in proportion to the number of processes, not of pairs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

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

/// The traffic from one process to each of several ones that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRange {
    /// The rank that sends the data.
    pub from: u32,
    /// The first rank that receives data.
    pub to: u32,
    /// The last rank that receives data, which is not below the first one.
    pub last: u32,
    /// The number of messages or operations to each of them.
    pub count: u64,
    /// The sum of bytes to each of them.
    pub bytes: u64,
}

impl CellRange {
    /// Returns the number of receivers.
    pub fn receivers(&self) -> u64 {
        u64::from(self.last - self.to) + 1
    }

    fn cells(self) -> impl Iterator<Item = Cell> {
        let Self { from, to, last, count, bytes } = self;
        (to..=last).map(move |to| Cell { from, to, count, bytes })
    }
}

impl From<Cell> for CellRange {
    fn from(Cell { from, to, count, bytes }: Cell) -> Self {
        Self { from, to, last: to, count, bytes }
    }
}

/// The minimum number of receivers of a run.
const MIN_RUN: u64 = 3;

/// A sparse matrix: cells by ascending sender and receiver, each pair once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    singles: Vec<Cell>,
    /// Pairs that are not in `singles`, by ascending sender and receiver.
    runs: Vec<CellRange>,
}

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
        Self { singles: cells, runs: Vec::new() }
    }

    /// Creates a matrix from cells and runs, like [`new`](Self::new).
    pub fn with_runs(cells: Vec<Cell>, mut runs: Vec<CellRange>) -> Self {
        let all = Self::new(cells);
        if runs.is_empty() {
            return all;
        }
        runs.sort_by_key(|run| (run.from, run.to));
        let mut matrix = Self { singles: Vec::with_capacity(all.singles.len()), runs: Vec::new() };
        let mut rest = &all.singles[..];
        for row in runs.chunk_by(|one, other| one.from == other.from) {
            let from = row[0].from;
            let (before, others) = rest.split_at(rest.partition_point(|cell| cell.from < from));
            let (own, others) = others.split_at(others.partition_point(|cell| cell.from == from));
            rest = others;
            matrix.singles.extend(before);
            for run in added_up(own.iter().copied().map(CellRange::from).chain(row.iter().copied())) {
                if run.receivers() < MIN_RUN {
                    matrix.singles.extend(run.cells());
                } else {
                    matrix.runs.push(run);
                }
            }
        }
        matrix.singles.extend(rest);
        matrix
    }

    /// Returns the sum of several matrices.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut singles, mut runs) = (Vec::new(), Vec::new());
        for matrix in all {
            singles.extend_from_slice(&matrix.singles);
            runs.extend_from_slice(&matrix.runs);
        }
        Self::with_runs(singles, runs)
    }

    /// Returns the cells that are not empty, by ascending sender and receiver.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + Clone + '_ {
        Cells { singles: &self.singles, runs: &self.runs, done: 0 }
    }

    /// Returns the cells, in no particular order, with receivers of equal numbers together.
    pub fn ranges(&self) -> impl Iterator<Item = CellRange> + '_ {
        self.singles.iter().copied().map(CellRange::from).chain(self.runs.iter().copied())
    }

    /// Returns the cells that are in no run; all cells of a matrix that was made without runs.
    pub fn single_cells(&self) -> &[Cell] {
        &self.singles
    }

    /// Returns the receivers of equal numbers that are together, by ascending sender and receiver.
    pub fn runs(&self) -> &[CellRange] {
        &self.runs
    }

    /// Returns the number of cells that are not empty.
    pub fn pairs(&self) -> u64 {
        self.singles.len() as u64 + self.runs.iter().map(CellRange::receivers).sum::<u64>()
    }

    /// Returns true if all cells are empty.
    pub fn is_empty(&self) -> bool {
        self.singles.is_empty() && self.runs.is_empty()
    }

    /// Returns the matrix plus its transpose.
    #[must_use]
    pub fn symmetric(&self) -> Self {
        let transposed = self.cells().map(|cell| Cell { from: cell.to, to: cell.from, ..cell });
        Self::new(self.cells().chain(transposed).collect())
    }

    /// Returns the `n` cells with the most bytes, in descending order.
    pub fn top(&self, n: usize) -> Vec<Cell> {
        let order = |cell: &Cell| (Reverse(cell.bytes), Reverse(cell.count), cell.from, cell.to);
        let mut top: Vec<Cell> = Vec::new();
        // Not a sorted copy of all cells, of which there may be many.
        let reduce = |top: &mut Vec<Cell>| {
            if n < top.len() {
                top.select_nth_unstable_by_key(n, order);
                top.truncate(n);
            }
        };
        let at_once = n.max(1 << 16);
        for part in self.singles.chunks(at_once) {
            top.extend(part);
            reduce(&mut top);
        }
        for run in &self.runs {
            top.extend(run.cells().take(n));
            if at_once < top.len() {
                reduce(&mut top);
            }
        }
        reduce(&mut top);
        top.sort_by_key(order);
        top
    }
}

#[derive(Clone, Debug)]
struct Cells<'a> {
    singles: &'a [Cell],
    runs: &'a [CellRange],
    /// The number of receivers of the first run that were returned.
    done: u32,
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let single = self.singles.split_first();
        let Some((&CellRange { from, to, last, count, bytes }, runs)) = self.runs.split_first() else {
            let (cell, others) = single?;
            self.singles = others;
            return Some(*cell);
        };
        let to = to + self.done;
        if let Some((cell, others)) = single
            && (cell.from, cell.to) < (from, to)
        {
            self.singles = others;
            return Some(*cell);
        }
        if to < last {
            self.done += 1;
        } else {
            (self.runs, self.done) = (runs, 0);
        }
        Some(Cell { from, to, count, bytes })
    }
}

/// Adds up the parts of one sender, or of several as if they were one. Returns parts without common receivers, by ascending receiver.
pub fn added_up(row: impl Iterator<Item = CellRange>) -> Vec<CellRange> {
    let mut from = 0;
    // The receivers at which the sums of count and bytes change.
    let mut changes: BTreeMap<u64, [i128; 2]> = BTreeMap::new();
    for run in row {
        from = run.from;
        let sums = [i128::from(run.count), i128::from(run.bytes)];
        for (at, sign) in [(u64::from(run.to), 1), (u64::from(run.last) + 1, -1)] {
            let change = changes.entry(at).or_default();
            for (change, sum) in change.iter_mut().zip(sums) {
                *change += sign * sum;
            }
        }
    }
    let (mut runs, mut sums) = (Vec::new(), [0_i128; 2]);
    let mut changes = changes.into_iter().peekable();
    while let Some((at, change)) = changes.next() {
        for (sum, change) in sums.iter_mut().zip(change) {
            *sum += change;
        }
        let Some((end, _)) = changes.peek() else { break };
        let [count, bytes] = sums.map(|sum| u64::try_from(sum).unwrap_or(u64::MAX));
        if count > 0 {
            runs.push(CellRange { from, to: at as u32, last: (end - 1) as u32, count, bytes });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{Cell, CellRange, Matrix};

    fn cell(from: u32, to: u32, bytes: u64) -> Cell {
        Cell { from, to, count: 1, bytes }
    }

    fn all(matrix: &Matrix) -> Vec<Cell> {
        matrix.cells().collect()
    }

    #[test]
    fn pairs_are_sorted_and_added_up() {
        let matrix = Matrix::new(vec![cell(1, 0, 5), cell(0, 1, 1), cell(1, 0, u64::MAX)]);
        let wanted = [cell(0, 1, 1), Cell { count: 2, ..cell(1, 0, u64::MAX) }];
        assert_eq!(all(&matrix), wanted);
        let twice = Matrix::new(vec![cell(2, 3, 1), cell(2, 3, 2)]);
        assert_eq!(all(&twice), [Cell { count: 2, ..cell(2, 3, 3) }]);
    }

    #[test]
    fn runs_are_like_their_cells() {
        let run = |from, to, last, bytes| CellRange { from, to, last, count: 1, bytes };
        for runs in [
            vec![run(0, 1, 9, 5), run(1, 0, 0, 5), run(1, 2, 9, 5)],
            // With common receivers, and out of order.
            vec![run(3, 4, 6, 7), run(0, 0, 9, 1), run(0, 5, 9, u64::MAX), run(0, 2, 2, 3)],
            vec![run(7, 0, 1, 1), run(7, 2, 3, 1), run(7, 3, 3, 1)],
        ] {
            let singles = vec![cell(0, 5, 1), cell(0, 0, 2), cell(2, 2, 9), cell(9, 9, 4)];
            let expanded = runs.iter().flat_map(|run| run.cells()).chain(singles.iter().copied());
            let expected = Matrix::new(expanded.collect());
            let matrix = Matrix::with_runs(singles, runs.clone());
            assert_eq!(all(&matrix), all(&expected), "{runs:?}");
            assert_eq!(matrix.pairs(), expected.pairs());
            assert_eq!(matrix.ranges().map(|run| run.receivers()).sum::<u64>(), matrix.pairs());
            for n in [0, 1, 3, 8, 100] {
                assert_eq!(matrix.top(n), expected.top(n), "{n}: {runs:?}");
            }
            assert_eq!(matrix.symmetric(), expected.symmetric());
            assert_eq!(all(&Matrix::sum([&matrix, &expected])), all(&Matrix::sum([&expected, &expected])));
        }
    }

    #[test]
    fn symmetry_adds_both_directions() {
        let matrix = Matrix::new(vec![cell(0, 0, 7), cell(0, 1, 1), cell(1, 0, 2)]).symmetric();
        let bytes: Vec<_> = matrix.cells().map(|cell| (cell.from, cell.to, cell.bytes)).collect();
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
