//! The time of a job: its efficiency, calls, and late ranks.

use mpit_format::calls::CALLS;
use mpit_format::summary::{self, Area, CallStat, Efficiency, RankStat, Rating, Summary};
use schemars::JsonSchema;
use serde::Serialize;

use super::number;
use crate::columns::rows;
use crate::rank_times::RankTime;

/// Converts nanoseconds to seconds.
pub(super) fn seconds(ns: f64) -> f64 {
    ns / 1e9
}

/// A time of each rank, in seconds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The mean.
    pub mean: f64,
    /// The smallest one.
    pub min: f64,
    /// The rank that has it.
    pub min_rank: u32,
    /// The largest one.
    pub max: f64,
    /// The rank that has it.
    pub max_rank: u32,
}

impl Times {
    fn of(stat: &RankStat) -> Option<Self> {
        let ((min, min_rank), (max, max_rank)) = (stat.min()?, stat.max()?);
        let (min, max) = (seconds(min as f64), seconds(max as f64));
        Some(Self { mean: seconds(stat.mean()), min, min_rank, max, max_rank })
    }
}

/// An efficiency from 0 to 1.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rated {
    /// The efficiency.
    pub value: f64,
    /// `good`, `fair` or `poor`.
    pub rating: String,
}

impl Rated {
    fn of(value: f64) -> Self {
        Self { value, rating: Rating::of(value).as_str().into() }
    }
}

/// The time of a job.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// The seconds from MPI_Init to MPI_Finalize.
    pub elapsed: Times,
    /// The seconds in MPI.
    pub in_mpi: Times,
    /// The seconds outside of MPI.
    pub useful: Times,
    /// The product of load balance and communication efficiency.
    pub parallel_efficiency: Rated,
    /// The mean of useful time divided by its maximum.
    pub load_balance: Rated,
    /// The maximum of useful time divided by the longest elapsed time.
    pub communication_efficiency: Rated,
}

impl Time {
    pub(crate) fn of(summary: &Summary) -> Option<Self> {
        let Efficiency { parallel, load_balance, communication } = summary.efficiency()?;
        Some(Self {
            elapsed: Times::of(&summary.elapsed)?,
            in_mpi: Times::of(&summary.in_mpi)?,
            useful: Times::of(&summary.useful)?,
            parallel_efficiency: Rated::of(parallel),
            load_balance: Rated::of(load_balance),
            communication_efficiency: Rated::of(communication),
        })
    }
}

rows! {
    /// A call in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct Call {
        pub(crate) fn of(summary: &Summary, call: u16, stat: &CallStat) {
            let known = CALLS.get(usize::from(call));
            let (ns, run) = (stat.time.sum() as f64, summary.elapsed.sum());
            let (longest, rank) = stat.time.max().unwrap_or_default();
        }
        /// The name.
        pub name: String = format!("MPI_{}", known.map_or("", |call| call.name)) => (Name "call"),
        /// The area: `p2p`, `coll`, `osc`, `wait`, `io` or `other`.
        pub area: String = known.map_or(Area::Other, Area::of).as_str().into(),
        /// The number of calls.
        pub calls: u64 = number(stat.count) => (Count "calls"),
        /// The seconds in them, in all ranks.
        pub seconds: f64 = seconds(ns) => (Time "time"),
        /// These seconds divided by the elapsed seconds of all ranks; null if no time was recorded.
        pub share: Option<f64> = if run == 0 { None } else { Some(ns / run as f64) } => (Share "of run"),
        /// The mean of all ranks, in seconds.
        pub mean: f64 = seconds(stat.time.mean_of(summary.processes)) => (Time "mean"),
        /// The smallest time of a rank; 0 if a rank did not make the call.
        pub min: f64 = seconds(summary.least_time(stat) as f64) => (Time "min"),
        /// The largest time of a rank.
        pub max: f64 = seconds(longest as f64) => (Time "max"),
        /// The rank that has it.
        pub max_rank: u32 = rank => (Plain "rank"),
        /// The bytes that the calls were given to send, share or write.
        pub bytes: u64 = number(stat.bytes) => (BytesIfAny "bytes"),
    }
}

impl Call {
    pub(crate) fn all(summary: &Summary) -> Vec<Self> {
        summary
            .longest_calls(usize::MAX)
            .into_iter()
            .map(|(call, stat)| Self::of(summary, call, stat))
            .collect()
    }
}

rows! {
    /// A rank that arrived last in sampled collective operations.
    #[serde(deny_unknown_fields)]
    pub struct Late {
        pub(crate) fn of(one: &summary::Lateness) {}
        /// The rank.
        pub rank: u32 = one.rank => (Name "rank"),
        /// The number of operations in which it was the last one.
        pub last_in: u64 = one.last_in => (Count "last in"),
        /// The share of sampled operations in which it was the last one.
        #[serde(skip)]
        pub last_share: f64 = one.last_in as f64 / one.operations.max(1) as f64 => (shown Share ""),
        /// The number of sampled operations.
        pub operations: u64 = one.operations,
        /// The seconds that all other ranks waited for it.
        pub waited: f64 = seconds(one.waited as f64) => (Time "waited"),
        /// These seconds divided by the seconds of all ranks in sampled operations.
        pub share: f64 = one.share() => (Share "of their time"),
        /// The maximum error in seconds that the comparison of clocks of different machines adds; 0 on one machine.
        pub clock_error: f64 = seconds(one.error as f64),
    }
}

rows! {
    /// The seconds of a rank.
    #[serde(deny_unknown_fields)]
    pub struct RankSeconds {
        pub(crate) fn of(time: &RankTime, longest: u64) {
            let [messages, collectives, one_sided, waits, files, others] = time.areas.map(|ns| seconds(ns as f64));
        }
        /// From MPI_Init to MPI_Finalize.
        pub elapsed: f64 = seconds(time.elapsed as f64) => (Time "elapsed"),
        /// In MPI.
        pub in_mpi: f64 = seconds(time.in_mpi as f64) => (Time "in MPI"),
        /// In sends, receives and waits for messages.
        pub p2p: f64 = messages => (TimeIfAny "p2p"),
        /// In collective operations, and in the creation of communicators.
        pub coll: f64 = collectives => (TimeIfAny "coll"),
        /// In one-sided communication.
        pub osc: f64 = one_sided => (TimeIfAny "osc"),
        /// In waits for requests.
        pub wait: f64 = waits => (TimeIfAny "wait"),
        /// In calls about files.
        pub io: f64 = files => (TimeIfAny "io"),
        /// In other calls.
        pub other: f64 = others => (TimeIfAny "other"),
        /// The share of the longest elapsed time that the rank does not compute: it is in MPI, or has reached MPI_Finalize.
        pub idle_share: f64 = time.idle_share(longest) => (Share "idle"),
    }
}
