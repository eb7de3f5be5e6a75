//! The words of a window in the store of a running process: its identity, its fences, and the locks that the process has requested
//! and not released.
//!
//! `MPI_Win_unlock` has no kind of lock, but a target, of which a process has at most one lock; so the first locks are kept by target.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

/// The handle; 0 while the words are not used.
pub const HANDLE: usize = 0;
/// The lineage of the communicator that the window was created on.
pub const LINEAGE: usize = 1;
/// The number of the creation among the collective operations there.
pub const CREATION: usize = 2;
/// The number of fences.
pub const FENCES: usize = 3;
/// The number of locks of `MPI_Win_lock_all`.
const LOCKS_OF_ALL: usize = 4;
/// The number of locks of `MPI_Win_lock` that have no word below, and [`EXCLUSIVE`] if one of them was exclusive.
const MORE_LOCKS: usize = 5;
/// The locks of `MPI_Win_lock`: [`LOCKED`], the target in the lower half, and [`EXCLUSIVE`]; 0 for none.
const LOCKS: usize = 6;
/// The maximum number of locks that are kept by target.
pub const MAX_LOCKS: usize = 4;
/// The number of words.
pub const CELLS: usize = LOCKS + MAX_LOCKS;

const EXCLUSIVE: u64 = 1 << 32;
const LOCKED: u64 = 1 << 33;

/// The words of a window.
pub type WindowWords = [AtomicU64; CELLS];

/// Describes a new window, which replaces an earlier one.
pub fn describe(words: &WindowWords, handle: u64, lineage: u64, creation: u64) {
    // Without a handle, the words are not used: a reader may look at any time.
    words[HANDLE].store(0, Relaxed);
    words[LINEAGE].store(lineage, Release);
    words[CREATION].store(creation, Relaxed);
    for word in &words[FENCES..] {
        word.store(0, Relaxed);
    }
    words[HANDLE].store(handle, Release);
}

fn update(word: &AtomicU64, change: impl Fn(u64) -> u64) {
    let mut value = word.load(Relaxed);
    while let Err(other) = word.compare_exchange_weak(value, change(value), Relaxed, Relaxed) {
        value = other;
    }
}

/// Adds a lock of a target. Other threads may lock others at the same time.
pub fn lock(words: &WindowWords, target: u32, is_exclusive: bool) {
    let flag = if is_exclusive { EXCLUSIVE } else { 0 };
    let lock = LOCKED | flag | u64::from(target);
    let take = |word: &AtomicU64| word.compare_exchange(0, lock, Relaxed, Relaxed).is_ok();
    if !words[LOCKS..].iter().any(take) {
        update(&words[MORE_LOCKS], |more| (more | flag) + 1);
    }
}

/// Removes the lock of a target.
pub fn unlock(words: &WindowWords, target: u32) {
    let remove = |word: &AtomicU64| {
        let lock = word.load(Relaxed);
        is_of(lock, target) && word.compare_exchange(lock, 0, Relaxed, Relaxed).is_ok()
    };
    if !words[LOCKS..].iter().any(remove) {
        update(&words[MORE_LOCKS], |more| match more as u32 {
            // The kinds of the others are not known one by one.
            0 | 1 => 0,
            _ => more - 1,
        });
    }
}

/// Adds a lock of all targets.
pub fn lock_all(words: &WindowWords) {
    words[LOCKS_OF_ALL].fetch_add(1, Relaxed);
}

/// Removes a lock of all targets.
pub fn unlock_all(words: &WindowWords) {
    update(&words[LOCKS_OF_ALL], |locks| locks.saturating_sub(1));
}

fn is_of(lock: u64, target: u32) -> bool {
    lock & LOCKED != 0 && lock as u32 == target
}

/// A lock of a window that a process has requested and not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The targets.
    pub target: Target,
    /// False for a shared lock. True for [unknown](Target::Unknown) targets if one of their locks may be exclusive.
    pub is_exclusive: bool,
}

/// The targets of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The process with this rank in the window.
    Rank(u32),
    /// All processes of the window, by `MPI_Win_lock_all`.
    All,
    /// Processes that the record has no place for.
    Unknown,
}

/// Returns the locks in the words of a window.
pub(super) fn locks(words: &[u64; CELLS]) -> Vec<Lock> {
    let kept = words[LOCKS..].iter().filter(|lock| **lock & LOCKED != 0);
    let mut all: Vec<Lock> = kept
        .map(|lock| Lock { target: Target::Rank(*lock as u32), is_exclusive: lock & EXCLUSIVE != 0 })
        .collect();
    if words[MORE_LOCKS] != 0 {
        all.push(Lock { target: Target::Unknown, is_exclusive: words[MORE_LOCKS] & EXCLUSIVE != 0 });
    }
    if words[LOCKS_OF_ALL] != 0 {
        all.push(Lock { target: Target::All, is_exclusive: false });
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{CELLS, Lock, MAX_LOCKS, Target, WindowWords, lock, lock_all, locks, unlock, unlock_all};

    fn window() -> WindowWords {
        [const { AtomicU64::new(0) }; CELLS]
    }

    fn of(words: &WindowWords) -> Vec<Lock> {
        locks(&std::array::from_fn(|at| words[at].load(Relaxed)))
    }

    fn rank(rank: u32, is_exclusive: bool) -> Lock {
        Lock { target: Target::Rank(rank), is_exclusive }
    }

    #[test]
    fn locks_are_kept_by_target() {
        let words = window();
        lock(&words, 0, true);
        lock(&words, 7, false);
        assert_eq!(of(&words), [rank(0, true), rank(7, false)]);
        unlock(&words, 0);
        assert_eq!(of(&words), [rank(7, false)]);
        lock_all(&words);
        unlock(&words, 7);
        assert_eq!(of(&words), [Lock { target: Target::All, is_exclusive: false }]);
        unlock_all(&words);
        // Those that were not seen to begin.
        unlock_all(&words);
        unlock(&words, 3);
        assert_eq!(of(&words), []);
    }

    #[test]
    fn more_locks_are_counted() {
        let words = window();
        let more = MAX_LOCKS as u32;
        for target in 0..=more + 1 {
            lock(&words, target, target == more);
        }
        let of_more = |words: &WindowWords| of(words).into_iter().find(|lock| lock.target == Target::Unknown);
        assert_eq!(of_more(&words), Some(Lock { target: Target::Unknown, is_exclusive: true }));
        unlock(&words, more);
        // The other one may be the exclusive one.
        assert_eq!(of_more(&words), Some(Lock { target: Target::Unknown, is_exclusive: true }));
        unlock(&words, more + 1);
        assert_eq!((of_more(&words), of(&words).len()), (None, MAX_LOCKS));
        unlock(&words, 2);
        lock(&words, more + 1, false);
        assert!(of(&words).contains(&rank(more + 1, false)));
    }
}
