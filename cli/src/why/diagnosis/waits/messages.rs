//! Messages, and waits for several operations.

use super::super::super::snapshot::{Call, Comm, Destination, Operation, OperationKind, RankState};
use super::{Reason, Wait, Waits, on};

/// The time in seconds that a message without data may take. A transfer in progress is no deadlock.
const LATENCY: f64 = 0.2;

/// The minimum number of bytes of a message that are transferred in a second.
const BANDWIDTH: f64 = 50e6;

impl Waits<'_> {
    /// Returns the wait for all operations of a call. Some of several may be complete, so only those that certainly are not keep the
    /// call from returning; if none is such, at least one of all does.
    pub(super) fn wait_for_all_operations(&self, rank: &RankState, call: &Call) -> Wait {
        let waits = self.waits_of_operations(rank, call);
        let (sure, unsure): (Vec<Wait>, Vec<Wait>) = waits.into_iter().partition(is_sure);
        if !sure.is_empty() {
            Wait::All(sure.into())
        } else if call.has_more || unsure.is_empty() {
            Wait::Ready
        } else {
            Wait::Any(unsure.into())
        }
    }

    pub(super) fn waits_of_operations(&self, rank: &RankState, call: &Call) -> Vec<Wait> {
        call.operations.iter().map(|operation| self.wait_of_operation(rank, call, operation)).collect()
    }

    fn wait_of_operation(&self, rank: &RankState, call: &Call, operation: &Operation) -> Wait {
        let Some(comm) = rank.comm(operation.comm) else { return Wait::Ready };
        match operation.kind {
            OperationKind::Send => self.wait_of_send(rank, call, comm, operation),
            OperationKind::Receive => self.wait_of_receive(rank, call, comm, operation),
            OperationKind::Collective => match operation.number {
                Some(number) => self.wait_of_begun_collective(comm, &operation.name, number),
                None => Wait::Ready,
            },
        }
    }

    /// Returns true if a message of this call may still be on its way, to a receive that was posted before.
    fn may_be_on_its_way(&self, call: &Call) -> bool {
        self.seconds < LATENCY + call.bytes.unwrap_or(0) as f64 / BANDWIDTH
    }

    fn wait_of_send(&self, rank: &RankState, call: &Call, comm: &Comm, operation: &Operation) -> Wait {
        let peer = operation.peer.and_then(|peer| comm.members.get(peer as usize).copied());
        let (Some(to), Some(place)) = (peer, place_in(comm, rank.rank)) else { return Wait::Ready };
        let receives = |other: &Operation| {
            other.kind == OperationKind::Receive
                && other.comm == comm.id
                && other.peer.is_none_or(|peer| peer == place)
                && (other.tag.is_none() || other.tag == operation.tag)
        };
        if self.has_operation(to, receives) || self.may_be_on_its_way(call) {
            Wait::Ready
        } else {
            on(to, Reason::NotReceived)
        }
    }

    fn wait_of_receive(&self, rank: &RankState, call: &Call, comm: &Comm, operation: &Operation) -> Wait {
        let Some(place) = place_in(comm, rank.rank) else { return Wait::Ready };
        let sends = |other: &Operation| {
            other.kind == OperationKind::Send
                && other.comm == comm.id
                && other.peer == Some(place)
                && (operation.tag.is_none() || other.tag == operation.tag)
        };
        let from = |to: u32| {
            let lacks = |tag| {
                let wanted = Destination { comm: comm.id, peer: place, tag };
                self.snapshot.rank(to).is_some_and(|sender| sender.has_not_sent(wanted))
            };
            let is_sure = operation.tag.is_some_and(lacks);
            if self.has_operation(to, sends) || !is_sure && self.may_be_on_its_way(call) {
                Wait::Ready
            } else {
                on(to, Reason::NotSent { from_any: operation.peer.is_none(), is_sure })
            }
        };
        if let Some(peer) = operation.peer {
            return comm.members.get(peer as usize).map_or(Wait::Ready, |to| from(*to));
        }
        let others = comm.members.iter().filter(|to| **to != rank.rank);
        Wait::Any(others.map(|to| from(*to)).collect::<Vec<_>>().into())
    }

    /// Returns true if a process is in a call with such an operation, or may be.
    fn has_operation(&self, rank: u32, is_such: impl Fn(&Operation) -> bool) -> bool {
        let mut calls = self.snapshot.rank(rank).into_iter().flat_map(RankState::calls);
        calls.any(|call| call.has_more || call.operations.iter().any(&is_such))
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

/// Returns the rank in a communicator of a process. In one between groups its members are the other group, where a process is not; its
/// rank is then unknown.
fn place_in(comm: &Comm, rank: u32) -> Option<u32> {
    comm.members.iter().position(|member| *member == rank).map(|place| place as u32)
}
