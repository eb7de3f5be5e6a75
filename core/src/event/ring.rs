//! The queue of deferred events: bounded, with any number of producers, signal handlers included, and one consumer at a time.

use std::sync::atomic::{
    AtomicI64, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::instance::Payload;

/// A slot of the queue.
#[derive(Debug)]
struct RingSlot {
    /// The position that may be put here, or that position plus 1 once it was put.
    sequence: AtomicUsize,
    /// The time stamp of the event.
    time: AtomicI64,
}

/// A bounded queue of time stamps and payloads.
#[derive(Debug)]
pub(super) struct Ring {
    slots: Box<[RingSlot]>,
    /// The payloads, `words` words for each slot.
    payloads: Box<[AtomicU64]>,
    words: usize,
    /// Positions only grow; the slot of a position is its remainder modulo the number of slots, a power of 2.
    put: AtomicUsize,
    taken: AtomicUsize,
}

impl Ring {
    /// Creates a queue for at least `slots` payloads of `words` words.
    pub(super) fn new(slots: usize, words: usize) -> Self {
        let count = slots.max(2).next_power_of_two();
        let slot = |sequence| RingSlot { sequence: AtomicUsize::new(sequence), time: AtomicI64::new(0) };
        Self {
            slots: (0..count).map(slot).collect(),
            payloads: (0..count * words).map(|_| AtomicU64::new(0)).collect(),
            words,
            put: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
        }
    }

    /// Returns the capacity.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of entries, those that are being put included.
    pub(super) fn len(&self) -> usize {
        let taken = self.taken.load(SeqCst);
        self.put.load(SeqCst).wrapping_sub(taken)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn slot(&self, position: usize) -> (&RingSlot, &[AtomicU64]) {
        let at = position & (self.slots.len() - 1);
        (&self.slots[at], &self.payloads[at * self.words..][..self.words])
    }

    /// Appends an entry. Returns false if the queue is full.
    pub(super) fn put(&self, time: i64, payload: &[u64]) -> bool {
        let mut position = self.put.load(Relaxed);
        loop {
            let (slot, words) = self.slot(position);
            let sequence = slot.sequence.load(Acquire);
            if sequence == position {
                match self.put.compare_exchange_weak(position, position.wrapping_add(1), SeqCst, Relaxed) {
                    Ok(_) => {
                        slot.time.store(time, Relaxed);
                        words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
                        slot.sequence.store(position.wrapping_add(1), Release);
                        return true;
                    }
                    Err(now) => position = now,
                }
            } else if sequence.wrapping_sub(position).cast_signed() < 0 {
                // The entry of the previous round is still in the slot.
                return false;
            } else {
                position = self.put.load(Relaxed);
            }
        }
    }

    /// Returns the oldest entry, unless it is still being put. Only for the consumer.
    pub(super) fn first(&self) -> Option<(i64, Payload)> {
        let position = self.taken.load(Relaxed);
        let (slot, words) = self.slot(position);
        if slot.sequence.load(Acquire) != position.wrapping_add(1) {
            return None;
        }
        let mut payload = Payload::new();
        for word in words {
            payload.push(word.load(Relaxed));
        }
        Some((slot.time.load(Relaxed), payload))
    }

    /// Removes the entry that [`Ring::first`] returned. Only for the consumer.
    pub(super) fn remove_first(&self) {
        let position = self.taken.load(Relaxed);
        let (slot, _) = self.slot(position);
        slot.sequence.store(position.wrapping_add(self.slots.len()), Release);
        self.taken.store(position.wrapping_add(1), SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    fn take(ring: &Ring) -> Option<i64> {
        let (time, payload) = ring.first()?;
        assert!(payload.words().iter().all(|word| *word == time.cast_unsigned()));
        ring.remove_first();
        Some(time)
    }

    fn put(ring: &Ring, number: i64) -> bool {
        ring.put(number, &[number.cast_unsigned(); 3])
    }

    #[test]
    fn first_in_first_out_up_to_its_size() {
        let ring = Ring::new(3, 3);
        for round in 0..10 {
            assert_eq!((take(&ring), ring.len(), ring.slots()), (None, 0, 4));
            assert!((0..4).all(|number| put(&ring, round * 4 + number)));
            assert!(!put(&ring, 99));
            assert_eq!(ring.len(), 4);
            assert!((0..4).all(|number| take(&ring) == Some(round * 4 + number)));
        }
    }

    #[test]
    fn nothing_is_in_payloads_without_elements() {
        let ring = Ring::new(2, 0);
        assert!(ring.put(7, &[]));
        assert_eq!(ring.first().map(|(time, payload)| (time, payload.words().len())), Some((7, 0)));
    }

    #[test]
    fn threads_keep_every_item_and_its_order() {
        const EACH: i64 = if cfg!(miri) { 100 } else { 20_000 };
        let ring = &Ring::new(64, 3);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for number in 0..EACH {
                        while !put(ring, thread * EACH + number) {
                            std::thread::yield_now();
                        }
                    }
                });
            }
            let mut next = [0; 4];
            while next.iter().sum::<i64>() < 4 * EACH {
                let Some(number) = take(ring) else { continue };
                let thread = (number / EACH) as usize;
                assert_eq!(number % EACH, next[thread]);
                next[thread] += 1;
            }
        });
        assert!(ring.is_empty());
    }
}
