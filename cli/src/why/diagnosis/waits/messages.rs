//! Messages, and waits for several operations.

use super::super::super::snapshot::{Call, Comm, Operation, OperationKind, RankState};
use super::{NO_MEMBERS, Reason, Wait, Waits, on, unknown};

/// The time in seconds that a message without data may take. A transfer in progress is no deadlock.
const LATENCY: f64 = 0.2;

/// The minimum number of bytes of a message that are transferred in a second.
const BANDWIDTH: f64 = 50e6;

impl Waits<'_> {
    /// Returns the wait for all operations of a call. Some of several may be complete, so only those that certainly are not keep the
    /// call from returning; if none is such, at least one of all does.
    pub(in super::super) fn wait_for_all_operations(&self, rank: &RankState, call: &Call) -> Wait {
        let waits = self.waits_of_operations(rank, call);
        // A persistent request may be inactive.
        let may_be_inactive =
            |operation: &Operation| call.operations.len() > 1 && operation.name.ends_with("_init");
        let all = call.operations.iter().zip(waits);
        let (sure, unsure): (Vec<_>, Vec<_>) =
            all.partition(|(operation, wait)| is_sure(wait) && !may_be_inactive(operation));
        let only =
            |all: Vec<(&Operation, Wait)>| all.into_iter().map(|(_, wait)| wait).collect::<Vec<Wait>>();
        if sure.is_empty() { any_of(only(unsure), call) } else { Wait::All(only(sure).into()) }
    }

    /// Returns the wait for one of several operations. Those that the record has no place for may be complete.
    pub(super) fn wait_for_any_operation(&self, rank: &RankState, call: &Call) -> Wait {
        any_of(self.waits_of_operations(rank, call), call)
    }

    fn waits_of_operations(&self, rank: &RankState, call: &Call) -> Vec<Wait> {
        let wait = |operation| self.wait_of_operation(rank, call, operation);
        call.operations.iter().map(|one| wait(one).unwrap_or_else(|| unknown(NO_MEMBERS))).collect()
    }

    fn wait_of_operation(&self, rank: &RankState, call: &Call, operation: &Operation) -> Option<Wait> {
        if let Some((ready, all)) = operation.partitions
            && ready < all
            && operation.kind != OperationKind::Other
        {
            return Some(Wait::Unknown(format!(
                "the process itself marks the partitions of its message by MPI_Pready, and {ready} of {all} are ready"
            )));
        }
        let comm = || rank.comm(operation.comm);
        match operation.kind {
            OperationKind::Send => self.wait_of_send(rank, call, comm()?, operation),
            OperationKind::Receive => self.wait_of_receive(rank, call, comm()?, operation),
            OperationKind::Collective => {
                Some(self.wait_of_begun_collective(rank, comm()?, operation, operation.number?))
            }
            OperationKind::Other => Some(Wait::Unknown(match operation.name.as_str() {
                "" => "it waits for a request whose creation is not recorded".into(),
                "MPI_Grequest_start" => "the program itself completes a request of MPI_Grequest_start".into(),
                name => format!("the processes that complete a request of {name} are not known"),
            })),
        }
    }

    /// Returns true if a message of this call may still be on its way, to a receive that was posted before.
    pub(super) fn may_be_on_its_way(&self, call: &Call) -> bool {
        self.seconds < LATENCY + call.bytes.unwrap_or(0) as f64 / BANDWIDTH
    }

    fn wait_of_send(
        &self,
        rank: &RankState,
        call: &Call,
        comm: &Comm,
        operation: &Operation,
    ) -> Option<Wait> {
        let to = *comm.members.get(operation.peer? as usize)?;
        let place = comm.rank_of_owner(rank.rank)?;
        let receives = |other: &Operation| {
            other.kind == OperationKind::Receive
                && other.comm == comm.id
                && other.peer.is_none_or(|peer| peer == place)
                && (other.tag.is_none() || other.tag == operation.tag)
        };
        let is_received = self.has_operation(to, receives) || self.may_be_on_its_way(call);
        Some(if is_received { Wait::Ready } else { on(to, Reason::NotReceived) })
    }

    fn wait_of_receive(
        &self,
        rank: &RankState,
        call: &Call,
        comm: &Comm,
        operation: &Operation,
    ) -> Option<Wait> {
        let place = comm.rank_of_owner(rank.rank)?;
        let sends = |other: &Operation| {
            other.kind == OperationKind::Send
                && other.comm == comm.id
                && other.partitions.is_none_or(|(ready, all)| ready == all)
                && other.peer == Some(place)
                && (operation.tag.is_none() || other.tag == operation.tag)
        };
        let from = |to: u32| {
            let sender = self.snapshot.rank(to);
            let lacks = |tag| sender.is_some_and(|sender| sender.has_not_sent(comm.id, place, tag));
            let is_sure = operation.tag.is_some_and(lacks);
            if self.has_operation(to, sends) || !is_sure && self.may_be_on_its_way(call) {
                Wait::Ready
            } else {
                let (tag, comm) = (operation.tag, comm.id);
                on(to, Reason::NotSent { from_any: operation.peer.is_none(), is_sure, tag, comm })
            }
        };
        if let Some(peer) = operation.peer {
            return comm.members.get(peer as usize).map(|to| from(*to));
        }
        let others = comm.members.iter().filter(|to| **to != rank.rank);
        Some(Wait::Any(others.map(|to| from(*to)).collect::<Vec<_>>().into()))
    }

    /// Returns true if a process is in a call with such an operation, or may be.
    fn has_operation(&self, rank: u32, is_such: impl Fn(&Operation) -> bool) -> bool {
        let mut calls = self.snapshot.rank(rank).into_iter().flat_map(RankState::calls);
        let may_be = |operation: &Operation| operation.kind == OperationKind::Other || is_such(operation);
        calls.any(|call| call.has_more || call.operations.iter().any(may_be))
    }
}

fn is_sure(wait: &Wait) -> bool {
    match wait {
        Wait::Ready | Wait::Unknown(_) => false,
        Wait::On(edge) => match edge.reason {
            Reason::NotSent { is_sure, .. } => is_sure,
            Reason::NotEntered(_) | Reason::NotStarted(_) => true,
            _ => false,
        },
        Wait::All(waits) | Wait::Any(waits) => !waits.is_empty() && waits.iter().all(is_sure),
    }
}

/// Returns the wait for at least one of the operations of a call.
fn any_of(waits: Vec<Wait>, call: &Call) -> Wait {
    let is_unknown = |wait: &Wait| matches!(wait, Wait::Unknown(_));
    if let Some(wait) = waits.iter().find(|wait| is_unknown(wait)) {
        return wait.clone();
    }
    if call.has_more {
        unknown("it waits for more than is recorded")
    } else if waits.is_empty() {
        unknown("it waits for operations that are not recorded")
    } else {
        Wait::Any(waits.into())
    }
}
