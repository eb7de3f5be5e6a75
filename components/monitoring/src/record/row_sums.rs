//! The sums of rows without histograms, by the rank in the world of the other process.
//!
//! A recorder adds to the sums of a kind of blocks. The table of [kinds](Kind) says which rows these are, and each phase has the rows of all
//! kinds.

use std::sync::atomic::AtomicU64;

use mpit_format::profile::SumRow;
use mpit_format::rows::Kind;
use mpit_format::store::blocks::BlockKind;
use mpit_sync::sparse::Sparse;

use super::{AtomicSum, SumsSnapshot, TrafficSum};
use crate::store::OF_PROCESS;

/// The words of sums by rank. Those of the blocks of several kinds of rows are at the first of these kinds.
static WORDS: [Sparse<&'static [AtomicU64]>; Kind::ALL.len()] = [const { Sparse::new() }; Kind::ALL.len()];

/// The sums of each process in blocks of one kind: one for each of its kinds of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSums<const SUMS: usize> {
    block: BlockKind,
    /// The position of its first kind of rows.
    first: usize,
}

impl<const SUMS: usize> RowSums<SUMS> {
    /// Returns the sums in blocks of a kind, which has as many kinds of rows. Evaluated by the compiler.
    pub(crate) const fn of(block: BlockKind) -> Self {
        let (mut first, mut sums, mut at) = (0, 0, 0);
        while at < Kind::ALL.len() {
            if Kind::ALL[at].block() as u32 == block as u32 {
                first = if sums == 0 { at } else { first };
                sums += 1;
            }
            at += 1;
        }
        assert!(sums == SUMS, "the kind of blocks has another number of sums");
        Self { block, first }
    }

    /// Returns the sums of a process, if it has some.
    #[inline]
    pub(crate) fn get(self, rank: u32) -> Option<[AtomicSum<'static>; SUMS]> {
        AtomicSum::of(WORDS[self.first].get(rank)?)
    }

    /// Returns the sums of a process, created if necessary; `None` if memory is short.
    #[inline]
    pub(crate) fn entry(self, rank: u32) -> Option<[AtomicSum<'static>; SUMS]> {
        let make = || OF_PROCESS.add(self.block, rank.into(), 2 * SUMS, &[]);
        AtomicSum::of(WORDS[self.first].entry_with(rank, make)?)
    }

    /// Returns the values of the sums of a process.
    pub(crate) fn with(self, rank: u32) -> [TrafficSum; SUMS] {
        self.get(rank).map_or([TrafficSum::default(); SUMS], |sums| sums.map(|sum| sum.get()))
    }

    /// Returns the sums over all processes, including those outside of the world.
    pub(crate) fn total(self) -> [TrafficSum; SUMS] {
        WORDS[self.first].iter().fold([TrafficSum::default(); SUMS], |total, (rank, _)| {
            let more = self.with(rank);
            std::array::from_fn(|at| total[at].and(more[at]))
        })
    }
}

/// A snapshot of the sums of all kinds of rows.
#[derive(Debug, Default)]
pub(crate) struct RowsSnapshot([SumsSnapshot<(Kind, u32), 1>; Kind::ALL.len()]);

impl RowsSnapshot {
    pub(crate) fn now() -> Self {
        Self(std::array::from_fn(|first| {
            let kinds = || Kind::in_block(Kind::ALL[first].block());
            let of_rank = |(rank, words): (u32, &&'static [AtomicU64])| {
                let (sums, _) = words.as_chunks::<2>();
                kinds().zip(sums).map(move |(kind, sum)| ((kind, rank), [AtomicSum::from(sum).get()]))
            };
            WORDS[first].iter().flat_map(of_rank).collect()
        }))
    }

    /// Returns this snapshot; sums that counted nothing since `earlier` keep its bytes.
    pub(crate) fn without_in_flight(self, earlier: &Self) -> Self {
        let mut earlier = earlier.0.iter();
        Self(self.0.map(|now| match earlier.next() {
            Some(earlier) => now.without_in_flight(earlier),
            None => now,
        }))
    }

    /// Returns the rows that grew since an earlier snapshot.
    pub(crate) fn since(&self, earlier: &Self) -> Vec<SumRow> {
        let sums = self.0.iter().zip(&earlier.0).flat_map(|(now, then)| now.since(then));
        let rows = sums.map(|((kind, to), [sum])| SumRow { kind, to, sum });
        rows.filter(|row| !row.sum.is_zero()).collect()
    }
}
