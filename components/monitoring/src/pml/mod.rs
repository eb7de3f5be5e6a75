//! The monitoring component for point-to-point messages: Open MPI's point-to-point monitoring, with the same names and file
//! format.
//!
//! Differences from Open MPI's component are deliberate. Memory grows with the number of peers that messages are sent to.
//! Handles are independent of each other, and recording stops when the last one stops (unless `pml_monitoring_enable`
//! activated it for the whole run). Persistent messages count, and a file that cannot be written is an error that loses no
//! data.

mod variables;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit::internal::host::threads;
use mpit_frameworks::pml::{Component, Lifecycle, Send, Subscription, World};

pub use crate::categories::PmlMonitoring;
pub use crate::record::{Histogram, SizeCells};
use crate::record::{Messages, PeerStats};
use crate::runtime::RUNTIME;
use crate::settings;

pub(crate) static MESSAGES: Messages<'static> = Messages::of_process();

/// Active for the whole run with `pml_monitoring_enable`, and while handles are started.
pub(crate) static SUBSCRIPTION: Subscription = Subscription::pml();

/// True if internal messages of the library count as the user's, which is so with `pml_monitoring_enable` = 1.
static MERGED: AtomicBool = AtomicBool::new(false);

/// Counts a message on the fast path: monitoring is the only listener, the message is the user's, and nothing has to be
/// allocated. Returns false, and does nothing, otherwise. Does not panic.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every message")]
#[must_use]
pub fn count(send: &Send) -> bool {
    RUNTIME.pml.is_only(&SUBSCRIPTION) && send.tag >= 0 && MESSAGES.count(send.to, send.bytes)
}

/// Returns the place where the user's messages to a process are counted by [`Histogram::record_alone`]; `None` unless monitoring is
/// the only listener, one thread calls at a time, and the process was sent a message before. Valid while the
/// [revision](mpit::internal::host::revision) is the same.
#[must_use]
pub fn counter(to: u32) -> Option<&'static Histogram<'static>> {
    if threads::concurrent() || !is_only() {
        return None;
    }
    MESSAGES.external(to).map(PeerStats::shared)
}

/// Counts a message for this thread, of several that call at once; returns the place where it was counted, which is like that of
/// [`counter`] but for this thread only. `None` unless monitoring is the only listener, the message is the user's, and threads do
/// not have too many such places.
#[must_use]
pub fn count_for_thread(send: &Send, slot: usize) -> Option<&'static Histogram<'static>> {
    if is_only() && send.tag >= 0 { MESSAGES.record_for_thread(slot, send.to, send.bytes) } else { None }
}

#[inline]
fn is_only() -> bool {
    RUNTIME.pml.is_only(&SUBSCRIPTION)
}

/// The component `monitoring` of the framework `pml`.
#[derive(Debug)]
pub struct Monitoring;

/// Counts messages and bytes per peer, for performance variables and `.prof` files.
#[mpit::component(framework = "pml", name = "monitoring")]
impl Component for Monitoring {
    #[inline]
    fn sent(&self, send: &Send) {
        let internal = send.tag < 0 && !MERGED.load(Relaxed);
        MESSAGES.record(send.to, send.bytes, internal);
    }
}

impl Lifecycle for Monitoring {
    fn subscription(&self) -> &'static Subscription {
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        MERGED.store(settings::ENABLE.get() == 1, Relaxed);
        if settings::is_recorded() {
            SUBSCRIPTION.add();
        }
        true
    }
}
