//! The mutable part of a source.

use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use super::clock;
use super::desc::{EventDesc, SourceDesc};
use crate::log::Log;
use crate::vocabulary::{Safety, SourceOrder};

/// The mutable part of a source, a static beside its descriptor.
#[derive(Debug)]
#[doc(hidden)]
pub struct SourceCell {
    /// Its index, after registration.
    index: AtomicU32,
    /// The latest time stamp given to an event.
    latest: AtomicI64,
    /// The number of dropped and unreported instances, over all registrations. Never too low.
    pub(super) unreported: AtomicU64,
    pub(super) events: Log<&'static EventDesc>,
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
    pub(crate) fn add_event(&self, event: &'static EventDesc) {
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
    let registrations = source.events.iter().flat_map(|event| event.cell().registrations());
    for registration in registrations.filter(|one| one.has_drops()) {
        if let Some(pin) = registration.pin(safety) {
            pin.report_drops(safety);
        }
    }
}

impl SourceDesc {
    /// Returns the time stamp for an event that is observed now. Those of an ordered source never decrease.
    #[inline]
    pub(super) fn stamp(&self) -> i64 {
        let now = clock::now();
        match self.order() {
            SourceOrder::Unordered => now,
            SourceOrder::Ordered => self.cell().latest.fetch_max(now, SeqCst).max(now),
        }
    }

    /// Returns the present time of the source (`MPI_T_source_get_timestamp`). Never less than the time stamp of an earlier event.
    pub fn timestamp(&self) -> i64 {
        clock::now().max(self.cell().latest.load(Acquire))
    }

    /// Returns the number of ticks per second.
    pub fn ticks_per_second(&self) -> i64 {
        clock::ticks_per_second()
    }

    /// Returns the largest tick.
    pub fn max_ticks(&self) -> i64 {
        clock::MAX_TICKS
    }
}
