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
        /// The name.
        pub name: String => (Name "communicator"),
        /// The number of sends, receives and waits for messages.
        pub p2p_calls: u64 => (Count "p2p"),
        /// Their seconds.
        pub p2p_seconds: f64 => (Time "time"),
        /// The bytes that were sent.
        pub p2p_bytes: u64 => (Bytes "bytes"),
        /// The number of collective operations.
        pub coll_calls: u64 => (Count "coll"),
        /// Their seconds.
        pub coll_seconds: f64 => (Time "time"),
        /// The bytes that the ranks gave to them.
        pub coll_bytes: u64 => (Bytes "bytes"),
    }
}

impl CommTime {
    pub(crate) fn of(comm: &CommCalls) -> Self {
        let [p2p, coll] = [Area::PointToPoint, Area::Collective].map(|area| comm.area(area));
        Self {
            name: comm.name.clone(),
            p2p_calls: p2p.count,
            p2p_seconds: seconds(p2p.ns as f64),
            p2p_bytes: p2p.bytes,
            coll_calls: coll.count,
            coll_seconds: seconds(coll.ns as f64),
            coll_bytes: coll.bytes,
        }
    }
}

rows! {
    /// The calls of one name on the communicators of one name, in all ranks, and how long single calls took.
    #[serde(deny_unknown_fields)]
    pub struct CallTime {
        /// The name of the call.
        pub call: String => (Name "call"),
        /// The name of the communicators; null for calls that name none.
        pub communicator: Option<String> => (NameOrDash "communicator"),
        /// The number of calls.
        pub calls: u64 => (Count "calls"),
        /// The number of calls whose time was measured.
        pub timed: u64,
        /// The seconds in all calls; an estimate if not all were measured.
        pub seconds: f64 => (Time "time"),
        /// The seconds of the shortest measured call; null if none was measured.
        pub min: Option<f64> => (Time "shortest"),
        /// The seconds that half of the measured calls did not exceed: the end of a bin of `durations`, limited to `min` and `max`.
        pub median: Option<f64> => (Time "half within"),
        /// The seconds that 99 of 100 measured calls did not exceed: the end of a bin of `durations`, limited to `min` and `max`.
        pub p99: Option<f64> => (Time "99 % within"),
        /// The seconds of the longest measured call.
        pub max: Option<f64> => (Time "longest"),
        /// The bytes that the calls were given to send, share or write.
        pub bytes: u64 => (Bytes "bytes"),
        /// The measured calls by duration.
        pub durations: Vec<Duration> => (json),
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
        pub(crate) call: String => (Name "call"),
        pub(crate) communicator: Option<String> => (NameOrDash "communicator"),
        pub(crate) seconds_from: f64 => (Time "from"),
        pub(crate) seconds_below: Option<f64> => (Time "below"),
        pub(crate) calls: u64 => (Count "calls"),
    }
}

impl CallTime {
    /// Returns the measured calls by duration as rows.
    pub(crate) fn bins(self) -> impl Iterator<Item = Bin> {
        let Self { call, communicator, durations, .. } = self;
        durations.into_iter().map(move |Duration { from, below, calls }| Bin {
            call: call.clone(),
            communicator: communicator.clone(),
            seconds_from: from,
            seconds_below: below,
            calls,
        })
    }

    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        job.call_times().into_iter().map(|(comm, calls)| Self::of(comm, calls))
    }

    pub(crate) fn of(comm: &CommCalls, calls: &CallTimes) -> Self {
        let of_ns = |ns: u64| seconds(ns as f64);
        let durations = calls.bins().map(|(from, below, calls)| Duration {
            from: of_ns(from),
            below: below.map(of_ns),
            calls,
        });
        Self {
            call: calls.name(),
            communicator: Some(comm.name.clone()).filter(|name| !name.is_empty()),
            calls: calls.sum.count,
            timed: calls.timed,
            seconds: of_ns(calls.sum.ns),
            min: calls.extremes.map(|(min, _)| of_ns(min)),
            median: calls.quantile(0.5).map(of_ns),
            p99: calls.quantile(0.99).map(of_ns),
            max: calls.extremes.map(|(_, max)| of_ns(max)),
            bytes: calls.sum.bytes,
            durations: durations.collect(),
        }
    }
}
