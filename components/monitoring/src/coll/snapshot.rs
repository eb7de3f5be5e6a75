//! Snapshots of the sums, and the differences between two.

use std::collections::BTreeMap;

use mpit::component::CommId;
use mpit::internal::log::Log;
use mpit::object::OUTSIDE;
use mpit_format::profile::SumRow;
use mpit_format::rows::Kind;

use super::shared_sum::SharedSum;
use crate::record::TrafficSum;

/// A snapshot of all sums, in the order of first use, which never changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Sums by pattern for each communicator, with its identity or 0 for none; in the order of slots.
    pub(super) comms: Vec<(u64, [TrafficSum; 3])>,
    pub(super) shared_sums: Vec<TrafficSum>,
    /// Sums by rank in the world.
    pub(super) rows: Vec<(u32, TrafficSum)>,
}

#[derive(Debug)]
pub(crate) struct Operations {
    /// The sums exchanged with each process, by ascending rank.
    pub(crate) exchanged: Vec<SumRow>,
    comms: BTreeMap<u64, [TrafficSum; 3]>,
}

impl Operations {
    /// Returns the operations on a communicator: from one to all, from all to one, from all to all.
    pub(crate) fn on(&self, comm: CommId) -> [TrafficSum; 3] {
        self.comms.get(&comm.get()).copied().unwrap_or_default()
    }
}

impl Snapshot {
    /// Returns the sums of a communicator; zero if its slot belonged to another one.
    fn of_comm(&self, at: usize, comm: u64) -> [TrafficSum; 3] {
        let found = self.comms.get(at).filter(|(then, _)| *then == comm);
        found.map_or([TrafficSum::ZERO; 3], |(_, sums)| *sums)
    }

    fn row(&self, at: usize) -> TrafficSum {
        self.rows.get(at).map_or(TrafficSum::ZERO, |(_, sum)| *sum)
    }

    fn shared_sum(&self, at: usize) -> TrafficSum {
        self.shared_sums.get(at).copied().unwrap_or_default()
    }

    /// Returns this snapshot without the bytes of operations that are not counted yet.
    pub(crate) fn without_in_flight(mut self, earlier: &Self) -> Self {
        for (at, (comm, now)) in self.comms.iter_mut().enumerate() {
            let then = earlier.of_comm(at, *comm);
            *now = [0, 1, 2].map(|pattern| now[pattern].without_in_flight(then[pattern]));
        }
        for (at, (_, now)) in self.rows.iter_mut().enumerate() {
            *now = now.without_in_flight(earlier.row(at));
        }
        for (at, now) in self.shared_sums.iter_mut().enumerate() {
            *now = now.without_in_flight(earlier.shared_sum(at));
        }
        self
    }

    pub(super) fn since(&self, earlier: &Self, shared_sums: &Log<SharedSum>) -> Operations {
        let gain = |now: &[TrafficSum; 3], then: [TrafficSum; 3]| [0, 1, 2].map(|at| now[at].since(then[at]));
        let comms = self.comms.iter().enumerate();
        let comms = comms.map(|(at, (comm, now))| (*comm, gain(now, earlier.of_comm(at, *comm))));

        let rows = self.rows.iter().enumerate().map(|(at, (to, now))| (*to, now.since(earlier.row(at))));
        let mut exchanged: Vec<_> =
            rows.filter(|(to, sum)| *to != OUTSIDE && !sum.is_zero()).map(exchanged_with).collect();
        exchanged.sort_unstable_by_key(|row| row.to);
        for (at, (shared_sum, now)) in shared_sums.iter().zip(&self.shared_sums).enumerate() {
            let gained = now.since(earlier.shared_sum(at));
            if !gained.is_zero() {
                exchanged = merge(exchanged, shared_sum.iter().map(|to| exchanged_with((to, gained))));
            }
        }
        Operations { exchanged, comms: comms.collect() }
    }
}

fn exchanged_with((to, sum): (u32, TrafficSum)) -> SumRow {
    SumRow { kind: Kind::Collective, to, sum }
}

/// Merges two lists in ascending order of ranks; the second may have several rows for one rank.
fn merge(rows: Vec<SumRow>, more: impl Iterator<Item = SumRow>) -> Vec<SumRow> {
    let mut merged: Vec<SumRow> = Vec::with_capacity(rows.len());
    let mut add = |row: SumRow| match merged.last_mut() {
        Some(last) if last.to == row.to => last.sum = last.sum.and(row.sum),
        _ => merged.push(row),
    };
    let mut rows = rows.into_iter().peekable();
    for row in more {
        while let Some(earlier) = rows.next_if(|earlier| earlier.to <= row.to) {
            add(earlier);
        }
        add(row);
    }
    rows.for_each(add);
    merged
}

#[cfg(test)]
mod tests {
    use super::{Snapshot, TrafficSum, exchanged_with, merge};

    /// Another thread adds an operation of 9 bytes, and its count comes after the second snapshot.
    #[test]
    fn bytes_wait_for_their_operation() {
        let snapshot = |count, bytes| {
            let sum = TrafficSum { count, bytes };
            Snapshot { comms: vec![(5, [sum; 3])], shared_sums: vec![sum], rows: vec![(1, sum)] }
        };
        let first = snapshot(1, 8).without_in_flight(&Snapshot::default());
        let second = snapshot(1, 17).without_in_flight(&first);
        assert_eq!(second, first);
        assert_eq!(snapshot(2, 17).without_in_flight(&second), snapshot(2, 17));
        // The slot belongs to another communicator now.
        let other = Snapshot { comms: vec![(6, [TrafficSum { count: 1, bytes: 17 }; 3])], ..snapshot(1, 17) };
        assert_eq!(other.without_in_flight(&first).comms, [(6, [TrafficSum { count: 1, bytes: 17 }; 3])]);
    }

    #[test]
    fn merges_by_rank() {
        let rows = |list: &[(u32, u64)]| {
            list.iter().map(|(to, bytes)| exchanged_with((*to, TrafficSum::one(*bytes)))).collect::<Vec<_>>()
        };
        let merged =
            merge(rows(&[(1, 1), (3, 10), (9, 100)]), rows(&[(0, 5), (3, 7), (3, 7), (8, 1)]).into_iter());
        let plain: Vec<_> = merged.iter().map(|row| (row.to, row.sum.count, row.sum.bytes)).collect();
        assert_eq!(plain, [(0, 1, 5), (1, 1, 1), (3, 3, 24), (8, 1, 1), (9, 1, 100)]);
        assert!(merge(Vec::new(), std::iter::empty()).is_empty());
    }
}
