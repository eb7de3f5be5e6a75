//! The state of a job's processes at one time: the calls that they are in, and what the system says of them.
//!
//! Also the format of `mpit why --save`, so that several nodes' parts can be put together.

use mpit_components::store::current::Sends;
use serde::{Deserialize, Serialize};

/// The processes of one world, on one node or several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The number of processes in the world.
    pub(crate) size: u32,
    /// The processes that were seen, in the order of their ranks.
    pub(crate) ranks: Vec<RankState>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RankState {
    pub(crate) rank: u32,
    pub(crate) host: String,
    pub(crate) pid: u32,
    pub(crate) process: Process,
    pub(crate) phase: Phase,
    /// The threads that have called MPI and still exist.
    pub(crate) threads: Vec<Thread>,
    pub(crate) comms: Vec<Comm>,
    /// A Bloom filter of the messages that it has sent. It may have more messages than were sent, and never fewer; empty if it is not known.
    pub(crate) sends: Vec<u64>,
    /// The locks of windows that it has requested and not released.
    #[serde(default)]
    pub(crate) locks: Vec<Lock>,
    /// The persistent collective operations whose requests are known.
    #[serde(default)]
    pub(crate) persistent: Vec<Persistent>,
}

/// A persistent collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Persistent {
    pub(crate) comm: CommId,
    /// The number of its initialization among the collective operations on the communicator.
    pub(crate) number: u64,
    pub(crate) starts: u64,
}

/// A lock of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Lock {
    /// The number of the window, as in [`Call::window`].
    pub(crate) window: u64,
    pub(crate) target: LockTarget,
    /// False for a shared lock.
    pub(crate) is_exclusive: bool,
    /// True if the process has completed an access under the lock. Before, its library may not have requested it.
    pub(crate) is_granted: bool,
}

/// The processes whose memory is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LockTarget {
    /// A rank in the window's communicator.
    Rank(u32),
    /// All of the window, by `MPI_Win_lock_all`.
    All,
}

/// The state of a process, as the system shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) state: ProcessState,
    /// The processor time that it has used.
    pub(crate) cpu_seconds: f64,
    /// The system call that its main thread is in.
    pub(crate) system_call: Option<String>,
}

/// The processor time in which a call notices that it can return. The system counts in steps of 10 milliseconds.
const ENOUGH_SECONDS: f64 = 0.02;

/// The number of context switches of a thread in which its call does, if that yields the processor.
const ENOUGH_SWITCHES: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProcessState {
    #[default]
    Running,
    Sleeping,
    /// By a signal or a debugger.
    Stopped,
    Gone,
}

/// The progress of a process through MPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phase {
    /// It has not left `MPI_Init`.
    #[default]
    Starting,
    Initialized,
    /// It has reached `MPI_Finalize`.
    Finalizing,
    /// It has left `MPI_Finalize`.
    Finalized,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: u32,
    /// Grows with each call.
    pub(crate) sequence: u64,
    /// The number of times that another thread got its processor, also because it waited or yielded.
    #[serde(default)]
    pub(crate) context_switches: u64,
    /// The call that the thread is in.
    pub(crate) call: Option<Call>,
    /// The number of calls that tested for the state of an operation.
    #[serde(default)]
    pub(crate) polls: u64,
    /// The last one of these calls.
    pub(crate) poll: Option<Call>,
    /// The number of these calls since the snapshot before, while the thread was in no other call.
    #[serde(default)]
    pub(crate) new_polls: u64,
}

