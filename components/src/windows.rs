//! Windows of one-sided communication, as traffic knows them.

use std::collections::BTreeSet;

use mpit::lock::Mutex;
use mpit::object;
use mpit::session::Interface;
pub use mpit::traffic::WindowId;
use mpit::words::Bind;

use crate::comms::NUMBER_BITS;
use crate::events;
use crate::osc::monitoring as accesses;

struct Records {
    /// The number of the newest window.
    newest: u64,
    /// Slots that can be used again.
    slots: Vec<u32>,
    /// Windows that a handle was bound to, freed or not.
    pinned: BTreeSet<u64>,
    /// Freed ones among them.
    bound: Vec<u64>,
    /// Handles are looked through again when so many freed windows are bound.
    review_at: usize,
}

/// The least number of freed windows for which handles are looked through.
const REVIEW_AT: usize = 16;

static RECORDS: Mutex<Records> = Mutex::new(Records {
    newest: 0,
    slots: Vec::new(),
    pinned: BTreeSet::new(),
    bound: Vec::new(),
    review_at: REVIEW_AT,
});

impl Records {
    fn new_id(&mut self) -> WindowId {
        self.newest += 1;
        let slot = self.slots.pop().map_or(0, u64::from);
        WindowId::from_number(slot << NUMBER_BITS | self.newest)
    }

    /// Nothing is kept of a freed window any more.
    fn forget(&mut self, window: u64) {
        self.pinned.remove(&window);
        let slot = slot(window);
        if slot < 1 << (64 - NUMBER_BITS) {
            self.slots.push(slot);
        }
    }
}

/// The number of a slot for what is kept of a window; see [`crate::comms::slot`].
#[inline]
#[must_use]
pub(crate) fn slot(window: u64) -> u32 {
    crate::comms::slot(window)
}

/// Registers a new window over a group of so many processes and notifies tools, as [`announce`] does.
pub fn created(size: u32) -> WindowId {
    let window = register();
    announce(window, size);
    window
}

/// Registers a new window, which is to be [announced](announce) when other threads can use it.
pub fn register() -> WindowId {
    RECORDS.lock().new_id()
}

/// Notifies tools of a registered window over a group of so many processes. Their callbacks may do anything: hold no lock that
/// they could need, and let no other thread wait for this one.
pub fn announce(window: WindowId, size: u32) {
    events::win_created(window, size);
}

/// A window is freed. Tools are told, as in [`created`].
pub fn freed(window: WindowId) {
    events::win_freed(window);
    object::freed(Bind::Win, window.get());
    let is_pinned = {
        let mut records = RECORDS.lock();
        let is_pinned = records.pinned.contains(&window.get());
        if is_pinned {
            records.bound.push(window.get());
        } else {
            records.forget(window.get());
        }
        is_pinned && records.bound.len() >= records.review_at
    };
    if is_pinned {
        review();
    }
}

/// Forgets the freed windows that no handle is bound to any more.
fn review() {
    let mut records = RECORDS.lock();
    // Read under the lock, so that it is not older than a handle that was bound in the meantime.
    let bound = Interface::global().bound_objects(Bind::Win);
    for window in std::mem::take(&mut records.bound) {
        if bound.contains(&window) {
            records.bound.push(window);
        } else {
            records.forget(window);
        }
    }
    records.review_at = (2 * records.bound.len()).max(REVIEW_AT);
}
