//! The traffic of each rank.

use std::collections::BTreeMap;

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
        // The receivers at which the sums of count and bytes change, because a run begins or ends.
        let mut changes: BTreeMap<u32, [i128; 2]> = BTreeMap::new();
        for run in job.matrix(kind).ranges() {
            let of_all = |sum: u64| sum.saturating_mul(run.receivers());
            let from = ranks.entry(run.from).or_default();
            from.count_out = from.count_out.saturating_add(of_all(run.count));
            from.bytes_out = from.bytes_out.saturating_add(of_all(run.bytes));
            if run.to == run.last {
                ranks.entry(run.to).or_default().receive(run.count, run.bytes);
                continue;
            }
            for (at, sign) in [(run.to, 1), (run.last + 1, -1)] {
                let change = changes.entry(at).or_default();
                change[0] += sign * i128::from(run.count);
                change[1] += sign * i128::from(run.bytes);
            }
        }
        let mut sums = [0; 2];
        let mut changes = changes.into_iter().peekable();
        while let Some((at, change)) = changes.next() {
            sums = [sums[0] + change[0], sums[1] + change[1]];
            let [count, bytes] = sums.map(|sum| u64::try_from(sum).unwrap_or(u64::MAX));
            let end = changes.peek().map_or(at, |(end, _)| *end);
            if count > 0 {
                for rank in at..end {
                    ranks.entry(rank).or_default().receive(count, bytes);
                }
            }
        }
    }
    ranks
}
