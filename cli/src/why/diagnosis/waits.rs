//! The processes that a call waits for.

use super::super::calls::{Flow, Kind, has_equal_amounts, kind};
use super::super::snapshot::{
    Call, Comm, CommId, Destination, Operation, OperationKind, Phase, RankState, Snapshot,
};

/// The condition under which a call can return.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// Nothing that other processes have to do is missing, as far as is known.
    Ready,
    On(Edge),
    All(Vec<Self>),
    Any(Vec<Self>),
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
    /// It has not sent this message. `is_sure` unless an earlier message may have been equal.
    NotSent {
        comm: CommId,
        tag: Option<i32>,
        from_any: bool,
        is_sure: bool,
    },
    /// It does not receive this message.
    NotReceived {
        comm: CommId,
        tag: Option<i32>,
    },
    /// It does not make this call on a file or window.
    NotThere {
        name: String,
    },
    /// It may hold a lock of the window.
    Lock,
    /// It has not begun or completed an access or exposure epoch.
    Epoch,
    NotInitialized,
    NotFinalizing,
}

/// A collective operation: the call, and the communicator with the operation's number on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Collective {
    pub(super) name: String,
    pub(super) comm: CommId,
    pub(super) number: u64,
}

/// Returns the condition for a process to go on: one of its threads can.
pub(super) fn of_rank(snapshot: &Snapshot, rank: &RankState) -> Wait {
    if rank.phase == Phase::Starting {
        return on_all(others(snapshot, rank), |other| {
            if snapshot.rank(other).is_some() { None } else { Some(Reason::NotInitialized) }
        });
    }
    let mut waits = Vec::new();
    for thread in &rank.threads {
        match &thread.call {
            Some(call) => waits.push(of_call(snapshot, rank, call)),
            None => return Wait::Ready,
        }
    }
    if waits.len() == 1 { waits.remove(0) } else { Wait::Any(waits) }
}

fn others(snapshot: &Snapshot, rank: &RankState) -> impl Iterator<Item = u32> {
    let own = rank.rank;
    (0..snapshot.size).filter(move |other| *other != own)
}

fn on_all(ranks: impl Iterator<Item = u32>, reason: impl Fn(u32) -> Option<Reason>) -> Wait {
    let edges = ranks.filter_map(|to| reason(to).map(|reason| Wait::On(Edge { to, reason }))).collect();
    Wait::All(edges)
}

fn of_call(snapshot: &Snapshot, rank: &RankState, call: &Call) -> Wait {
    let comm = call.comm.and_then(|id| rank.comm(id));
    match kind(&call.name) {
        Kind::Message | Kind::WaitAll => of_all_operations(snapshot, rank, call),
        // An operation that the record has no place for may be complete.
        Kind::WaitAny if call.has_more => Wait::Ready,
        Kind::WaitAny => Wait::Any(of_operations(snapshot, rank, call)),
        Kind::Collective(flow) => match (comm, call.number) {
            (Some(comm), Some(number)) => of_collective(snapshot, rank, call, flow, comm, number),
            _ => of_others_in(snapshot, rank, call),
        },
        Kind::Lock => of_any_other(snapshot, rank, call, &Reason::Lock),
        Kind::Epoch => of_any_other(snapshot, rank, call, &Reason::Epoch),
        Kind::Finalize => on_all(others(snapshot, rank), |other| {
            let is_there = snapshot.rank(other).is_some_and(|other| other.phase >= Phase::Finalizing);
            if is_there { None } else { Some(Reason::NotFinalizing) }
        }),
        Kind::Init | Kind::Other => Wait::Ready,
    }
}

/// Returns the other processes that a call on a file or window concerns: those of its communicator, or all if it is not known.
fn concerned(snapshot: &Snapshot, rank: &RankState, call: &Call) -> Vec<u32> {
    match call.comm.and_then(|id| rank.comm(id)) {
        Some(comm) => comm.members.iter().copied().filter(|other| *other != rank.rank).collect(),
        None => others(snapshot, rank).collect(),
    }
}

/// Returns the wait for one of the other processes: it is not known which.
fn of_any_other(snapshot: &Snapshot, rank: &RankState, call: &Call, reason: &Reason) -> Wait {
    let others = concerned(snapshot, rank, call);
    Wait::Any(others.into_iter().map(|to| on(to, reason.clone())).collect())
}

