//! The moving part of a source.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicI64, AtomicU32,
    Ordering::{Acquire, Relaxed, SeqCst},
};

use super::clock;
use super::ring::Ring;
use crate::desc::{EventDesc, SourceDesc};
use crate::log::Log;
use crate::words::SourceOrder;

/// What a source remembers. One static beside each source's descriptor.
#[derive(Debug)]
pub struct SourceCell {
    /// Its index, once it is registered.
    index: AtomicU32,
    /// The latest time stamp given to an event.
    latest: AtomicI64,
    /// Registrations of its events that have drops to tell of.
    pub(super) pending: AtomicU32,
    /// Its event types.
    pub(super) events: Log<&'static EventDesc>,
    /// Instances that wait for a context that admits their callbacks.
    pub(super) waiting: OnceLock<Ring>,
}

impl SourceCell {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            index: AtomicU32::new(0),
            latest: AtomicI64::new(0),
            pending: AtomicU32::new(0),
            events: Log::new(),
            waiting: OnceLock::new(),
        }
    }

    pub(crate) fn set_index(&self, index: u32) {
        self.index.store(index, SeqCst);
    }

    /// Tells the source of an event type. One caller at a time.
    pub(crate) fn add_event(&self, event: &'static EventDesc) {
        // The list is longer than memory, and the registry adds one image at a time.
        let _ = self.events.push(event);
    }

    #[inline]
    pub(super) fn index(&self) -> u32 {
        self.index.load(Relaxed)
    }
}

impl SourceDesc {
    /// The time stamp for an event that is observed now. Those of an ordered source never fall.
    #[inline]
    pub(super) fn stamp(&self) -> i64 {
        let now = clock::now();
        match self.ordering() {
            SourceOrder::Unordered => now,
            SourceOrder::Ordered => self.cell().latest.fetch_max(now, SeqCst).max(now),
        }
    }

    /// The present time of the source (`MPI_T_source_get_timestamp`). Never before that of an event that it stamped.
    #[must_use]
    pub fn timestamp(&self) -> i64 {
        clock::now().max(self.cell().latest.load(Acquire))
    }

    /// Ticks of a second.
    #[must_use]
    pub fn ticks_per_second(&self) -> i64 {
        clock::ticks_per_second()
    }

    /// The largest tick.
    #[must_use]
    pub fn max_ticks(&self) -> i64 {
        clock::MAX_TICKS
    }
}
