//! The creation of communicators by groups, and with processes of other worlds.

use super::super::super::calls::External;
use super::super::super::snapshot::{Call, RankState};
use super::{Reason, Wait, Waits, numbered, on, unknown};

impl Waits<'_> {
    /// Returns the wait of a collective operation that also needs another world: for the members that have not entered it.
    pub(super) fn wait_for_external(&self, rank: &RankState, call: &Call, other: External) -> Option<Wait> {
        let (comm, number) = numbered(rank, call)?;
        let absent = self.missing_from(call, comm, number);
        if !absent.is_empty() {
            return Some(Wait::All(absent));
        }
        Some(unknown(match other {
            External::Accept => {
                "no process of its communicator is missing; it waits for another program to connect"
            }
            External::Connect => {
                "no process of its communicator is missing; it waits for another program to accept"
            }
            External::Spawn => {
                "no process of its communicator is missing; it waits for the processes that it starts to call MPI_Init"
            }
        }))
    }

    /// Returns the wait for the members of a group that do not create a communicator with this process.
    pub(super) fn wait_for_group(&self, rank: &RankState, call: &Call) -> Wait {
        if call.group.is_empty() {
            return unknown("the members of its group are not known");
        }
        let missing = |other: &u32| match self.call_of(*other, &call.name) {
            None => Some(on(*other, Reason::NotThere { name: call.name.clone() })),
            Some(theirs) if theirs.tag != call.tag => Some(on(*other, other_tag(call))),
            Some(_) => None,
        };
        let others = call.group.iter().filter(|other| **other != rank.rank);
        let missing: Vec<Wait> = others.filter_map(missing).collect();
        match (missing.is_empty(), call.has_more) {
            (false, _) => Wait::All(missing.into()),
            (true, true) => unknown("its group has more members than are recorded"),
            (true, false) => Wait::Ready,
        }
    }

    /// Returns the wait for the own group, and for the leader and the members of the other one.
    pub(super) fn wait_for_leaders(&self, rank: &RankState, call: &Call) -> Option<Wait> {
        let (comm, number) = numbered(rank, call)?;
        let absent = self.missing_from(call, comm, number);
        if !absent.is_empty() {
            return Some(Wait::All(absent));
        }
        let leader = *comm.members.get(call.leader? as usize)?;
        // All members of the own group are in the call.
        let theirs = self.call_of(leader, &call.name)?;
        let remote = self.remote_leader(leader, theirs)?;
        let Some(at_remote) = self.call_of(remote, &call.name) else {
            return Some(on(remote, Reason::NotThere { name: call.name.clone() }));
        };
        if self.remote_leader(remote, at_remote) != Some(leader) {
            return Some(unknown(
                "the leader of the other group names another process as that of this group",
            ));
        }
        if at_remote.tag != theirs.tag {
            return Some(on(remote, other_tag(call)));
        }
        let (comm, number) = numbered(self.snapshot.rank(remote)?, at_remote)?;
        let absent = self.missing_from(at_remote, comm, number);
        Some(if absent.is_empty() { Wait::Ready } else { Wait::All(absent) })
    }

    /// Returns the leader of the other group, as a leader names it.
    fn remote_leader(&self, leader: u32, call: &Call) -> Option<u32> {
        let (comm, remote) = call.remote_leader?;
        self.snapshot.rank(leader)?.comm(comm)?.members.get(remote as usize).copied()
    }

    fn call_of(&self, rank: u32, name: &str) -> Option<&Call> {
        self.snapshot.rank(rank)?.calls().find(|call| call.name == name)
    }
}

fn other_tag(call: &Call) -> Reason {
    Reason::OtherTag { name: call.name.clone() }
}
