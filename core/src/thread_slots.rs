//! Small numbers for running threads, so that each can have data of its own in a list.
//!
//! A thread is found by its [`thread_number`], which is in a register: a thread-local variable of a library that is loaded at run
//! time costs a function call. A thread takes a slot when it asks for one, and releases it at its end.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::thread_number::thread_number;

/// The number of slots, a power of two.
pub const SLOTS: usize = 256;

/// The number of slots that a thread may have: the one of its hash, and the following ones.
const PROBES: usize = 8;

/// The [numbers](thread_number) of the threads that have the slots; 0 for a free slot.
static THREADS: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(0) }; SLOTS];

/// A slot that is released when the thread ends.
struct Taken(usize);

impl Drop for Taken {
    fn drop(&mut self) {
        THREADS[self.0].store(0, Release);
    }
}

thread_local! {
    /// The slot that this thread has, if it has one.
    static TAKEN: Cell<Option<Taken>> = const { Cell::new(None) };
}

/// Returns the slots that a thread may have.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
fn slots_of(number: usize) -> impl Iterator<Item = usize> {
    // Control blocks are at multiples of 64, often at those of the size of a stack.
    let first = ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.ilog2())) as usize;
    (first..first + PROBES).map(|slot| slot % SLOTS)
}

/// Returns the slot of this thread, if it has one.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each message")]
pub fn current() -> Option<usize> {
    let number = thread_number();
    slots_of(number).find(|slot| THREADS[*slot].load(Relaxed) == number)
}

/// Returns the slot of this thread, which takes one if it has none; `None` if others have all that it may have, and at the thread's
/// end. Data of an earlier thread may be in the slot's place of a list: that thread has ended.
pub fn take() -> Option<usize> {
    if let Some(slot) = current() {
        return Some(slot);
    }
    let number = thread_number();
    TAKEN
        .try_with(|taken| {
            let slot = slots_of(number)
                .find(|slot| THREADS[*slot].compare_exchange(0, number, AcqRel, Acquire).is_ok())?;
            // Empty before: a thread that has taken a slot finds it above.
            taken.set(Some(Taken(slot)));
            Some(slot)
        })
        .ok()
        .flatten()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::{current, take};

    #[test]
    fn running_threads_have_different_slots() {
        const COUNT: usize = 16;
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
        for _ in 0..1000 {
            thread::spawn(|| assert!(take().is_some())).join().unwrap();
        }
    }
}
