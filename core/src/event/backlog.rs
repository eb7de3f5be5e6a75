//! Undelivered events of a registration: deferred ones, and the count of dropped ones.

use std::sync::atomic::{
    AtomicI64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::functions::{DropReport, Record};
use super::instance::Instance;
use super::registration::Registration;
use super::ring::Ring;
use crate::vocabulary::Safety;

/// Drops.
impl Registration {
    /// Defers an event that cannot be delivered now, if the tool requested that and the queue has space; otherwise drops it.
    pub(super) fn defer(&self, time: i64, payload: &[u64]) {
        let is_wanted = self.defers.load(Relaxed) || self.has_deferred();
        let ring = if is_wanted { self.ring() } else { None };
        if ring.is_none() && !self.counts_drops() {
            return;
        }
        // Counted before it is in the queue, since a thread that removes it decrements the count.
        self.source().pending.fetch_add(1, Relaxed);
        if let Some(ring) = ring
            && self.admits(Safety::None)
            && ring.put(time, payload)
        {
            return;
        }
        self.drop_pending();
    }

    /// Returns true if a callback may run in a context.
    fn admits(&self, context: Safety) -> bool {
        self.functions.read(|record| record.select(context)).is_some()
    }

    /// Returns true if the tool set a handler of drops.
    fn counts_drops(&self) -> bool {
        !self.functions.read(Record::handler).is_null()
    }

    /// Counts a pending event as dropped.
    fn drop_pending(&self) {
        if !(self.counts_drops() && count_one(&self.dropped)) {
            self.source().pending.fetch_sub(1, Relaxed);
        }
    }

    /// Clears the count of drops, and returns it.
    pub(crate) fn take_drops(&self) -> i64 {
        let count = self.dropped.swap(0, Relaxed);
        self.source().pending.fetch_sub(count.cast_unsigned(), Relaxed);
        count
    }

    /// Returns true if there are unreported drops.
    #[inline]
    pub(super) fn has_drops(&self) -> bool {
        self.dropped.load(Relaxed) != 0
    }

    /// Reports drops, if there are any and a callback's level admits it.
    pub(super) fn report_drops(&self, context: Safety) {
        if !self.has_drops() {
            return;
        }
        let (callback, handler) = self.functions.read(|record| (record.select(context), record.handler()));
        if handler.is_null() {
            // Counted while the handler was being removed.
            self.take_drops();
            return;
        }
        let Some(callback) = callback else { return };
        let count = self.take_drops();
        if count > 0
            && let Some(abi) = self.abi()
        {
            let (registration, source) = (self.id(), self.source().index());
            let report =
                DropReport { count, registration, source, safety: context, user_data: callback.user_data };
            // SAFETY: the tool set the handler for this registration, whose `abi` is for functions of this kind: the caller of
            // `event_set_dropped_handler` guarantees it.
            unsafe { (abi.report)(handler, &report) };
        }
    }
}

/// Deferred events. One thread at a time delivers them, in order; meanwhile others append to the queue, so that no event
/// overtakes another.
impl Registration {
    /// Allocates the queue, if there is none.
    pub(crate) fn allocate_queue(&self, slots: impl FnOnce() -> usize) {
        if self.ring().is_none() {
            let ring = Box::into_raw(Box::new(Ring::new(slots(), self.desc.extent().div_ceil(8))));
            if self.deferred.compare_exchange(std::ptr::null_mut(), ring, Release, Relaxed).is_err() {
                // SAFETY: made from a box above, and not published, since the exchange failed.
                drop(unsafe { Box::from_raw(ring) });
            }
        }
    }

    #[inline]
    fn ring(&self) -> Option<&Ring> {
        // SAFETY: null, or a `Ring` that `allocate_queue` leaked from a box; it is never freed.
        unsafe { self.deferred.load(Acquire).as_ref() }
    }

    /// Returns true if there are deferred events, or such that are being delivered.
    #[inline]
    pub(super) fn has_deferred(&self) -> bool {
        self.ring().is_some_and(|ring| self.draining.load(SeqCst) || !ring.is_empty())
    }

    /// Delivers deferred events, as far as the context admits it, and then reports drops.
    pub(crate) fn flush_deferred(&self, safety: Safety) {
        let Some(ring) = self.ring() else { return self.report_drops(safety) };
        // Callbacks may raise events again, which are deferred as well, so the loop is bounded.
        let mut limit = ring.slots();
        // A thread that appends after the check below finds `draining` cleared, and delivers itself.
        while limit > 0 && !ring.is_empty() && self.admits(safety) && !self.draining.swap(true, SeqCst) {
            // Events in the queue are older than the dropped ones, for which it had no space.
            let count = ring.len().min(limit);
            let mut delivered = 0;
            while delivered < count && self.deliver_deferred(ring, safety) {
                delivered += 1;
            }
            self.report_drops(safety);
            self.draining.store(false, SeqCst);
            if delivered == 0 {
                return;
            }
            limit -= delivered;
        }
        if !self.has_deferred() {
            self.report_drops(safety);
        }
    }

    /// Delivers the oldest deferred event, if the context admits it. Only for the thread that set `draining`.
    fn deliver_deferred(&self, ring: &Ring, safety: Safety) -> bool {
        // A callback may have freed the registration.
        if !self.is_live() {
            return false;
        }
        let Some(callback) = self.functions.read(|record| record.select(safety)) else { return false };
        let Some((time, payload)) = ring.first() else { return false };
        let Some(instance) = Instance::claim(self.desc, safety) else { return false };
        instance.fill(time, payload.words());
        ring.remove_first();
        self.source().pending.fetch_sub(1, Relaxed);
        self.deliver(callback, instance.id(), safety);
        true
    }

    /// Drops the deferred events. Only when there are no pins.
    pub(super) fn drop_deferred(&self) {
        let Some(ring) = self.ring() else { return };
        while !ring.is_empty() {
            ring.remove_first();
            self.drop_pending();
        }
    }
}

/// Increments a count, unless it is at its maximum.
fn count_one(count: &AtomicI64) -> bool {
    count.fetch_update(Relaxed, Relaxed, |count| count.checked_add(1)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R277.
    #[test]
    fn drop_count_saturates() {
        let count = AtomicI64::new(i64::MAX - 1);
        assert!(count_one(&count));
        assert!(!count_one(&count));
        assert_eq!(count.load(Relaxed), i64::MAX);
    }
}
