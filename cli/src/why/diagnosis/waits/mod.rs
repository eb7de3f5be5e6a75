//! The processes that a call waits for.

mod collectives;
mod creations;
mod locks;
mod messages;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::calls::{CallKind, kind};
use super::super::snapshot::{Call, Comm, CommId, Phase, RankState, Snapshot};
pub(super) use collectives::part_of;
use locks::KeptLocks;

/// The condition under which a call can return.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// Nothing that other processes have to do is missing.
    Ready,
    /// It is not known who has to do something, for the reason that this clause gives.
    Unknown(String),
    On(Edge),
    /// The list may be that of many processes.
    All(Rc<Vec<Self>>),
    Any(Rc<Vec<Self>>),
}

/// A process that another one waits for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) reason: Reason,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason {
    /// It has not entered this collective operation.
    NotEntered(Collective),
    /// It is in another call, which has the same number.
    OtherCall(Collective),
    OtherRoot(Collective),
    OtherAmount(Collective),
    /// It does not send this message. `is_sure` if it never sent an equal one.
    NotSent {
        from_any: bool,
        is_sure: bool,
        tag: Option<i32>,
        comm: CommId,
    },
    /// It does not receive a message.
    NotReceived,
    /// It does not make this call on a file or window.
    NotThere {
        name: String,
    },
    /// It keeps a lock of the window. `is_of_all` if that is one of `MPI_Win_lock_all`.
    Lock {
        is_of_all: bool,
    },
    /// It has not begun or completed an access or exposure epoch.
    Epoch,
    /// It has not started a persistent collective operation as often.
    NotStarted(Collective),
    /// It creates a communicator with this one by the same call, with another tag.
    OtherTag {
        name: String,
    },
    NotFinalizing,
}

/// A collective operation: the call, and the communicator with the operation's number on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Collective {
    pub(super) name: String,
    pub(super) comm: CommId,
    pub(super) number: u64,
}

/// The processes that do not take part in collective operations, by operation, root, amount, and the first of the processes that are
/// waited for.
type Absent = BTreeMap<(Collective, Option<u32>, Option<u64>, Option<u32>), Rc<Vec<Wait>>>;

/// The calls of a snapshot, unchanged for some time. Functions return `None` for a call whose communicator, window or file cannot be compared.
pub(super) struct Waits<'a> {
    snapshot: &'a Snapshot,
    seconds: f64,
    absent: RefCell<Absent>,
    kept_locks: KeptLocks,
}

impl<'a> Waits<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, seconds: f64) -> Self {
        Self { snapshot, seconds, absent: RefCell::default(), kept_locks: KeptLocks::of(snapshot) }
    }

    /// Returns the condition for a process to make progress: one of its threads can.
    pub(super) fn wait_of_rank(&self, rank: &RankState) -> Wait {
        let mut waits = Vec::new();
        for thread in &rank.threads {
            match &thread.call {
                Some(call) => waits.push(self.wait_of_call(rank, call)),
                None => return Wait::Ready,
            }
        }
        match waits.pop() {
            None => Wait::Ready,
            Some(wait) if waits.is_empty() => wait,
            Some(wait) => {
                waits.push(wait);
                Wait::Any(waits.into())
            }
        }
    }

    fn wait_of_call(&self, rank: &RankState, call: &Call) -> Wait {
        let found = match kind(&call.name) {
            CallKind::Message | CallKind::WaitAll => return self.wait_for_all_operations(rank, call),
            // At least one of the messages in the program's buffer is there.
            CallKind::WaitAny | CallKind::Buffered => return self.wait_for_any_operation(rank, call),
            CallKind::CreateGroup => return self.wait_for_group(rank, call),
            CallKind::Lock => return self.kept_locks.wait(rank, call),
            CallKind::Finalize => return self.wait_for_finalize(rank),
            CallKind::Init | CallKind::Other => {
                return unknown("the processes that this call waits for are not known");
            }
            CallKind::Collective(flow) => match numbered(rank, call) {
                Some((comm, number)) => self.wait_of_collective(rank, call, flow, comm, number),
                None => self.wait_for_others_in(rank, call),
            },
            CallKind::File => self.wait_on_file(rank, call),
            CallKind::External(other) => self.wait_for_external(rank, call, other),
            CallKind::Intercomm => self.wait_for_leaders(rank, call),
            CallKind::Epoch => Self::wait_for_any_other(rank, call, &Reason::Epoch),
        };
        found.unwrap_or_else(|| unknown(NO_MEMBERS))
    }

    fn wait_for_finalize(&self, rank: &RankState) -> Wait {
        let is_there =
            |other: u32| self.snapshot.rank(other).is_some_and(|other| other.phase >= Phase::Finalizing);
        let missing = (0..self.snapshot.size).filter(|other| *other != rank.rank && !is_there(*other));
        Wait::All(Rc::new(missing.map(|to| on(to, Reason::NotFinalizing)).collect()))
    }

    /// Returns the other processes that a call on a window concerns: those of its communicator; `None` if it is not known.
    fn other_members(rank: &RankState, call: &Call) -> Option<Vec<u32>> {
        let comm = call.comm.and_then(|id| rank.comm(id))?;
        Some(comm.members.iter().copied().filter(|other| *other != rank.rank).collect())
    }

    /// Returns the wait for one of the other processes: it is not known which.
    fn wait_for_any_other(rank: &RankState, call: &Call, reason: &Reason) -> Option<Wait> {
        let others = Self::other_members(rank, call)?;
        Some(Wait::Any(Rc::new(others.into_iter().map(|to| on(to, reason.clone())).collect())))
    }

    /// Returns the wait of a collective operation on a window, which has no number: for one of the processes that do not make the same
    /// call.
    fn wait_for_others_in(&self, rank: &RankState, call: &Call) -> Option<Wait> {
        let makes_it = |other: &u32| {
            let is_same = |one: &Call| one.name == call.name && one.window == call.window;
            self.snapshot.rank(*other).is_some_and(|other| other.calls().any(is_same))
        };
        let missing: Vec<Wait> = Self::other_members(rank, call)?
            .into_iter()
            .filter(|other| !makes_it(other))
            .map(|to| on(to, Reason::NotThere { name: call.name.clone() }))
            .collect();
        Some(if missing.is_empty() { Wait::Ready } else { Wait::Any(missing.into()) })
    }
}

/// Returns the communicator, window or file of a call, and the number of the collective operation on it.
fn numbered<'a>(rank: &'a RankState, call: &Call) -> Option<(&'a Comm, u64)> {
    call.comm.and_then(|id| rank.comm(id)).zip(call.number)
}

/// The clause for a communicator, window or file that cannot be compared.
const NO_MEMBERS: &str = "the processes of its communicator, window or file are not known";

fn unknown(why: &str) -> Wait {
    Wait::Unknown(why.into())
}

/// Returns the edges of conditions that are each for one process.
fn single_edges(waits: &[Wait]) -> impl Iterator<Item = &Edge> {
    waits.iter().filter_map(|wait| if let Wait::On(edge) = wait { Some(edge) } else { None })
}

fn on(to: u32, reason: Reason) -> Wait {
    Wait::On(Edge { to, reason })
}
