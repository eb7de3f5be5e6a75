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
        /// The machine of the senders.
        pub from: String => (Name "from"),
        /// The machine of the receivers.
        pub to: String => (Name "to"),
        /// The number of messages and operations.
        pub messages: u64 => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 => (Exact "bytes"),
    }
}

impl NodePair {
    pub(crate) fn of(pair: &nodes::NodePair<'_>) -> Self {
        Self { from: pair.from.into(), to: pair.to.into(), messages: pair.count, bytes: pair.bytes }
    }
}

rows! {
    /// The traffic of one kind.
    #[serde(deny_unknown_fields)]
    pub struct KindTotal {
        /// The letter of the kind: E, I, S, R or C.
        pub kind: char => (Name ""),
        /// The name of the kind.
        #[serde(skip)]
        pub name: String => (shown Name "kind"),
        /// The number of messages and operations.
        pub messages: u64 => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 => (Exact "bytes"),
        /// The number of pairs of ranks.
        pub pairs: u64 => (Count "pairs"),
    }
}

impl KindTotal {
    pub(crate) fn of(job: &Job, kind: Kind) -> Option<Self> {
        let pairs = job.matrix(kind).pairs();
        let (messages, bytes) = numbers(job.total(kind));
        if pairs == 0 {
            None
        } else {
            Some(Self { kind: kind.letter(), name: kind.to_string(), messages, bytes, pairs })
        }
    }
}

rows! {
    /// A rank. Messages and bytes are those of the program's operations: kinds E, S, R and C.
    #[serde(deny_unknown_fields)]
    pub struct Rank {
        /// The rank in the world.
        pub rank: u32 => (Name "rank"),
        /// The machine; null if it is not known.
        pub host: Option<String> => (Name "node"),
        /// The number of messages and operations from the rank.
        pub messages_out: u64 => (Count "messages out"),
        /// The bytes from the rank.
        pub bytes_out: u64 => (Bytes "bytes"),
        /// The number of messages and operations to the rank.
        pub messages_in: u64 => (Count "messages in"),
        /// The bytes to the rank.
        pub bytes_in: u64 => (Bytes "bytes"),
        /// Its time; null if no time was recorded.
        pub seconds: Option<RankSeconds> => (maybe RankSeconds),
    }
}

impl Rank {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let traffic = traffic(job);
        let of = |rank: u32| Self::of(job, rank, traffic.get(&rank).copied().unwrap_or_default());
        let ranks: BTreeSet<u32> = job.ranks().iter().chain(traffic.keys()).copied().collect();
        ranks.into_iter().map(of).collect()
    }

    pub(crate) fn of(job: &Job, rank: u32, traffic: RankTraffic) -> Self {
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

rows! {
    /// The communicators with the same name and size.
    #[serde(deny_unknown_fields)]
    pub struct Comm {
        /// The name.
        pub name: String => (Name "communicator"),
        /// The number of processes of each.
        pub size: u32 => (Plain "size"),
        /// The number of different lists of members.
        pub communicators: u32 => (Plain "how many"),
        /// The collective operations from one process to all, started by all processes.
        pub o2a: u64 => (Count "O2A"),
        /// Their bytes.
        pub o2a_bytes: u64 => (Count "bytes"),
        /// The collective operations from all processes to one.
        pub a2o: u64 => (Count "A2O"),
        /// Their bytes.
        pub a2o_bytes: u64 => (Count "bytes"),
        /// The collective operations from all processes to all.
        pub a2a: u64 => (Count "A2A"),
        /// Their bytes.
        pub a2a_bytes: u64 => (Count "bytes"),
    }
}

impl Comm {
    pub(crate) fn of(comm: &CommGroup) -> Self {
        let [from_one, to_one, among_all] = comm.collectives.map(numbers);
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

rows! {
    /// The messages of a range of sizes.
    #[serde(deny_unknown_fields)]
    pub struct Size {
        /// The sizes as text.
        #[serde(skip)]
        pub range: String => (shown Plain "bytes"),
        /// The smallest size in bytes.
        pub bytes_from: u64,
        /// The size above the largest one; null if that is 2^64.
        pub bytes_below: Option<u64>,
        /// The number of messages.
        pub messages: u64 => (Count "messages"),
    }
}

impl Size {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let bins = job.sizes.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        let size = |(at, count): (u32, &u128)| Self {
            range: bin(at as usize),
            bytes_from: if at == 0 { 0 } else { 1_u64.checked_shl(at - 1).unwrap_or(u64::MAX) },
            bytes_below: 1_u64.checked_shl(at),
            messages: number(*count),
        };
        (0..).zip(&job.sizes[..bins]).map(size).collect()
    }
}

rows! {
    /// The traffic of one kind from a rank to another one.
    #[serde(deny_unknown_fields)]
    pub struct Pair {
        /// The letter of the kind: E, I, S, R or C.
        pub kind: char => (Name ""),
        /// The rank that sends.
        pub from: u32 => (Plain "from"),
        /// The rank that receives.
        pub to: u32 => (Plain "to"),
        /// The number of messages and operations.
        pub messages: u64 => (Count "messages"),
        /// The sum of bytes.
        pub bytes: u64 => (Exact "bytes"),
        /// The mean number of bytes.
        #[serde(skip)]
        pub average: u64 => (shown Bytes "average"),
    }
}

impl Pair {
    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().flat_map(|kind| job.matrix(kind).cells().map(move |cell| Self::of(kind, cell)))
    }

    pub(crate) fn of(kind: Kind, cell: Cell) -> Self {
        let Cell { from, to, count: messages, bytes } = cell;
        Self { kind: kind.letter(), from, to, messages, bytes, average: bytes / messages.max(1) }
    }
}
