//! The development of a run over time.

use super::time::seconds;
use crate::columns::rows;
use crate::job::Job;
use crate::series::SeriesRow;

rows! {
    /// The calls of a rank in an area of MPI in an interval. Intervals of a rank in which it made no calls of an area are left out.
    #[serde(deny_unknown_fields)]
    pub struct Interval {
        pub(crate) fn of(row: &SeriesRow, begin: u64) {}
        /// The rank.
        pub rank: u32 = row.rank,
        /// The start of the interval, in seconds since the first one began.
        pub start: f64 = seconds((row.start - begin) as f64),
        /// The end of the interval.
        pub end: f64 = seconds((row.end - begin) as f64),
        /// The area: `p2p`, `coll`, `osc`, `wait`, `io` or `other`.
        pub area: String = row.area.as_str().into(),
        /// The number of calls.
        pub calls: u64 = row.calls,
        /// The seconds in calls.
        pub seconds: f64 = seconds(row.ns as f64),
        /// The messages that were sent; 0 in other areas than `p2p`.
        pub messages: u64 = row.messages,
        /// The bytes of these messages.
        pub bytes: u64 = row.bytes,
    }
}

impl Interval {
    /// Returns the intervals of a job, by rank and time.
    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        let begin = job.series.iter().map(|row| row.start).min().unwrap_or(0);
        job.series.iter().map(move |row| Self::of(row, begin))
    }
}
