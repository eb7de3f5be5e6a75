//! What waits: a bounded queue that any thread and any signal handler may put into, and one at a time takes from.

use std::sync::atomic::{
    AtomicI64, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::instance::Payload;

/// A place in the queue.
#[derive(Debug)]
struct Place {
    /// The position that may be put here, or that plus 1 when it was.
    turn: AtomicUsize,
    /// When it was observed.
    time: AtomicI64,
}

/// A bounded queue of time stamps and payloads.
#[derive(Debug)]
pub(super) struct Ring {
    places: Box<[Place]>,
    /// The payloads, so many words for each place.
    payloads: Box<[AtomicU64]>,
    words: usize,
    /// Positions count on for ever; a place is the position modulo the number of places, a power of 2.
    put: AtomicUsize,
    taken: AtomicUsize,
}

impl Ring {
    /// A queue for at least so many payloads of so many words.
    pub(super) fn new(places: usize, words: usize) -> Self {
        let count = places.max(2).next_power_of_two();
        let place = |turn| Place { turn: AtomicUsize::new(turn), time: AtomicI64::new(0) };
        Self {
            places: (0..count).map(place).collect(),
            payloads: (0..count * words).map(|_| AtomicU64::new(0)).collect(),
            words,
            put: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
        }
    }

    /// How many fit in.
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// How many are in it or being put.
    pub(super) fn len(&self) -> usize {
        let taken = self.taken.load(SeqCst);
        self.put.load(SeqCst).wrapping_sub(taken)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn place(&self, position: usize) -> (&Place, &[AtomicU64]) {
        let at = position & (self.places.len() - 1);
        (&self.places[at], &self.payloads[at * self.words..][..self.words])
    }

    /// Puts something in; whether there was room.
    pub(super) fn put(&self, time: i64, payload: &[u64]) -> bool {
        let mut position = self.put.load(Relaxed);
        loop {
            let (place, words) = self.place(position);
            let turn = place.turn.load(Acquire);
            if turn == position {
                match self.put.compare_exchange_weak(position, position.wrapping_add(1), SeqCst, Relaxed) {
                    Ok(_) => {
                        place.time.store(time, Relaxed);
                        words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
                        place.turn.store(position.wrapping_add(1), Release);
                        return true;
                    }
                    Err(now) => position = now,
                }
            } else if turn.wrapping_sub(position).cast_signed() < 0 {
                // What was put here a round ago is still there.
                return false;
            } else {
                position = self.put.load(Relaxed);
            }
        }
    }

    /// What waits longest, unless it is still being put. Only for whoever takes.
    pub(super) fn first(&self) -> Option<(i64, Payload)> {
        let position = self.taken.load(Relaxed);
        let (place, words) = self.place(position);
        if place.turn.load(Acquire) != position.wrapping_add(1) {
            return None;
        }
        let mut payload = Payload::new();
        for word in words {
            payload.push(word.load(Relaxed));
        }
        Some((place.time.load(Relaxed), payload))
    }

    /// Takes out what [`Ring::first`] gave. Only for whoever takes.
    pub(super) fn remove_first(&self) {
        let position = self.taken.load(Relaxed);
        let (place, _) = self.place(position);
        place.turn.store(position.wrapping_add(self.places.len()), Release);
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
            assert_eq!((take(&ring), ring.len(), ring.places()), (None, 0, 4));
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
    fn threads_lose_and_double_nothing_and_keep_their_order() {
        const EACH: i64 = 20_000;
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
