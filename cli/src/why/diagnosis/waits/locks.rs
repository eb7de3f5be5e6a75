//! Waits for locks of windows.

use std::collections::BTreeMap;

use super::super::super::calls::{CallKind, kind};
use super::super::super::snapshot::{Call, Lock, LockTarget, RankState, Snapshot};
use super::{Reason, Wait, on};

/// The locks of processes that are in no call on the window which may wait for one: such processes may be transferring data.
pub(super) struct KeptLocks {
    exclusive: Vec<(u32, Lock)>,
    shared: Vec<(u32, Lock)>,
}

impl KeptLocks {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let is_kept = |rank: &RankState, lock: &Lock| {
            let is_waiting =
                |call: &Call| kind(&call.name) == CallKind::Lock && call.window == Some(lock.window);
            !rank.calls().any(is_waiting)
        };
        let of_rank = |rank: &RankState| {
            let kept = rank.locks.iter().filter(|lock| is_kept(rank, lock));
            kept.map(|lock| (rank.rank, *lock)).collect::<Vec<_>>()
        };
        let all = snapshot.ranks.iter().flat_map(of_rank);
        let (exclusive, shared) = all.partition(|(_, lock)| lock.is_exclusive);
        Self { exclusive, shared }
    }

    /// Returns the wait for a lock: for one of the processes whose locks exclude it. If there are none, this process may be transferring
    /// data, too.
    pub(super) fn wait(&self, rank: &RankState, call: &Call) -> Wait {
        let needed = rank.locks_for(call);
        // In large jobs, all processes may keep shared locks.
        let is_exclusive = needed.iter().any(|lock| lock.is_exclusive);
        let shared = if is_exclusive { self.shared.as_slice() } else { &[] };
        let mut keepers = BTreeMap::new();
        for (keeper, lock) in self.exclusive.iter().chain(shared) {
            if *keeper != rank.rank && needed.iter().any(|needed| lock.excludes(*needed)) {
                keepers.entry(*keeper).or_insert(lock.target == LockTarget::All);
            }
        }
        let waits: Vec<Wait> =
            keepers.into_iter().map(|(to, is_of_all)| on(to, Reason::Lock { is_of_all })).collect();
        if waits.is_empty() { Wait::Ready } else { Wait::Any(waits.into()) }
    }
}
