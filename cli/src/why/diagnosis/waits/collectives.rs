//! Collective operations.

use std::rc::Rc;

use super::super::super::calls::{CallKind, Flow, has_equal_amounts, kind};
use super::super::super::snapshot::{Call, Comm, Phase, RankState};
use super::{Collective, Reason, Wait, Waits, on};

impl Waits<'_> {
    pub(super) fn wait_of_collective(
        &self,
        rank: &RankState,
        call: &Call,
        flow: Flow,
        comm: &Comm,
        number: u64,
    ) -> Wait {
        // In a communicator between groups, ranks and roots have other meanings.
        if !comm.members.contains(&rank.rank) {
            return Wait::Ready;
        }
        let of = Collective { name: call.name.clone(), comm: comm.id, number };
        let absent = self.absent(call, comm, of);
        if absent.is_empty() {
            return Wait::Ready;
        }
        let root = call.root.and_then(|root| comm.members.get(root as usize).copied());
        let edges = || {
            absent.iter().filter_map(|wait| match wait {
                Wait::On(edge) => Some(edge),
                _ => None,
            })
        };
        if flow == Flow::FromRoot
            && let Some(edge) = edges().find(|edge| Some(edge.to) == root)
        {
            return Wait::On(edge.clone());
        }
        let waits_for_all = match flow {
            Flow::AllToAll => true,
            Flow::ToRoot => root == Some(rank.rank),
            Flow::FromRoot | Flow::Partial => false,
        };
        // A process that makes another call never takes part in this one.
        let is_contradicted = edges().any(|edge| !matches!(edge.reason, Reason::NotEntered(_)));
        if waits_for_all || is_contradicted { Wait::All(absent) } else { Wait::Any(absent) }
    }

    /// Returns the waits for the processes that do not take part in an operation. All processes that make the same call share the list.
    fn absent(&self, call: &Call, comm: &Comm, of: Collective) -> Rc<Vec<Wait>> {
        let key = (of, call.root, call.bytes);
        if let Some(known) = self.absent.borrow().get(&key) {
            return Rc::clone(known);
        }
        let of = &key.0;
        let mut is_known = true;
        let mut all = Vec::new();
        for member in &comm.members {
            // One process of other nodes stands for all of them.
            if self.snapshot.rank(*member).is_none() && !std::mem::replace(&mut is_known, false) {
                continue;
            }
            all.extend(self.disagreement(*member, call, of).map(|reason| on(*member, reason)));
        }
        let all = Rc::new(all);
        self.absent.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    /// Returns the condition of a nonblocking operation.
    pub(super) fn wait_of_begun_collective(&self, comm: &Comm, name: &str, number: u64) -> Wait {
        let of = Collective { name: name.into(), comm: comm.id, number };
        let missing = comm.members.iter().filter(|to| !self.has_entered(**to, &of));
        let missing: Vec<Wait> = missing.map(|to| on(*to, Reason::NotEntered(of.clone()))).collect();
        match kind(name) {
            _ if missing.is_empty() => Wait::Ready,
            CallKind::Collective(Flow::AllToAll) => Wait::All(missing.into()),
            _ => Wait::Any(missing.into()),
        }
    }

    /// Returns false if a process has certainly not entered an operation, or is not known. It may have freed the communicator since;
    /// in `MPI_Finalize`, processes have none.
    fn has_entered(&self, rank: u32, of: &Collective) -> bool {
        let Some(rank) = self.snapshot.rank(rank) else { return false };
        match rank.comm(of.comm) {
            Some(comm) => comm.entered >= of.number,
            None => rank.phase < Phase::Finalizing,
        }
    }

    /// Returns the reason why a process does not take part in a collective operation; `None` if it does, or has done.
    fn disagreement(&self, other: u32, call: &Call, of: &Collective) -> Option<Reason> {
        let theirs = self.snapshot.rank(other).and_then(|rank| {
            rank.calls().find(|theirs| {
                theirs.comm == Some(of.comm)
                    && theirs.number == Some(of.number)
                    && matches!(kind(&theirs.name), CallKind::Collective(_))
            })
        });
        let Some(theirs) = theirs else {
            return if self.has_entered(other, of) { None } else { Some(Reason::NotEntered(of.clone())) };
        };
        let has_other_amount = || {
            has_equal_amounts(&call.name)
                && theirs.bytes.zip(call.bytes).is_some_and(|(theirs, ours)| theirs != ours)
        };
        if plain(&theirs.name) != plain(&call.name) {
            Some(Reason::OtherCall(of.clone()))
        } else if theirs.root != call.root {
            Some(Reason::OtherRoot(of.clone()))
        } else if has_other_amount() {
            Some(Reason::OtherAmount(of.clone()))
        } else {
            None
        }
    }
}

/// Returns the name of the form with small counts.
fn plain(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}
