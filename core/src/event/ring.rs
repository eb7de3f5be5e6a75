//! What waits: a bounded queue that any thread and any signal handler may put into and take from.

use std::sync::atomic::{
    AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use super::instance::Payload;

/// An instance that waits for a context that admits its callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The registration it is for.
    pub(super) registration: u64,
    /// The event type, by its place in the source's list.
    pub(super) event: u32,
    /// When it was observed.
    pub(super) time: i64,
    /// Its elements.
    pub(super) payload: Payload,
}

/// A place in the queue. Its turn says who may use it: the position to be put into, or that plus 1 to be taken from.
#[derive(Debug)]
struct Place {
    turn: AtomicUsize,
    registration: AtomicU64,
    event: AtomicU32,
    time: AtomicU64,
    payload: [AtomicU64; size_of::<Payload>() / 8],
}

/// A bounded queue.
#[derive(Debug)]
pub(super) struct Ring {
    places: Box<[Place]>,
    put: AtomicUsize,
    take: AtomicUsize,
}

impl Ring {
    /// A queue for at least so many.
    pub(super) fn new(places: usize) -> Self {
        let place = |turn| Place {
            turn: AtomicUsize::new(turn),
            registration: AtomicU64::new(0),
            event: AtomicU32::new(0),
            time: AtomicU64::new(0),
            payload: [const { AtomicU64::new(0) }; size_of::<Payload>() / 8],
        };
        let places = (0..places.max(2).next_power_of_two()).map(place).collect();
        Self { places, put: AtomicUsize::new(0), take: AtomicUsize::new(0) }
    }

    fn place(&self, position: usize) -> &Place {
        &self.places[position & (self.places.len() - 1)]
    }

    /// Puts something in; whether there was room.
    pub(super) fn put(&self, waiting: &Waiting) -> bool {
        let mut position = self.put.load(Relaxed);
        loop {
            let place = self.place(position);
            let turn = place.turn.load(Acquire);
            if turn != position {
                if turn.wrapping_sub(position) > usize::MAX / 2 {
                    return false;
                }
                position = self.put.load(Relaxed);
                continue;
            }
            match self.put.compare_exchange_weak(position, position.wrapping_add(1), Relaxed, Relaxed) {
                Ok(_) => {
                    place.registration.store(waiting.registration, Relaxed);
                    place.event.store(waiting.event, Relaxed);
                    place.time.store(waiting.time.cast_unsigned(), Relaxed);
                    for (to, from) in place.payload.iter().zip(&waiting.payload) {
                        to.store(*from, Relaxed);
                    }
                    place.turn.store(position.wrapping_add(1), Release);
                    return true;
                }
                Err(now) => position = now,
            }
        }
    }

    /// Takes out what waits longest, if `admits` it.
    pub(super) fn take(&self, admits: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let mut position = self.take.load(Relaxed);
        loop {
            let place = self.place(position);
            if place.turn.load(Acquire) != position.wrapping_add(1) {
                let now = self.take.load(Relaxed);
                if now == position {
                    return None;
                }
                position = now;
                continue;
            }
            let waiting = Waiting {
                registration: place.registration.load(Relaxed),
                event: place.event.load(Relaxed),
                time: place.time.load(Relaxed).cast_signed(),
                payload: std::array::from_fn(|at| place.payload[at].load(Relaxed)),
            };
            if self.take.load(Acquire) == position && !admits(&waiting) {
                return None;
            }
            match self.take.compare_exchange_weak(position, position.wrapping_add(1), Acquire, Relaxed) {
                Ok(_) => {
                    place.turn.store(position.wrapping_add(self.places.len()), Release);
                    return Some(waiting);
                }
                Err(now) => position = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{Ring, Waiting};

    fn waiting(number: u64) -> Waiting {
        Waiting { registration: number, event: 7, time: -1, payload: [number; 32] }
    }

    #[test]
    fn first_in_first_out_up_to_its_size() {
        let ring = Ring::new(4);
        for round in 0..10 {
            assert_eq!(ring.take(|_| true), None);
            for number in 0..4 {
                assert!(ring.put(&waiting(round * 4 + number)));
            }
            assert!(!ring.put(&waiting(99)));
            assert_eq!(ring.take(|_| false), None);
            for number in 0..4 {
                assert_eq!(ring.take(|_| true), Some(waiting(round * 4 + number)));
            }
        }
    }

    #[test]
    fn threads_lose_and_double_nothing() {
        let (ring, sum, count) = (Ring::new(64), AtomicU64::new(0), AtomicU64::new(0));
        let put = 4 * 20_000;
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let ring = &ring;
                scope.spawn(move || {
                    for number in 0..20_000 {
                        while !ring.put(&waiting(thread * 20_000 + number)) {
                            std::thread::yield_now();
                        }
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    while count.load(Relaxed) < put {
                        if let Some(taken) = ring.take(|_| true) {
                            assert!(taken.payload.iter().all(|word| *word == taken.registration));
                            sum.fetch_add(taken.registration, Relaxed);
                            count.fetch_add(1, Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!((count.load(Relaxed), sum.load(Relaxed)), (put, put * (put - 1) / 2));
    }
}
