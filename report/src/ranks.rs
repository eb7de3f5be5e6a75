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

/// Returns the traffic of the ranks that have any, without messages of the library's own, which carry the same data again.
pub(crate) fn traffic(job: &Job) -> BTreeMap<u32, RankTraffic> {
    let mut ranks: BTreeMap<u32, RankTraffic> = BTreeMap::new();
    for kind in SHOWN {
        for cell in job.matrix(kind).cells() {
            let from = ranks.entry(cell.from).or_default();
            from.count_out = from.count_out.saturating_add(cell.count);
            from.bytes_out = from.bytes_out.saturating_add(cell.bytes);
            let to = ranks.entry(cell.to).or_default();
            to.count_in = to.count_in.saturating_add(cell.count);
            to.bytes_in = to.bytes_in.saturating_add(cell.bytes);
        }
    }
    ranks
}