/// A call that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The name of the function, such as `MPI_Allreduce`.
    pub(crate) name: String,
    /// The communicator of a collective operation, or of a window.
    pub(crate) comm: Option<CommId>,
    /// The number of the collective operation on the communicator, from 1.
    pub(crate) number: Option<u64>,
    /// The root's rank in its group.
    pub(crate) root: Option<u32>,
    /// True if the process is the root of an operation on an intercommunicator.
    #[serde(default)]
    pub(crate) is_root: bool,
    /// The amount of data, where all processes must give the same.
    pub(crate) bytes: Option<u64>,
    /// A number of the window that is equal in all its processes.
    pub(crate) window: Option<u64>,
    /// The target of a lock, in the window's communicator.
    pub(crate) target: Option<u32>,
    /// The operations that the call waits for: of a send or receive its own, of a wait those of its requests.
    pub(crate) operations: Vec<Operation>,
    /// True if there are operations or members of the group that the record has no place for.
    pub(crate) has_more: bool,
    /// The tag of the creation of a communicator.
    pub(crate) tag: Option<i32>,
    /// The local leader of `MPI_Intercomm_create`, in the communicator of the call.
    pub(crate) leader: Option<u32>,
    /// The other group's leader: the communicator of both leaders, and the rank there.
    pub(crate) remote_leader: Option<(CommId, u32)>,
    /// The ranks in the world of the group of `MPI_Comm_create_group`.
    #[serde(default)]
    pub(crate) group: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Operation {
    pub(crate) kind: OperationKind,
    pub(crate) comm: CommId,
    /// The peer's rank in the communicator; `None` for `MPI_ANY_SOURCE`.
    pub(crate) peer: Option<u32>,
    /// `None` for `MPI_ANY_TAG`.
    pub(crate) tag: Option<i32>,
    /// The number of a collective operation on the communicator.
    pub(crate) number: Option<u64>,
    /// The function that began the operation; empty if it is not known.
    pub(crate) name: String,
    /// The number of starts of a persistent collective operation, whose `number` is that of its initialization.
    pub(crate) starts: Option<u64>,
    /// The numbers of partitions of a message: those that are ready, and all.
    pub(crate) partitions: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OperationKind {
    Send,
    Receive,
    Collective,
    /// It is not known which processes the operation needs.
    #[default]
    Other,
}

/// The identity of a communicator, equal in all its processes: derived from its parent and its place among the parent's
/// children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct CommId(pub(crate) u64);

/// A communicator, or an open file with the processes that opened it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comm {
    pub(crate) id: CommId,
    /// The handle in this process, which its filter of sent messages uses.
    pub(crate) handle: u64,
    pub(crate) name: String,
    /// The ranks of its members in the world, in its order; for a communicator between groups, those of the remote group.
    pub(crate) members: Vec<u32>,
    /// The number of collective operations that the process has entered.
    pub(crate) entered: u64,
    /// The rank of the process in its own group; `None` for files and if it is the place among the members.
    pub(crate) rank: Option<u32>,
    /// True for a communicator between groups.
    #[serde(default)]
    pub(crate) is_remote: bool,
    /// The last operations among those that a process may leave, or begin without a wait, before others enter them.
    #[serde(default)]
    pub(crate) begun: Vec<BegunCollective>,
}

/// A collective operation that a process has begun. It may have left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BegunCollective {
    pub(crate) name: String,
    pub(crate) number: u64,
    pub(crate) root: Option<u32>,
    pub(crate) is_root: bool,
}

impl Comm {
    /// Returns the rank of a process of this communicator, which others use for messages to it.
    pub(crate) fn rank_of_owner(&self, owner: u32) -> Option<u32> {
        let place = || self.members.iter().position(|member| *member == owner).map(|place| place as u32);
        self.rank.or_else(place)
    }

    /// Returns the rank in the world of the root of an operation of a process; `None` if it has none or does not know it.
    pub(crate) fn world_root(&self, owner: u32, root: Option<u32>, is_root: bool) -> Option<u32> {
        if is_root { Some(owner) } else { self.members.get(root? as usize).copied() }
    }
}

impl Lock {
    /// Returns true if two processes cannot have these locks at the same time.
    pub(crate) fn excludes(self, other: Self) -> bool {
        let have_same_target = match (self.target, other.target) {
            (LockTarget::Rank(one), LockTarget::Rank(other)) => one == other,
            _ => true,
        };
        self.window == other.window && have_same_target && (self.is_exclusive || other.is_exclusive)
    }
}

impl Snapshot {
    pub(crate) fn rank(&self, rank: u32) -> Option<&RankState> {
        let at = self.ranks.binary_search_by_key(&rank, |one| one.rank).ok()?;
        self.ranks.get(at)
    }

