//! The processes that a call waits for.

mod collectives;
mod locks;
mod messages;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::calls::{CallKind, kind};
use super::super::snapshot::{Call, CommId, Phase, RankState, Snapshot};
use locks::KeptLocks;

/// The condition under which a call can return.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// Nothing that other processes have to do is missing, as far as is known.
    Ready,
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
    NotFinalizing,
}

/// A collective operation: the call, and the communicator with the operation's number on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Collective {
    pub(super) name: String,
    pub(super) comm: CommId,
    pub(super) number: u64,
}

/// The processes that do not take part in collective operations, by operation, root and amount.
type Absent = BTreeMap<(Collective, Option<u32>, Option<u64>), Rc<Vec<Wait>>>;

/// The calls of a snapshot, unchanged for some time.
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
        match kind(&call.name) {
            CallKind::Message | CallKind::WaitAll => self.wait_for_all_operations(rank, call),
            // An operation that the record has no place for may be complete.
            CallKind::WaitAny if call.has_more => Wait::Ready,
            CallKind::WaitAny => Wait::Any(self.waits_of_operations(rank, call).into()),
            CallKind::Collective(flow) => match (call.comm.and_then(|id| rank.comm(id)), call.number) {
                (Some(comm), Some(number)) => self.wait_of_collective(rank, call, flow, comm, number),
                _ => self.wait_for_others_in(rank, call),
            },
            CallKind::Lock => self.kept_locks.wait(rank, call),
            CallKind::Epoch => Self::wait_for_any_other(rank, call, &Reason::Epoch),
            CallKind::Finalize => {
                let is_there = |other: u32| {
                    self.snapshot.rank(other).is_some_and(|other| other.phase >= Phase::Finalizing)
                };
                let missing = self.others(rank).filter(|other| !is_there(*other));
                Wait::All(Rc::new(missing.map(|to| on(to, Reason::NotFinalizing)).collect()))
            }
            CallKind::Init | CallKind::Other => Wait::Ready,
        }
    }

    fn others(&self, rank: &RankState) -> impl Iterator<Item = u32> {
        let own = rank.rank;
        (0..self.snapshot.size).filter(move |other| *other != own)
    }

    /// Returns the other processes that a call on a window concerns: those of its communicator; `None` if it is not known.
    fn other_members(rank: &RankState, call: &Call) -> Option<Vec<u32>> {
        let comm = call.comm.and_then(|id| rank.comm(id))?;
        Some(comm.members.iter().copied().filter(|other| *other != rank.rank).collect())
    }

    /// Returns the wait for one of the other processes: it is not known which.
    fn wait_for_any_other(rank: &RankState, call: &Call, reason: &Reason) -> Wait {
        let Some(others) = Self::other_members(rank, call) else { return Wait::Ready };
        Wait::Any(Rc::new(others.into_iter().map(|to| on(to, reason.clone())).collect()))
    }

    /// Returns the wait of a collective operation on a window, which has no number: for one of the processes that do not make the same
    /// call. The processes of a file are not known; it may be that of one process, which writes much.
    fn wait_for_others_in(&self, rank: &RankState, call: &Call) -> Wait {
        let makes_it = |other: &u32| {
            let is_same = |one: &Call| one.name == call.name && one.window == call.window;
            self.snapshot.rank(*other).is_some_and(|other| other.calls().any(is_same))
        };
        let Some(others) = Self::other_members(rank, call) else { return Wait::Ready };
        let missing: Vec<Wait> = others
            .into_iter()
            .filter(|other| !makes_it(other))
            .map(|to| on(to, Reason::NotThere { name: call.name.clone() }))
            .collect();
        if missing.is_empty() { Wait::Ready } else { Wait::Any(missing.into()) }
    }
}

fn on(to: u32, reason: Reason) -> Wait {
    Wait::On(Edge { to, reason })
}
