//! What a registration was not given: instances that wait for a better moment, and the count of those that are lost.

use std::sync::atomic::{
    AtomicI64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::functions::{DropReport, Record};
use super::instance::Instance;
use super::registration::Registration;
use super::ring::Ring;
use crate::words::Safety;

/// Losses.
impl Registration {
    /// Keeps an instance that cannot be delivered now, if the tool asked for that and there is room; else it is lost.
    pub(super) fn set_aside(&self, time: i64, payload: &[u64]) {
        let wanted = self.defers.load(Relaxed) || self.has_waiting();
        let ring = self.ring().filter(|_| wanted);
        if ring.is_none() && !self.counts_drops() {
            return;
        }
        let has_callback = || self.functions.read(|record| record.select(Safety::None)).is_some();
        // Counted before it is there, so that who meets it may take it off the count.
        self.source().pending.fetch_add(1, Relaxed);
        if !ring.is_some_and(|ring| has_callback() && ring.put(time, payload)) {
            self.lose_pending();
        }
    }

    /// Whether anybody wants to know of losses.
    fn counts_drops(&self) -> bool {
        !self.functions.read(Record::handler).is_null()
    }

    /// Counts an instance that was pending and is lost.
    fn lose_pending(&self) {
        if !(self.counts_drops() && count_one(&self.dropped)) {
            self.source().pending.fetch_sub(1, Relaxed);
        }
    }

    /// Forgets the count of lost instances, and returns it.
    pub(super) fn take_drops(&self) -> i64 {
        let count = self.dropped.swap(0, Relaxed);
        self.source().pending.fetch_sub(count.cast_unsigned(), Relaxed);
        count
    }

    /// Whether there are losses to tell of.
    #[inline]
    pub(super) fn has_drops(&self) -> bool {
        self.dropped.load(Relaxed) != 0
    }

    /// Tells of losses, if there are any and a callback's level admits it.
    pub(super) fn report_drops(&self, context: Safety) {
        if !self.has_drops() {
            return;
        }
        let (callback, handler) = self.functions.read(|record| (record.select(context), record.handler()));
        if handler.is_null() {
            // Counted while the handler was being removed.
            self.take_drops();
        }
        let Some(callback) = callback.filter(|_| !handler.is_null()) else { return };
        let count = self.take_drops();
        if let (1.., Some(abi)) = (count, self.abi()) {
            let (registration, source) = (self.id(), self.source().index());
            let report =
                DropReport { count, registration, source, safety: context, user_data: callback.user_data };
            // SAFETY: the function is the tool's handler, and `report` of the ABI that it was registered with calls it.
            unsafe { (abi.report)(handler, &report) };
        }
    }
}

/// What waits. One at a time delivers it, in its order; who meets him at it puts what is new behind it, so that
/// nothing is overtaken.
impl Registration {
    /// Makes room for what may wait, if there is none.
    pub(super) fn prepare_to_wait(&self, places: impl FnOnce() -> usize) {
        if self.ring().is_none() {
            let ring = Box::into_raw(Box::new(Ring::new(places(), self.desc.extent().div_ceil(8))));
            if self.waiting.compare_exchange(std::ptr::null_mut(), ring, Release, Relaxed).is_err() {
                // SAFETY: made above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(ring) });
            }
        }
    }

    #[inline]
    fn ring(&self) -> Option<&Ring> {
        // SAFETY: null, or what `prepare_to_wait` made, which stays for ever.
        unsafe { self.waiting.load(Acquire).as_ref() }
    }

    /// Whether something waits, or did and is being delivered.
    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        self.ring().is_some_and(|ring| self.draining.load(SeqCst) || !ring.is_empty())
    }

    /// Delivers what waits, as far as the context admits it, and then tells of losses.
    pub(super) fn catch_up(&self, safety: Safety) {
        let Some(ring) = self.ring() else { return self.report_drops(safety) };
        let admitted = || self.functions.read(|record| record.select(safety)).is_some();
        // Callbacks may raise events again, which then wait as well; some day it is enough.
        let mut patience = ring.places();
        // Whoever puts something in after we looked finds that we have left.
        while patience > 0 && !ring.is_empty() && admitted() && !self.draining.swap(true, SeqCst) {
            // What is in the ring now came before what was lost for want of room.
            let count = ring.len().min(patience);
            let delivered = (0..count).take_while(|_| self.deliver_waiting(ring, safety)).count();
            self.report_drops(safety);
            self.draining.store(false, SeqCst);
            if delivered == 0 {
                return;
            }
            patience -= delivered;
        }
        if !self.has_waiting() {
            self.report_drops(safety);
        }
    }

    /// Delivers what waits longest, unless it must wait on. Only for whoever set `draining`.
    fn deliver_waiting(&self, ring: &Ring, safety: Safety) -> bool {
        let callback = self.functions.read(|record| record.select(safety));
        // Callbacks may have freed it.
        let Some(callback) = callback.filter(|_| self.is_live()) else { return false };
        let Some((time, payload)) = ring.first() else { return false };
        let Some(instance) = Instance::claim(self.desc, safety) else { return false };
        instance.fill(time, payload.words());
        ring.remove_first();
        self.source().pending.fetch_sub(1, Relaxed);
        self.deliver(callback, instance.id(), safety);
        true
    }

    /// Gives up what waits. Only when nobody visits.
    pub(super) fn lose_waiting(&self) {
        let Some(ring) = self.ring() else { return };
        while !ring.is_empty() {
            ring.remove_first();
            self.lose_pending();
        }
    }
}

/// Counts one more, unless the count is at its largest.
fn count_one(count: &AtomicI64) -> bool {
    count.fetch_update(Relaxed, Relaxed, |count| count.checked_add(1)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r277_the_count_of_losses_stays_at_its_largest() {
        let count = AtomicI64::new(i64::MAX - 1);
        assert!(count_one(&count));
        assert!(!count_one(&count));
        assert_eq!(count.load(Relaxed), i64::MAX);
    }
}
