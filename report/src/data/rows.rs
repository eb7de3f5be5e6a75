//! The rows of the tables.

use std::collections::BTreeSet;

use mpit_format::profile::About;
use mpit_format::rows::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use super::{RankSeconds, number, numbers};
use crate::comm_groups::CommGroup;
use crate::job::Job;
use crate::nodes;
use crate::ranks::{RankTraffic, traffic};

/// A fact about the job.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The kind: `program`, `command`, `slurm_job`, `slurm_step`, `slurm_nodes`, `mpi`, `mpit` or `not_recorded`.
    pub key: String,
    /// The fact.
    pub value: String,
}

impl Fact {
    pub(super) fn of(about: &About) -> Self {
        Self { key: about.key.clone(), value: about.value.clone() }
    }
}

/// A range of ranks without data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The first rank.
    pub first: u32,
    /// The last rank.
    pub last: u32,
    /// The reason; null if there is no file.
    pub reason: Option<String>,
}

impl Missing {
    pub(crate) fn of(missing: &crate::Missing) -> Self {
        Self { first: missing.first, last: missing.last, reason: missing.reason.clone() }
    }
}

/// A machine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// The name.
    pub name: String,
    /// The number of ranks.
    pub ranks: u32,
}

/// The traffic from the ranks of a machine to those of another one, or of the same one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodePair {
    /// The machine of the senders.
    pub from: String,
    /// The machine of the receivers.
    pub to: String,
    /// The number of messages and operations.
    pub messages: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl NodePair {
    pub(crate) fn of(pair: &nodes::NodePair<'_>) -> Self {
        Self { from: pair.from.into(), to: pair.to.into(), messages: pair.count, bytes: pair.bytes }
    }
}

/// The traffic of one kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindTotal {
    /// The letter of the kind: E, I, S, R or C.
    pub kind: char,
    /// The number of messages and operations.
    pub messages: u64,
    /// The sum of bytes.
    pub bytes: u64,
    /// The number of pairs of ranks.
    pub pairs: u64,
}

impl KindTotal {
    pub(super) fn of(job: &Job, kind: Kind) -> Option<Self> {
        let pairs = job.matrix(kind).pairs();
        let (messages, bytes) = numbers(job.total(kind));
        if pairs == 0 { None } else { Some(Self { kind: kind.letter(), messages, bytes, pairs }) }
    }
}

/// A rank. Messages and bytes are those of the program's operations: kinds E, S, R and C.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The rank in the world.
    pub rank: u32,
    /// The machine; null if it is not known.
    pub host: Option<String>,
    /// The number of messages and operations from the rank.
    pub messages_out: u64,
    /// The bytes from the rank.
    pub bytes_out: u64,
    /// The number of messages and operations to the rank.
    pub messages_in: u64,
    /// The bytes to the rank.
    pub bytes_in: u64,
    /// Its time; null if no time was recorded.
    pub seconds: Option<RankSeconds>,
}

impl Rank {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let traffic = traffic(job);
        let of = |rank: u32| Self::of(job, rank, traffic.get(&rank).copied().unwrap_or_default());
        let ranks: BTreeSet<u32> = job.ranks().iter().chain(traffic.keys()).copied().collect();
        ranks.into_iter().map(of).collect()
    }

    fn of(job: &Job, rank: u32, traffic: RankTraffic) -> Self {
        let time = job.times.get(&rank);
        let longest = job.summary.elapsed.max().map_or(0, |(longest, _)| longest);
        Self {
            rank,
            host: job.nodes.of(rank).map(str::to_owned),
            messages_out: traffic.count_out,
            bytes_out: traffic.bytes_out,
            messages_in: traffic.count_in,
            bytes_in: traffic.bytes_in,
            seconds: time.map(|time| RankSeconds::of(time, longest)),
        }
    }
}

/// The communicators with the same name and size.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comm {
    /// The name.
    pub name: String,
    /// The number of processes of each.
    pub size: u32,
    /// The number of different lists of members.
    pub communicators: u32,
    /// The collective operations from one process to all, started by all processes.
    pub o2a: u64,
    /// Their bytes.
    pub o2a_bytes: u64,
    /// The collective operations from all processes to one.
    pub a2o: u64,
    /// Their bytes.
    pub a2o_bytes: u64,
    /// The collective operations from all processes to all.
    pub a2a: u64,
    /// Their bytes.
    pub a2a_bytes: u64,
}

impl Comm {
    pub(crate) fn of(comm: &CommGroup) -> Self {
        let [from_one, to_one, among_all] = comm.collectives.in_order().map(numbers);
        Self {
            name: comm.name.clone(),
            size: comm.size,
            communicators: comm.groups,
            o2a: from_one.0,
            o2a_bytes: from_one.1,
            a2o: to_one.0,
            a2o_bytes: to_one.1,
            a2a: among_all.0,
            a2a_bytes: among_all.1,
        }
    }
}

/// The messages of a range of sizes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// The smallest size in bytes.
    pub bytes_from: u64,
    /// The size above the largest one; null if that is 2^64.
    pub bytes_below: Option<u64>,
    /// The number of messages.
    pub messages: u64,
}

impl Size {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let bins = job.sizes.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        let size = |(at, count): (u32, &u128)| Self {
            bytes_from: if at == 0 { 0 } else { 1_u64.checked_shl(at - 1).unwrap_or(u64::MAX) },
            bytes_below: 1_u64.checked_shl(at),
            messages: number(*count),
        };
        (0..).zip(&job.sizes[..bins]).map(size).collect()
    }
}

/// The traffic of one kind from a rank to another one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The letter of the kind: E, I, S, R or C.
    pub kind: char,
    /// The rank that sends.
    pub from: u32,
    /// The rank that receives.
    pub to: u32,
    /// The number of messages and operations.
    pub messages: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl Pair {
    pub(super) fn all(job: &Job, kind: Kind) -> impl Iterator<Item = Self> {
        job.matrix(kind).cells().map(move |cell| Self {
            kind: kind.letter(),
            from: cell.from,
            to: cell.to,
            messages: cell.count,
            bytes: cell.bytes,
        })
    }
}