    /// Returns true if all processes were seen.
    pub(crate) fn is_whole(&self) -> bool {
        self.ranks.len() >= self.size as usize
    }

    /// Returns the ranks without a process in the snapshot.
    pub(crate) fn missing(&self) -> Vec<u32> {
        (0..self.size).filter(|rank| self.rank(*rank).is_none()).collect()
    }

    /// Compares the numbers of tests with those of an earlier snapshot.
    pub(crate) fn count_polls(&mut self, before: &Self) {
        for rank in &mut self.ranks {
            let Some(earlier) = before.rank(rank.rank) else { continue };
            for thread in &mut rank.threads {
                let earlier = earlier.threads.iter().find(|earlier| earlier.id == thread.id);
                let is_same =
                    |earlier: &&Thread| earlier.sequence == thread.sequence && thread.call.is_none();
                thread.new_polls =
                    earlier.filter(is_same).map_or(0, |earlier| thread.polls.saturating_sub(earlier.polls));
            }
        }
    }

    /// Adds the processes of another node.
    pub(crate) fn merge(&mut self, other: Self) {
        self.size = self.size.max(other.size);
        self.ranks.extend(other.ranks);
        self.ranks.sort_by_key(|one| one.rank);
        self.ranks.dedup_by_key(|one| one.rank);
    }
}

impl RankState {
    pub(crate) fn comm(&self, id: CommId) -> Option<&Comm> {
        self.comms.iter().find(|comm| comm.id == id)
    }

    /// Returns the last test of a thread that has done nothing else since the snapshot before, and the number of tests.
    pub(crate) fn poll(&self) -> Option<(&Call, u64)> {
        let polling = self.threads.iter().find(|thread| thread.new_polls > 0)?;
        Some((polling.poll.as_ref()?, polling.new_polls))
    }

    /// Returns true if it is sure that the process has not sent a message to this rank of a communicator with this tag.
    pub(crate) fn has_not_sent(&self, comm: CommId, peer: u32, tag: i32) -> bool {
        let sends = Sends::from_words(self.sends.clone());
        self.comm(comm).is_some_and(|comm| !sends.may_contain_message(comm.handle, peer, tag))
    }

    /// Returns the locks that a call on a window needs.
    pub(crate) fn locks_for(&self, call: &Call) -> Vec<Lock> {
        let own = || self.locks.iter().filter(|lock| Some(lock.window) == call.window);
        match (call.window, call.target.map(LockTarget::Rank)) {
            (Some(window), Some(target)) => {
                let is_exclusive = own().any(|lock| lock.target == target && lock.is_exclusive);
                vec![Lock { window, target, is_exclusive, is_granted: false }]
            }
            _ => own().map(|lock| Lock { is_granted: false, ..*lock }).collect(),
        }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.threads.iter().filter_map(|thread| thread.call.as_ref())
    }

    /// Returns true if neither a call began or ended, nor a thread began or ended, between two snapshots.
    pub(crate) fn is_unchanged_since(&self, before: &Self) -> bool {
        let threads = |rank: &Self| -> Vec<_> {
            rank.threads.iter().map(|thread| (thread.id, thread.sequence)).collect()
        };
        self.pid == before.pid && self.phase == before.phase && threads(self) == threads(before)
    }

    /// Returns true if the process is ready to run in its calls, and a busy machine gave it too little processor time between two
    /// snapshots to show that these do not end. Calls that yield the processor use little time, but get it many times.
    pub(crate) fn is_starved_since(&self, before: &Self) -> bool {
        let is_in_calls = !self.threads.is_empty() && self.threads.iter().all(|thread| thread.call.is_some());
        let mut threads = self.threads.iter().zip(&before.threads);
        is_in_calls
            && self.process.state == ProcessState::Running
            && self.is_unchanged_since(before)
            && self.process.cpu_seconds - before.process.cpu_seconds < ENOUGH_SECONDS
            && threads.any(|(now, before)| {
                now.context_switches.saturating_sub(before.context_switches) < ENOUGH_SWITCHES
            })
    }
}
