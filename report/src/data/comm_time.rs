//! The time of calls on communicators, and how long single calls took.

use mpit_format::summary::Area;
use schemars::JsonSchema;
use serde::Serialize;

use super::time::seconds;
use crate::columns::rows;
use crate::comm_calls::{CallTimes, CommCalls};
use crate::job::Job;

rows! {
    /// The calls on the communicators of one name, in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct CommTime {
        pub(crate) fn of(comm: &CommCalls) {
            let [p2p, coll] = [Area::PointToPoint, Area::Collective].map(|area| comm.area(area));
        }
        /// The name.
        pub name: String = comm.name.clone() => (Name "communicator"),
        /// The number of sends, receives and waits for messages.
        pub p2p_calls: u64 = p2p.count => (Count "p2p"),
        /// Their seconds.
        pub p2p_seconds: f64 = seconds(p2p.ns as f64) => (Time "time"),
        /// The bytes that were sent.
        pub p2p_bytes: u64 = p2p.bytes => (Bytes "bytes"),
        /// The number of collective operations.
        pub coll_calls: u64 = coll.count => (Count "coll"),
        /// Their seconds.
        pub coll_seconds: f64 = seconds(coll.ns as f64) => (Time "time"),
        /// The bytes that the ranks gave to them.
        pub coll_bytes: u64 = coll.bytes => (Bytes "bytes"),
    }
}

rows! {
    /// The calls of one name on the communicators of one name, in all ranks, and how long single calls took.
    #[serde(deny_unknown_fields)]
    pub struct CallTime {
        pub(crate) fn of(comm: &CommCalls, calls: &CallTimes) {
            let of_ns = |ns: u64| seconds(ns as f64);
            let bins = calls.bins().map(|(from, below, calls)| (of_ns(from), below.map(of_ns), calls));
        }
        /// The name of the call.
        pub call: String = calls.name() => (Name "call"),
        /// The name of the communicators; null for calls that name none.
        pub communicator: Option<String> =
            Some(comm.name.clone()).filter(|name| !name.is_empty()) => (NameOrDash "communicator"),
        /// The number of calls.
        pub calls: u64 = calls.sum.count => (Count "calls"),
        /// The number of calls whose time was measured.
        pub timed: u64 = calls.timed,
        /// The seconds in all calls; an estimate if not all were measured.
        pub seconds: f64 = of_ns(calls.sum.ns) => (Time "time"),
        /// The seconds of the shortest measured call; null if none was measured.
        pub min: Option<f64> = calls.extremes.map(|(min, _)| of_ns(min)) => (Time "shortest"),
        /// The seconds that half of the measured calls did not exceed: the end of a bin of `durations`, limited to `min` and `max`.
        pub median: Option<f64> = calls.quantile(0.5).map(of_ns) => (Time "half within"),
        /// The seconds that 99 of 100 measured calls did not exceed: the end of a bin of `durations`, limited to `min` and `max`.
        pub p99: Option<f64> = calls.quantile(0.99).map(of_ns) => (Time "99 % within"),
        /// The seconds of the longest measured call.
        pub max: Option<f64> = calls.extremes.map(|(_, max)| of_ns(max)) => (Time "longest"),
        /// The bytes that the calls were given to send, share or write.
        pub bytes: u64 = calls.sum.bytes => (Bytes "bytes"),
        /// The measured calls by duration.
        pub durations: Vec<Duration> =
            bins.map(|(from, below, calls)| Duration { from, below, calls }).collect() => (json),
    }
}

/// The measured calls of which each took at least `from`, and less than `below`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Duration {
    /// The shortest duration, in seconds.
    pub from: f64,
    /// The end of the durations, in seconds; null for the longest ones, of more than 19 hours.
    pub below: Option<f64>,
    /// The number of calls.
    pub calls: u64,
}

rows! {
    /// The calls of one duration of a [`CallTime`], as a row of its own.
    pub(crate) struct Bin {
        pub(crate) fn of(of: &CallTime, bin: &Duration) {}
        pub(crate) call: String = of.call.clone() => (Name "call"),
        pub(crate) communicator: Option<String> = of.communicator.clone() => (NameOrDash "communicator"),
        pub(crate) seconds_from: f64 = bin.from => (Time "from"),
        pub(crate) seconds_below: Option<f64> = bin.below => (Time "below"),
        pub(crate) calls: u64 = bin.calls => (Count "calls"),
    }
}

impl CallTime {
    /// Returns the measured calls by duration as rows.
    pub(crate) fn bins(self) -> Vec<Bin> {
        self.durations.iter().map(|bin| Bin::of(&self, bin)).collect()
    }

    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        job.call_times().into_iter().map(|(comm, calls)| Self::of(comm, calls))
    }
}
