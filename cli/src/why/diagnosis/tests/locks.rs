//! Locks of windows that are kept.

use super::super::super::snapshot::{Call, Lock, LockTarget, Snapshot};
use super::super::Verdict;
use super::super::findings::FindingKind;
use super::{WORLD, collective, expect, in_barrier, put, still, world};

const WINDOW: u64 = 9;

fn on_window(name: &str, target: Option<u32>) -> Call {
    Call { name: name.into(), comm: Some(WORLD), target, window: Some(WINDOW), ..Call::default() }
}

fn add_lock(snapshot: &mut Snapshot, rank: u32, target: LockTarget, is_exclusive: bool) {
    let lock = Lock { window: WINDOW, target, is_exclusive, is_granted: false };
    snapshot.ranks[rank as usize].locks.push(lock);
}

/// Makes a process request a lock of rank 1.
fn request(snapshot: &mut Snapshot, rank: u32, is_exclusive: bool) {
    add_lock(snapshot, rank, LockTarget::Rank(1), is_exclusive);
    put(snapshot, rank, on_window("MPI_Win_lock", Some(1)));
}

/// Returns a job in which rank 0 is in a barrier, and the others request a lock of rank 1.
fn requests(are_exclusive: bool) -> Snapshot {
    let mut one = world(3);
    put(&mut one, 0, collective("MPI_Barrier", 4));
    request(&mut one, 1, are_exclusive);
    request(&mut one, 2, are_exclusive);
    one
}

#[test]
fn a_lock_that_is_kept() {
    let mut one = requests(true);
    // Long transfers, without a lock that is kept.
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    add_lock(&mut one, 0, LockTarget::Rank(1), true);
    let text = "ranks 1-2 are in MPI_Win_lock of the window of rank 1: rank 0 keeps the lock; it is in MPI_Barrier number 4 on \
                MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::RmaLock, &[0], text);
    // That lock excludes shared ones, too, and those of other targets do not.
    let mut shared = requests(false);
    shared.ranks[0].locks = one.ranks[0].locks.clone();
    expect(&still(&shared), FindingKind::RmaLock, &[0], text);
    one.ranks[0].locks[0].target = LockTarget::Rank(2);
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    one.ranks[0].locks[0].target = LockTarget::Rank(1);
    one.ranks[0].locks[0].window = WINDOW + 1;
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

#[test]
fn a_lock_of_all_that_is_kept() {
    let mut one = requests(true);
    add_lock(&mut one, 0, LockTarget::All, false);
    let text = "ranks 1-2 are in MPI_Win_lock of the window of rank 1: rank 0 keeps the lock of MPI_Win_lock_all; it is in \
                MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::RmaLock, &[0], text);
    // Libraries may request locks in a later call. Those of rank 1 or 2 may be granted then, and that of rank 0 not requested.
    put(&mut one, 1, on_window("MPI_Win_unlock", Some(1)));
    put(&mut one, 2, on_window("MPI_Win_flush_all", None));
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    one.ranks[0].locks[0].is_granted = true;
    assert_eq!(still(&one).verdict, Verdict::Stuck);
    let mut shared = requests(false);
    shared.ranks[0].locks = one.ranks[0].locks.clone();
    assert_eq!(still(&shared).verdict, Verdict::Waiting);
}

#[test]
fn shared_locks_exclude_exclusive_ones_only() {
    for (target, is_stuck) in
        [(LockTarget::Rank(1), true), (LockTarget::All, true), (LockTarget::Rank(0), false)]
    {
        for are_exclusive in [true, false] {
            let mut one = requests(are_exclusive);
            add_lock(&mut one, 0, target, false);
            let wanted = if is_stuck && are_exclusive { Verdict::Stuck } else { Verdict::Waiting };
            assert_eq!(still(&one).verdict, wanted, "{target:?} {are_exclusive}");
        }
    }
}

#[test]
fn a_lock_that_excludes_locks_of_all() {
    let mut one = world(3);
    put(&mut one, 0, collective("MPI_Barrier", 4));
    add_lock(&mut one, 0, LockTarget::Rank(2), true);
    for rank in 1..3 {
        add_lock(&mut one, rank, LockTarget::All, false);
        put(&mut one, rank, on_window("MPI_Win_lock_all", None));
    }
    let text = "ranks 1-2 are in MPI_Win_lock_all: rank 0 keeps the lock; it is in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::RmaLock, &[0], text);
}

#[test]
fn several_locks_of_all_exclude_one() {
    let mut one = world(3);
    in_barrier(&mut one, &[2]);
    for rank in 0..2 {
        add_lock(&mut one, rank, LockTarget::All, false);
    }
    request(&mut one, 2, true);
    let text = "rank 2 is in MPI_Win_lock of the window of rank 1, ranks 0-1 are in MPI_Barrier number 4 on MPI_COMM_WORLD: they \
                keep the locks of MPI_Win_lock_all";
    expect(&still(&one), FindingKind::RmaLock, &[0, 1], text);
}

/// Tests programs that keep a lock of all processes while they run: the others wait for a long transfer.
#[test]
fn locks_of_all_by_all_are_not_accused() {
    for (name, target) in [("MPI_Win_flush_all", None), ("MPI_Win_flush", Some(1))] {
        let mut one = world(4);
        in_barrier(&mut one, &[3]);
        for rank in 0..4 {
            add_lock(&mut one, rank, LockTarget::All, false);
        }
        put(&mut one, 3, on_window(name, target));
        let diagnosis = still(&one);
        assert_eq!(diagnosis.verdict, Verdict::Waiting, "{diagnosis:#?}");
        assert!(
            diagnosis.findings.iter().all(|finding| finding.kind != FindingKind::RmaLock),
            "{diagnosis:#?}"
        );
    }
}
