//! Point-to-point communication: the host reports each message that a process sends.

pub use mpit_frameworks::pml::{Component, Lifecycle, Mode, Pml, Send, Subscription, active, events};
use mpit_monitoring::RUNTIME;
pub use mpit_monitoring::pml::{self as monitoring, Histogram, SizeCells, count, count_for_thread, counter};

/// Reports a message to all listeners.
#[inline]
pub fn sent(send: &Send) {
    RUNTIME.pml.sent(send);
}
