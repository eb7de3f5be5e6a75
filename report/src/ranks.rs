//! The traffic of each rank.

use std::collections::BTreeMap;

use mpit_placement::added_up;

use crate::job::Job;
use crate::picture::SHOWN;

/// The operations of the program that a rank sends data with, and those that it receives data with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankTraffic {
    /// The number of messages and operations from the rank.
    pub(crate) count_out: u64,
    /// The bytes from the rank.
    pub(crate) bytes_out: u64,
    /// The number of messages and operations to the rank.
    pub(crate) count_in: u64,
    /// The bytes to the rank.
    pub(crate) bytes_in: u64,
}

impl RankTraffic {
    /// Returns the bytes from and to the rank.
    pub(crate) fn bytes(&self) -> u128 {
        u128::from(self.bytes_out) + u128::from(self.bytes_in)
    }

    fn receive(&mut self, count: u64, bytes: u64) {
        self.count_in = self.count_in.saturating_add(count);
        self.bytes_in = self.bytes_in.saturating_add(bytes);
    }
}

/// Returns the traffic of the ranks that have any, without messages of the library's own, which carry the same data again.
pub(crate) fn traffic(job: &Job) -> BTreeMap<u32, RankTraffic> {
    let mut ranks: BTreeMap<u32, RankTraffic> = BTreeMap::new();
    for kind in SHOWN {
        let matrix = job.matrix(kind);
        for run in matrix.ranges() {
            let of_all = |sum: u64| sum.saturating_mul(run.receivers());
            let from = ranks.entry(run.from).or_default();
            from.count_out = from.count_out.saturating_add(of_all(run.count));
            from.bytes_out = from.bytes_out.saturating_add(of_all(run.bytes));
        }
        for cell in matrix.single_cells() {
            ranks.entry(cell.to).or_default().receive(cell.count, cell.bytes);
        }
        for run in added_up(matrix.runs().iter().copied()) {
            for rank in run.to..=run.last {
                ranks.entry(rank).or_default().receive(run.count, run.bytes);
            }
        }
    }
    ranks
}
