//! Dropped events of a registration: their count, and reports of it.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::functions::{DropReport, Record};
use super::registration::Registration;
use crate::vocabulary::Safety;

impl Registration {
    /// Counts an event that cannot be delivered, if the tool set a handler of drops.
    pub(super) fn drop_event(&self) {
        if self.functions.read(Record::handler).is_null() {
            return;
        }
        let unreported = self.event.unreported_drops();
        // The source's count is incremented first, since a report in another thread decrements it.
        unreported.fetch_add(1, Relaxed);
        if !count_one(&self.dropped) {
            unreported.fetch_sub(1, Relaxed);
        }
    }

    pub(super) fn take_drops(&self) -> i64 {
        let count = self.dropped.swap(0, Relaxed);
        self.event.unreported_drops().fetch_sub(count.cast_unsigned(), Relaxed);
        count
    }

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
            let (registration, source) = (self.id(), self.event.source_index());
            let report =
                DropReport { count, registration, source, safety: context, user_data: callback.user_data };
            // SAFETY: `event_set_dropped_handler` stored the handler, which by its conditions fits the registration's `abi`.
            unsafe { (abi.report)(handler, &report) };
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