/// Returns the wait of a collective operation on a file or window, which has no number: for one of the processes that do not make the
/// same call.
fn of_others_in(snapshot: &Snapshot, rank: &RankState, call: &Call) -> Wait {
    let makes_it = |other: &u32| {
        let is_same = |one: &Call| one.name == call.name && one.window == call.window;
        snapshot.rank(*other).is_some_and(|other| other.calls().any(is_same))
    };
    let missing: Vec<Wait> = concerned(snapshot, rank, call)
        .into_iter()
        .filter(|other| !makes_it(other))
        .map(|to| on(to, Reason::NotThere { name: call.name.clone() }))
        .collect();
    if missing.is_empty() { Wait::Ready } else { Wait::Any(missing) }
}

/// Returns the wait for all operations of a call. Some of several may be complete, so only those that certainly are not keep the call
/// from returning; if none is such, at least one of all does.
fn of_all_operations(snapshot: &Snapshot, rank: &RankState, call: &Call) -> Wait {
    let waits = of_operations(snapshot, rank, call);
    let (sure, unsure): (Vec<Wait>, Vec<Wait>) = waits.into_iter().partition(is_sure);
    if !sure.is_empty() {
        Wait::All(sure)
    } else if call.has_more || unsure.is_empty() {
        Wait::Ready
    } else {
        Wait::Any(unsure)
    }
}

fn is_sure(wait: &Wait) -> bool {
    match wait {
        Wait::Ready => false,
        Wait::On(edge) => match edge.reason {
            Reason::NotSent { is_sure, .. } => is_sure,
            Reason::NotEntered(_) => true,
            _ => false,
        },
        Wait::All(waits) | Wait::Any(waits) => !waits.is_empty() && waits.iter().all(is_sure),
    }
}

fn of_operations(snapshot: &Snapshot, rank: &RankState, call: &Call) -> Vec<Wait> {
    call.operations.iter().map(|operation| of_operation(snapshot, rank, operation)).collect()
}

fn of_operation(snapshot: &Snapshot, rank: &RankState, operation: &Operation) -> Wait {
    let Some(comm) = rank.comm(operation.comm) else { return Wait::Ready };
    match operation.kind {
        OperationKind::Send => of_send(snapshot, rank, comm, operation),
        OperationKind::Receive => of_receive(snapshot, rank, comm, operation),
        OperationKind::Collective => {
            let Some(number) = operation.number else { return Wait::Ready };
            let of = Collective { name: operation.name.clone(), comm: comm.id, number };
            let missing = comm.members.iter().filter(|to| !has_entered(snapshot, **to, &of));
            let missing: Vec<Wait> = missing.map(|to| on(*to, Reason::NotEntered(of.clone()))).collect();
            match kind(&operation.name) {
                _ if missing.is_empty() => Wait::Ready,
                Kind::Collective(Flow::AllToAll) => Wait::All(missing),
                _ => Wait::Any(missing),
            }
        }
    }
}

fn on(to: u32, reason: Reason) -> Wait {
    Wait::On(Edge { to, reason })
}

fn of_send(snapshot: &Snapshot, rank: &RankState, comm: &Comm, operation: &Operation) -> Wait {
    let peer = operation.peer.and_then(|peer| comm.members.get(peer as usize).copied());
    let (Some(to), Some(place)) = (peer, place_in(comm, rank.rank)) else { return Wait::Ready };
    let receives = |other: &Operation| {
        other.kind == OperationKind::Receive
            && other.comm == comm.id
            && other.peer.is_none_or(|peer| peer == place)
            && (other.tag.is_none() || other.tag == operation.tag)
    };
    let is_received = snapshot
        .rank(to)
        .is_some_and(|other| other.calls().any(|call| call.has_more || call.operations.iter().any(receives)));
    if is_received { Wait::Ready } else { on(to, Reason::NotReceived { comm: comm.id, tag: operation.tag }) }
}

