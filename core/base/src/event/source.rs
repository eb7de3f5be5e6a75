//! The mutable part of a source.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use super::cell::EventCell;
use crate::log::Log;
use crate::vocabulary::Safety;

/// The mutable part of a source, a static beside its descriptor.
#[derive(Debug)]
#[doc(hidden)]
pub struct SourceCell {
    /// Its index, after registration.
    index: AtomicU32,
    /// The latest time stamp given to an event.
    pub(super) latest: AtomicI64,
    /// The number of dropped and unreported instances, over all registrations. Never too low.
    pub(super) unreported: AtomicU64,
    /// The cells of its event types.
    events: Log<&'static EventCell>,
}

impl SourceCell {
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self {
            index: AtomicU32::new(0),
            latest: AtomicI64::new(0),
            unreported: AtomicU64::new(0),
            events: Log::new(),
        }
    }

    pub(crate) fn set_index(&self, index: u32) {
        self.index.store(index, SeqCst);
    }

    /// Adds an event type to the source. One caller at a time.
    pub(crate) fn add_event(&self, event: &'static EventCell) {
        // Cannot fail: the list does not become full, and the registry adds one image at a time.
        let _ = self.events.push(event);
    }

    #[inline]
    pub(super) fn index(&self) -> u32 {
        self.index.load(Relaxed)
    }

    /// Reports drops, before the next event of the source.
    #[inline]
    pub(super) fn report_drops(&self, safety: Safety) {
        if self.unreported.load(Relaxed) != 0 {
            report_drops(self, safety);
        }
    }
}

#[cold]
fn report_drops(source: &SourceCell, safety: Safety) {
    let registrations = source.events.iter().flat_map(|event| event.registrations());
    for registration in registrations.filter(|one| one.has_drops()) {
        if let Some(pin) = registration.pin(safety) {
            pin.report_drops(safety);
        }
    }
}
