//! The rows of the tables.

use std::collections::BTreeSet;

use mpit_format::profile::About;
use mpit_format::rows::Kind;
use mpit_placement::Cell;
use schemars::JsonSchema;
use serde::Serialize;

use super::{RankSeconds, number, numbers};
use crate::columns::rows;
use crate::comm_groups::CommGroup;
use crate::job::Job;
use crate::nodes;
use crate::ranks::{RankTraffic, traffic};
use crate::units::bin;

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

/// A machine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// The name.
    pub name: String,
    /// The number of ranks.
    pub ranks: u32,
}

rows! {
    /// The traffic from the ranks of a machine to those of another one, or of the same one.
    #[serde(deny_unknown_fields)]
    pub struct NodePair {
        pub(crate) fn of(pair: &nodes::NodePair<'_>) {}
        /// The machine of the senders.
        pub from: String = pair.from.into() => (Name "from"),
        /// The machine of the receivers.
        pub to: String = pair.to.into() => (Name "to"),
        /// The number of messages and operations.
        pub messages: u64 = pair.count => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 = pair.bytes => (Exact "bytes"),
    }
}

rows! {
    /// The traffic of one kind.
    #[serde(deny_unknown_fields)]
    pub struct KindTotal {
        pub(crate) fn of(job: &Job, of: Kind) {
            let total = job.summary.total(&[of]);
        }
        /// The letter of the kind: E, I, S, R or C.
        pub kind: char = of.letter() => (Name ""),
        /// The name of the kind.
        #[serde(skip)]
        pub name: String = of.to_string() => (shown Name "kind"),
        /// The number of messages and operations.
        pub messages: u64 = number(total.count) => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 = number(total.bytes) => (Exact "bytes"),
        /// The number of pairs of ranks.
        pub pairs: u64 = job.matrix(of).pairs() => (Count "pairs"),
    }
}

impl KindTotal {
    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().map(|kind| Self::of(job, kind)).filter(|total| total.pairs > 0)
    }
}

rows! {
    /// A rank. Messages and bytes are those of the program's operations: kinds E, S, R and C.
    #[serde(deny_unknown_fields)]
    pub struct Rank {
        pub(crate) fn of(job: &Job, of: u32, traffic: RankTraffic) {
            let longest = job.summary.elapsed.max().map_or(0, |(longest, _)| longest);
            let time = job.times.get(&of);
        }
        /// The rank in the world.
        pub rank: u32 = of => (Name "rank"),
        /// The machine; null if it is not known.
        pub host: Option<String> = job.nodes.of(of).map(str::to_owned) => (Name "node"),
        /// The number of messages and operations from the rank.
        pub messages_out: u64 = traffic.count_out => (Count "messages out"),
        /// The bytes from the rank.
        pub bytes_out: u64 = traffic.bytes_out => (Bytes "bytes"),
        /// The number of messages and operations to the rank.
        pub messages_in: u64 = traffic.count_in => (Count "messages in"),
        /// The bytes to the rank.
        pub bytes_in: u64 = traffic.bytes_in => (Bytes "bytes"),
        /// Its time; null if no time was recorded.
        pub seconds: Option<RankSeconds> = time.map(|time| RankSeconds::of(time, longest)) => (maybe RankSeconds),
    }
}

impl Rank {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let traffic = traffic(job);
        let of = |rank: u32| Self::of(job, rank, traffic.get(&rank).copied().unwrap_or_default());
        let ranks: BTreeSet<u32> = job.ranks().iter().chain(traffic.keys()).copied().collect();
        ranks.into_iter().map(of).collect()
    }
}

rows! {
    /// The communicators with the same name and size.
    #[serde(deny_unknown_fields)]
    pub struct Comm {
        pub(crate) fn of(comm: &CommGroup) {
            let [from_one, to_one, among_all] = comm.collectives.map(numbers);
        }
        /// The name.
        pub name: String = comm.name.clone() => (Name "communicator"),
        /// The number of processes of each.
        pub size: u32 = comm.size => (Plain "size"),
        /// The number of different lists of members.
        pub communicators: u32 = comm.groups => (Plain "how many"),
        /// The collective operations from one process to all, started by all processes.
        pub o2a: u64 = from_one.0 => (Count "O2A"),
        /// Their bytes.
        pub o2a_bytes: u64 = from_one.1 => (Count "bytes"),
        /// The collective operations from all processes to one.
        pub a2o: u64 = to_one.0 => (Count "A2O"),
        /// Their bytes.
        pub a2o_bytes: u64 = to_one.1 => (Count "bytes"),
        /// The collective operations from all processes to all.
        pub a2a: u64 = among_all.0 => (Count "A2A"),
        /// Their bytes.
        pub a2a_bytes: u64 = among_all.1 => (Count "bytes"),
    }
}

rows! {
    /// The messages of a range of sizes.
    #[serde(deny_unknown_fields)]
    pub struct Size {
        pub(crate) fn of(at: u32, count: u128) {}
        /// The sizes as text.
        #[serde(skip)]
        pub range: String = bin(at as usize) => (shown Plain "bytes"),
        /// The smallest size in bytes.
        pub bytes_from: u64 = if at == 0 { 0 } else { 1_u64.checked_shl(at - 1).unwrap_or(u64::MAX) },
        /// The size above the largest one; null if that is 2^64.
        pub bytes_below: Option<u64> = 1_u64.checked_shl(at),
        /// The number of messages.
        pub messages: u64 = number(count) => (Count "messages"),
    }
}

impl Size {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let bins = job.sizes.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        (0..).zip(&job.sizes[..bins]).map(|(at, count)| Self::of(at, *count)).collect()
    }
}

rows! {
    /// The traffic of one kind from a rank to another one.
    #[serde(deny_unknown_fields)]
    pub struct Pair {
        pub(crate) fn of(of: Kind, cell: Cell) {}
        /// The letter of the kind: E, I, S, R or C.
        pub kind: char = of.letter() => (Name ""),
        /// The rank that sends.
        pub from: u32 = cell.from => (Plain "from"),
        /// The rank that receives.
        pub to: u32 = cell.to => (Plain "to"),
        /// The number of messages and operations.
        pub messages: u64 = cell.count => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 = cell.bytes => (Exact "bytes"),
        /// The mean number of bytes.
        #[serde(skip)]
        pub average: u64 = cell.bytes / cell.count.max(1) => (shown Bytes "average"),
    }
}

impl Pair {
    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().flat_map(|kind| job.matrix(kind).cells().map(move |cell| Self::of(kind, cell)))
    }
}