fn of_receive(snapshot: &Snapshot, rank: &RankState, comm: &Comm, operation: &Operation) -> Wait {
    let Some(place) = place_in(comm, rank.rank) else { return Wait::Ready };
    let from = |to: u32| {
        let sends = |other: &Operation| {
            other.kind == OperationKind::Send
                && other.comm == comm.id
                && other.peer == Some(place)
                && (operation.tag.is_none() || other.tag == operation.tag)
        };
        let sender = snapshot.rank(to);
        if sender
            .is_some_and(|other| other.calls().any(|call| call.has_more || call.operations.iter().any(sends)))
        {
            return Wait::Ready;
        }
        let lacks = |tag| {
            let wanted = Destination { comm: comm.id, peer: place, tag };
            sender.is_some_and(|sender| sender.has_not_sent(wanted))
        };
        let is_sure = operation.tag.is_some_and(lacks);
        let from_any = operation.peer.is_none();
        on(to, Reason::NotSent { comm: comm.id, tag: operation.tag, from_any, is_sure })
    };
    match operation.peer {
        Some(peer) => comm.members.get(peer as usize).map_or(Wait::Ready, |to| from(*to)),
        None => Wait::Any(comm.members.iter().filter(|to| **to != rank.rank).map(|to| from(*to)).collect()),
    }
}

/// Returns the rank in a communicator of a process. In one between groups its members are the other group, where a process is not; its
/// rank is then unknown.
fn place_in(comm: &Comm, rank: u32) -> Option<u32> {
    comm.members.iter().position(|member| *member == rank).map(|place| place as u32)
}

fn has_entered(snapshot: &Snapshot, rank: u32, of: &Collective) -> bool {
    snapshot.comm(rank, of.comm).is_some_and(|comm| comm.entered >= of.number)
}

fn of_collective(
    snapshot: &Snapshot,
    rank: &RankState,
    call: &Call,
    flow: Flow,
    comm: &Comm,
    number: u64,
) -> Wait {
    // In a communicator between groups, ranks and roots have other meanings.
    if place_in(comm, rank.rank).is_none() {
        return Wait::Ready;
    }
    let of = Collective { name: call.name.clone(), comm: comm.id, number };
    let edges: Vec<_> = comm
        .members
        .iter()
        .filter(|other| **other != rank.rank)
        .filter_map(|to| Some(Edge { to: *to, reason: disagreement(snapshot, *to, call, &of)? }))
        .collect();
    if edges.is_empty() {
        return Wait::Ready;
    }
    let contradicts = |edge: &Edge| !matches!(edge.reason, Reason::NotEntered(_));
    let root = call.root.and_then(|root| comm.members.get(root as usize).copied());
    let is_root = root == Some(rank.rank);
    let waits_for_all = match flow {
        Flow::AllToAll => true,
        Flow::ToRoot => is_root,
        Flow::FromRoot | Flow::Partial => false,
    };
    let to_root = edges.iter().find(|edge| flow == Flow::FromRoot && Some(edge.to) == root).cloned();
    if let Some(edge) = to_root {
        return Wait::On(edge);
    }
    // A process that makes another call never takes part in this one.
    let is_contradicted = edges.iter().any(contradicts);
    let waits = edges.into_iter().map(Wait::On).collect();
    if waits_for_all || is_contradicted { Wait::All(waits) } else { Wait::Any(waits) }
}

/// Returns the reason why a process does not take part in a collective operation; `None` if it does, or has done.
fn disagreement(snapshot: &Snapshot, other: u32, call: &Call, of: &Collective) -> Option<Reason> {
    let Some(rank) = snapshot.rank(other) else { return Some(Reason::NotEntered(of.clone())) };
    let theirs = rank.calls().find(|theirs| {
        theirs.comm == Some(of.comm)
            && theirs.number == Some(of.number)
            && matches!(kind(&theirs.name), Kind::Collective(_))
    });
    match theirs {
        Some(theirs) if theirs.name.trim_end_matches("_c") != call.name.trim_end_matches("_c") => {
            Some(Reason::OtherCall(of.clone()))
        }
        Some(theirs) if theirs.root != call.root => Some(Reason::OtherRoot(of.clone())),
        Some(theirs)
            if has_equal_amounts(&call.name)
                && theirs.bytes.is_some()
                && call.bytes.is_some()
                && theirs.bytes != call.bytes =>
        {
            Some(Reason::OtherAmount(of.clone()))
        }
        Some(_) => None,
        None if has_entered(snapshot, other, of) => None,
        None => Some(Reason::NotEntered(of.clone())),
    }
}
