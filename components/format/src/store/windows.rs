//! The words of a window in the store of a running process: its identity, its fences, and the locks that the process has requested
//! and not released.
//!
//! `MPI_Win_unlock` has no kind of lock, but a target, of which a process has at most one lock; so the first locks are kept by target.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
    fence,
};

/// The handle; 0 while the words are not used.
pub const HANDLE: usize = 0;
/// The lineage of the communicator that the window was created on.
pub const LINEAGE: usize = 1;
/// The number of the creation among the collective operations there.
pub const CREATION: usize = 2;
/// The number of fences.
pub const FENCES: usize = 3;
/// The number of locks of `MPI_Win_lock_all` in the lower half, and [`GRANTED`].
const LOCKS_OF_ALL: usize = 4;
/// The locks of `MPI_Win_lock`: [`LOCKED`], the target in the lower half, [`EXCLUSIVE`] and [`GRANTED`]; 0 for none.
const LOCKS: usize = 5;
/// The maximum number of locks that are kept by target. Further ones are not recorded.
pub const MAX_LOCKS: usize = 8;
/// The number of words.
pub const CELLS: usize = LOCKS + MAX_LOCKS;

const EXCLUSIVE: u64 = 1 << 32;
const LOCKED: u64 = 1 << 33;
/// An access has been completed under the lock. Libraries may request it only with the first access, so `MPI_Win_lock` returns before.
const GRANTED: u64 = 1 << 34;

/// The words of a window.
pub type WindowWords = [AtomicU64; CELLS];

/// Describes a new window, which replaces an earlier one.
pub fn describe(words: &WindowWords, handle: u64, lineage: u64, creation: u64) {
    // Without a handle, the words are not used: a reader may look at any time.
    words[HANDLE].store(0, Relaxed);
    fence(Release);
    words[LINEAGE].store(lineage, Relaxed);
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
    for word in &words[LOCKS..] {
        if word.compare_exchange(0, lock, Relaxed, Relaxed).is_ok() {
            break;
        }
    }
}

/// Removes the lock of a target.
pub fn unlock(words: &WindowWords, target: u32) {
    for word in &words[LOCKS..] {
        let lock = word.load(Relaxed);
        if is_of(lock, target) && word.compare_exchange(lock, 0, Relaxed, Relaxed).is_ok() {
            break;
        }
    }
}

/// Adds a lock of all targets.
pub fn lock_all(words: &WindowWords) {
    words[LOCKS_OF_ALL].fetch_add(1, Relaxed);
}

/// Removes a lock of all targets.
pub fn unlock_all(words: &WindowWords) {
    update(&words[LOCKS_OF_ALL], |locks| if locks as u32 <= 1 { 0 } else { locks - 1 });
}

/// Marks the lock of a target as granted.
pub fn complete(words: &WindowWords, target: u32) {
    for word in &words[LOCKS..] {
        update(word, |lock| if is_of(lock, target) { lock | GRANTED } else { lock });
    }
}

/// Marks all locks as granted.
pub fn complete_all(words: &WindowWords) {
    for word in words[LOCKS..].iter().chain([&words[LOCKS_OF_ALL]]) {
        update(word, |lock| if lock == 0 { 0 } else { lock | GRANTED });
    }
}

fn is_of(lock: u64, target: u32) -> bool {
    lock & LOCKED != 0 && lock as u32 == target
}

/// A lock of a window that a process has requested and not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The targets.
    pub target: Target,
    /// False for a shared lock.
    pub is_exclusive: bool,
    /// True once an access has been completed under the lock. Before, the library may not have requested it.
    pub is_granted: bool,
}

/// The targets of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The process with this rank in the window.
    Rank(u32),
    /// All processes of the window, by `MPI_Win_lock_all`.
    All,
}

/// Returns the locks in the words of a window.
pub(super) fn locks(words: &[u64; CELLS]) -> Vec<Lock> {
    let mut all = Vec::new();
    for lock in &words[LOCKS..] {
        if lock & LOCKED != 0 {
            all.push(Lock {
                target: Target::Rank(*lock as u32),
                is_exclusive: lock & EXCLUSIVE != 0,
                is_granted: lock & GRANTED != 0,
            });
        }
    }
    let of_all = words[LOCKS_OF_ALL];
    if of_all != 0 {
        all.push(Lock { target: Target::All, is_exclusive: false, is_granted: of_all & GRANTED != 0 });
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{
        CELLS, Lock, MAX_LOCKS, Target, WindowWords, complete, complete_all, lock, lock_all, locks, unlock,
        unlock_all,
    };

    fn window() -> WindowWords {
        [const { AtomicU64::new(0) }; CELLS]
    }

    fn of(words: &WindowWords) -> Vec<Lock> {
        locks(&std::array::from_fn(|at| words[at].load(Relaxed)))
    }

    fn rank(rank: u32, is_exclusive: bool) -> Lock {
        Lock { target: Target::Rank(rank), is_exclusive, is_granted: false }
    }

    const OF_ALL: Lock = Lock { target: Target::All, is_exclusive: false, is_granted: false };

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
        assert_eq!(of(&words), [OF_ALL]);
        unlock_all(&words);
        // The ends of locks whose begins were not recorded.
        unlock_all(&words);
        unlock(&words, 3);
        assert_eq!(of(&words), []);
    }

    #[test]
    fn completed_accesses_need_their_lock() {
        let words = window();
        complete_all(&words);
        assert_eq!(of(&words), []);
        lock(&words, 0, true);
        lock(&words, 7, false);
        lock_all(&words);
        complete(&words, 7);
        let granted = |lock: Lock| Lock { is_granted: true, ..lock };
        assert_eq!(of(&words), [rank(0, true), granted(rank(7, false)), OF_ALL]);
        complete_all(&words);
        assert_eq!(of(&words), [rank(0, true), rank(7, false), OF_ALL].map(granted));
        for target in [0, 7] {
            unlock(&words, target);
        }
        unlock_all(&words);
        assert_eq!(of(&words), []);
        lock_all(&words);
        assert_eq!(of(&words), [OF_ALL]);
    }

    #[test]
    fn more_locks_are_left_out() {
        let words = window();
        let more = MAX_LOCKS as u32;
        for target in 0..=more {
            lock(&words, target, false);
        }
        unlock(&words, more);
        assert_eq!(of(&words).len(), MAX_LOCKS);
        unlock(&words, 2);
        lock(&words, more, true);
        assert!(of(&words).contains(&rank(more, true)));
    }
}
