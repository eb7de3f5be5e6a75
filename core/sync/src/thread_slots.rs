//! Small numbers for running threads, so that each can have data of its own in a list.
//!
//! A thread is found by its [`thread_number`], which is in a register: a thread-local variable of a library that is loaded at run
//! time costs a function call. [`take`] gives a thread the lowest free slot, which the thread releases at its end, so the slots
//! in use are as many as there were threads at once.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::lock::Once;
use crate::thread_end::{self, Cleanup};
use crate::thread_number::thread_number;

/// The number of slots, a power of two.
pub const SLOTS: usize = 256;

/// The number of entries, a power of two. Half of them are free, so that threads find one within few probes.
const ENTRY_COUNT: usize = 2 * SLOTS;

/// The number of entries where a thread may be: the one of its hash, and the following ones. Each call of a thread without a slot
/// loads them all.
const PROBES: usize = 4;

/// The threads that have slots: the lower bits of a thread's [number](thread_number), with the slot above them; 0 in a free entry.
static ENTRIES: [AtomicU64; ENTRY_COUNT] = [const { AtomicU64::new(0) }; ENTRY_COUNT];

/// The number of bits above the lower bits of a thread's number, in which addresses do not differ.
const SLOT_BITS: u32 = SLOTS.ilog2();
const SLOT_SHIFT: u32 = u64::BITS - SLOT_BITS;

/// A bit for each slot that is taken.
static TAKEN: [AtomicU64; SLOTS / 64] = [const { AtomicU64::new(0) }; SLOTS / 64];

static AT_RELEASE: Once<fn()> = Once::new();

/// Sets the function that runs before a thread releases its slot, on that thread. The first call counts.
pub fn set_at_release(function: fn()) {
    AT_RELEASE.get_or_init(|| function);
}

/// Returns the entries where a thread may be.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
fn entries_of(number: u64) -> impl Iterator<Item = &'static AtomicU64> {
    // Control blocks are at multiples of 64, often at those of the size of a stack.
    let first = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - ENTRY_COUNT.ilog2())) as usize;
    (first..first + PROBES).map(|entry| &ENTRIES[entry % ENTRY_COUNT])
}

/// Returns the slot in an entry, if it is the entry of this thread.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
fn slot_of(entry: u64, number: u64) -> Option<usize> {
    if (entry ^ number) << SLOT_BITS == 0 { Some((entry >> SLOT_SHIFT) as usize) } else { None }
}

/// Returns a number of this thread that no other running thread has, and that is not 0.
#[inline(always)]
#[allow(clippy::inline_always, reason = "one instruction")]
pub fn thread() -> u64 {
    thread_number() as u64
}

/// Returns the slot of this thread, if it has one.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
pub fn current() -> Option<usize> {
    let number = thread_number() as u64;
    entries_of(number).find_map(|entry| slot_of(entry.load(Relaxed), number))
}

/// Returns the slot of this thread, if it is in the first entry where it may be.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
pub fn at_first_probe() -> Option<usize> {
    let number = thread_number() as u64;
    entries_of(number).next().and_then(|entry| slot_of(entry.load(Relaxed), number))
}

/// Returns the slot of this thread, which takes the lowest free one if it has none; `None` if there is none for it. Data of an
/// earlier thread may be in the slot's place of a list: that thread has ended.
///
/// Not for signal handlers: the first call of a process takes a lock and allocates memory, and a thread that is interrupted here
/// may get a second slot. Called while a message is recorded, and MPI does not permit communication in signal handlers.
pub fn take() -> Option<usize> {
    static IS_WATCHED: Once<()> = Once::new();
    if let Some(slot) = current() {
        return Some(slot);
    }
    IS_WATCHED.get_or_init(|| thread_end::add(Cleanup { at_end: release, in_child: release_others }));
    if !thread_end::watch() {
        return None;
    }
    let number = thread_number() as u64;
    let slot = take_lowest()?;
    let entered = number << SLOT_BITS >> SLOT_BITS | (slot as u64) << SLOT_SHIFT;
    let is_entered =
        entries_of(number).any(|entry| entry.compare_exchange(0, entered, Release, Relaxed).is_ok());
    if is_entered {
        Some(slot)
    } else {
        give_back(slot);
        None
    }
}

fn take_lowest() -> Option<usize> {
    TAKEN.iter().enumerate().find_map(|(word, taken)| {
        // `Acquire`: this thread sees the data of the thread that had the slot before.
        let lowest = |bits: u64| if bits == u64::MAX { None } else { Some(bits | (bits + 1)) };
        let before = taken.fetch_update(Acquire, Relaxed, lowest).ok()?;
        Some(word * 64 + before.trailing_ones() as usize)
    })
}

fn give_back(slot: usize) {
    TAKEN[slot / 64].fetch_and(!(1 << (slot % 64)), Release);
}

/// Releases the slot of this thread.
fn release() {
    if let Some(at_release) = AT_RELEASE.get() {
        at_release();
    }
    let number = thread_number() as u64;
    release_if(entries_of(number), |entry| slot_of(entry, number).is_some());
}

/// Releases the slots of all other threads, which a forked child does not have.
fn release_others() {
    let number = thread_number() as u64;
    release_if(ENTRIES.iter(), |entry| entry != 0 && slot_of(entry, number).is_none());
}

fn release_if(entries: impl Iterator<Item = &'static AtomicU64>, is_to_release: impl Fn(u64) -> bool) {
    for entry in entries {
        let found = entry.load(Relaxed);
        if is_to_release(found) {
            // First, so that no thread finds a slot that another one has.
            entry.store(0, Relaxed);
            give_back((found >> SLOT_SHIFT) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::mpsc::channel;
    use std::thread;

    use super::{ENTRIES, SLOTS, current, entries_of, slot_of, take, thread_number};

    /// Tests run at once, so more threads than those of one test may have slots.
    const COUNT: usize = 16;

    #[test]
    fn running_threads_have_different_slots() {
        let barrier = Barrier::new(COUNT);
        let mut slots: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..COUNT)
                .map(|_| {
                    scope.spawn(|| {
                        assert_eq!(current(), None);
                        let slot = take().unwrap();
                        assert_eq!((current(), take()), (Some(slot), Some(slot)));
                        barrier.wait();
                        slot
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), COUNT);
    }

    #[test]
    fn ended_threads_release_their_slots() {
        let is_released = |_: &usize| {
            let number = thread::spawn(|| take().map(|_| thread_number() as u64)).join().unwrap();
            let number = number.expect("earlier threads have returned their slots");
            // A thread of another test may have the number meanwhile.
            entries_of(number).all(|entry| slot_of(entry.load(Relaxed), number).is_none())
        };
        assert_ne!((0..2 * SLOTS).filter(is_released).count(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn a_child_has_the_slot_of_its_thread_only() {
        let number = thread_number() as u64;
        let mine = take().unwrap();
        thread::scope(|scope| {
            let (taken, is_taken) = channel();
            let (end, is_ended) = channel::<()>();
            scope.spawn(move || {
                taken.send(take()).unwrap();
                let _ = is_ended.recv();
            });
            assert_ne!(is_taken.recv().unwrap(), Some(mine));
            // SAFETY: the child only accesses static memory, and leaves by `_exit`.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let words = || ENTRIES.iter().map(|entry| entry.load(Relaxed));
                let is_alone = words().all(|entry| entry == 0 || slot_of(entry, number) == Some(mine));
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(i32::from(!is_alone || current() != Some(mine))) };
            }
            let mut status = -1;
            // SAFETY: `status` is a writable `int`.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0);
            drop(end);
        });
    }
}
