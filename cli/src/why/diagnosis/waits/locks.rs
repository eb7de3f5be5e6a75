//! Waits for locks of windows.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::super::calls::{CallKind, kind, requests_lock};
use super::super::super::snapshot::{Call, Lock, LockTarget, RankState, Snapshot};
use super::{Reason, Wait, on};

/// The locks of processes that are in no call on the window which may wait for one: such processes may be transferring data.
pub(super) struct KeptLocks {
    exclusive: Vec<(u32, Lock)>,
    shared: Vec<(u32, Lock)>,
    waits: RefCell<WaitsByLocks>,
}

/// The waits for the processes that exclude locks, by these locks, and true if only locks that are known to be granted count. Many
/// processes may need the same lock.
type WaitsByLocks = BTreeMap<(Vec<Lock>, bool), Rc<Vec<Wait>>>;

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
        Self { exclusive, shared, waits: RefCell::default() }
    }

    /// Returns the wait for a lock: for one of the processes whose locks exclude it. If there are none, this process may be transferring
    /// data, too.
    pub(super) fn wait(&self, rank: &RankState, call: &Call) -> Wait {
        let needed = rank.locks_for(call);
        // A library that returns from MPI_Win_lock without the lock requests it in a later call, in which this process may transfer
        // data under its own lock: another one's lock excludes that only if it is granted.
        let only_granted = !requests_lock(&call.name);
        let mut known = self.waits.borrow_mut();
        let waits = known
            .entry((needed, only_granted))
            .or_insert_with_key(|(needed, only_granted)| Rc::new(self.waits_for(needed, *only_granted)));
        if waits.is_empty() { Wait::Ready } else { Wait::Any(Rc::clone(waits)) }
    }

    fn waits_for(&self, needed: &[Lock], only_granted: bool) -> Vec<Wait> {
        // In large jobs, all processes may keep shared locks.
        let is_exclusive = needed.iter().any(|lock| lock.is_exclusive);
        let shared = if is_exclusive { self.shared.as_slice() } else { &[] };
        let mut keepers = BTreeMap::new();
        for (keeper, lock) in self.exclusive.iter().chain(shared) {
            let counts = lock.is_granted || !only_granted;
            if counts && needed.iter().any(|needed| lock.excludes(*needed)) {
                keepers.entry(*keeper).or_insert(lock.target == LockTarget::All);
            }
        }
        keepers.into_iter().map(|(to, is_of_all)| on(to, Reason::Lock { is_of_all })).collect()
    }
}
