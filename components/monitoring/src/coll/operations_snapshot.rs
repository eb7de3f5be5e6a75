//! Snapshots of the sums, and the differences between two.

use std::collections::BTreeMap;

use mpit::component::CommId;
use mpit_format::profile::SumRow;
use mpit_format::rows::Kind;
use mpit_sync::log::Log;

use super::shared_sum::SharedSum;
use crate::record::{SumsSnapshot, TrafficSum};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OperationsSnapshot {
    /// Sums by pattern for each communicator, with its identity or 0 for none; in the order of slots.
    pub(super) comms: SumsSnapshot<u64, 3>,
    /// Shared sums by their position in the list.
    pub(super) shared_sums: SumsSnapshot<usize, 1>,
}

#[derive(Debug)]
pub(crate) struct Operations {
    /// The sums exchanged with each process by operations with equal amounts for all, by ascending rank.
    pub(crate) exchanged: Vec<SumRow>,
    comms: BTreeMap<u64, [TrafficSum; 3]>,
}

impl Operations {
    /// Returns the operations on a communicator: from one to all, from all to one, from all to all.
    pub(crate) fn on(&self, comm: CommId) -> [TrafficSum; 3] {
        self.comms.get(&comm.get()).copied().unwrap_or_default()
    }
}

impl OperationsSnapshot {
    /// Returns this snapshot; sums that counted nothing since `earlier` keep its bytes.
    pub(crate) fn without_in_flight(self, earlier: &Self) -> Self {
        Self {
            comms: self.comms.without_in_flight(&earlier.comms),
            shared_sums: self.shared_sums.without_in_flight(&earlier.shared_sums),
        }
    }

    pub(super) fn since(&self, earlier: &Self, shared_sums: &Log<SharedSum>) -> Operations {
        let mut exchanged = Vec::new();
        for (position, [sum]) in self.shared_sums.since(&earlier.shared_sums) {
            if let Some(shared_sum) = shared_sums.get(position)
                && !sum.is_zero()
            {
                exchanged = merge(exchanged, shared_sum.iter().map(|to| exchanged_with(to, sum)));
            }
        }
        Operations { exchanged, comms: self.comms.since(&earlier.comms).collect() }
    }
}

fn exchanged_with(to: u32, sum: TrafficSum) -> SumRow {
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
    use super::{OperationsSnapshot, SumsSnapshot, TrafficSum, exchanged_with, merge};

    /// Another thread adds an operation of 9 bytes, and its count comes after the second snapshot.
    #[test]
    fn bytes_wait_for_their_operation() {
        let sums = |comm, count, bytes| SumsSnapshot::from_iter([(comm, [TrafficSum { count, bytes }; 3])]);
        let snapshot = |count, bytes| {
            let sum = [TrafficSum { count, bytes }];
            OperationsSnapshot {
                comms: sums(5, count, bytes),
                shared_sums: SumsSnapshot::from_iter([(0, sum)]),
            }
        };
        let first = snapshot(1, 8).without_in_flight(&OperationsSnapshot::default());
        let second = snapshot(1, 17).without_in_flight(&first);
        assert_eq!(second, first);
        assert_eq!(snapshot(2, 17).without_in_flight(&second), snapshot(2, 17));
        // The slot belongs to another communicator now.
        let other = OperationsSnapshot { comms: sums(6, 1, 17), ..snapshot(1, 17) };
        assert_eq!(other.without_in_flight(&first).comms, sums(6, 1, 17));
    }

    #[test]
    fn merges_by_rank() {
        let rows = |list: &[(u32, u64)]| {
            list.iter().map(|(to, bytes)| exchanged_with(*to, TrafficSum::one(*bytes))).collect::<Vec<_>>()
        };
        let merged =
            merge(rows(&[(1, 1), (3, 10), (9, 100)]), rows(&[(0, 5), (3, 7), (3, 7), (8, 1)]).into_iter());
        let plain: Vec<_> = merged.iter().map(|row| (row.to, row.sum.count, row.sum.bytes)).collect();
        assert_eq!(plain, [(0, 1, 5), (1, 1, 1), (3, 3, 24), (8, 1, 1), (9, 1, 100)]);
        assert!(merge(Vec::new(), std::iter::empty()).is_empty());
    }
}
