//! The registry of windows of one-sided communication.

use std::collections::BTreeSet;

pub use mpit::component::WindowId;
use mpit::internal::lock::Mutex;
use mpit::internal::session::Interface;
use mpit::internal::session::object_freed;
use mpit::object::Bind;

use crate::comms::NUMBER_BITS;
use crate::events;
use crate::osc::monitoring as accesses;

struct Records {
    /// The number of the newest window.
    newest: u64,
    /// Slots that can be used again.
    slots: Vec<u32>,
    /// Windows that are not freed.
    live: BTreeSet<u64>,
    /// Windows that a handle was bound to, freed or not.
    pinned: BTreeSet<u64>,
    /// The freed windows among them, which handles may still be bound to.
    freed: Vec<u64>,
    /// The number of freed windows at which handles are checked again.
    review_at: usize,
}

/// The minimum of `review_at`.
const REVIEW_AT: usize = 16;

static RECORDS: Mutex<Records> = Mutex::new(Records {
    newest: 0,
    slots: Vec::new(),
    live: BTreeSet::new(),
    pinned: BTreeSet::new(),
    freed: Vec::new(),
    review_at: REVIEW_AT,
});

impl Records {
    fn new_id(&mut self) -> WindowId {
        self.newest += 1;
        let slot = self.slots.pop().map_or(0, u64::from);
        let window = slot << NUMBER_BITS | self.newest;
        self.live.insert(window);
        WindowId::from_number(window)
    }

    /// Removes the sums of a freed window, so that its slot can be reused.
    fn remove(&mut self, window: u64) {
        self.pinned.remove(&window);
        let slot = slot(window);
        if slot < 1 << (64 - NUMBER_BITS) {
            self.slots.push(slot);
        }
    }
}

/// Returns the slot for the sums of a window; see [`crate::comms::slot`].
#[inline]
#[must_use]
pub(crate) fn slot(window: u64) -> u32 {
    crate::comms::slot(window)
}

/// Registers a new window over a group of `size` processes and notifies tools as [`announce`] does.
pub fn created(size: u32) -> WindowId {
    let window = register();
    announce(window, size);
    window
}

/// Registers a new window. The caller [announces](announce) it once other threads can use it.
pub fn register() -> WindowId {
    RECORDS.lock().new_id()
}

/// Notifies tools of a registered window over a group of `size` processes. Their callbacks may call any function: the
/// caller must not hold a lock that they could need, and no other thread may wait for the calling one.
pub fn announce(window: WindowId, size: u32) {
    events::win_created(window, size);
}

/// Starts counting the accesses through a window, since a handle is about to be bound to it. The sums stay while such a
/// handle exists, also after the window is freed. Does nothing for a window that another thread has freed: its slot may be
/// that of a new window.
pub fn pin(window: WindowId) {
    let mut records = RECORDS.lock();
    if records.live.contains(&window.get()) && records.pinned.insert(window.get()) {
        accesses::count_window(window);
    }
}

/// Removes a freed window and notifies tools as [`created`] does.
pub fn freed(window: WindowId) {
    events::win_freed(window);
    object_freed(Bind::Win, window.get());
    let is_due = {
        let mut records = RECORDS.lock();
        records.live.remove(&window.get());
        let is_pinned = records.pinned.contains(&window.get());
        if is_pinned {
            records.freed.push(window.get());
        } else {
            records.remove(window.get());
        }
        is_pinned && records.freed.len() >= records.review_at
    };
    if is_due {
        review();
    }
}

/// Removes the sums of freed windows that no handle is bound to any more.
fn review() {
    let mut records = RECORDS.lock();
    // Read under the lock, so that the list includes handles that were bound in the meantime.
    let bound = Interface::global().bound_objects(Bind::Win);
    for window in std::mem::take(&mut records.freed) {
        if bound.contains(&window) {
            records.freed.push(window);
        } else {
            records.remove(window);
        }
    }
    records.review_at = (2 * records.freed.len()).max(REVIEW_AT);
}
