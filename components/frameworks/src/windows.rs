//! The registry of windows of one-sided communication.

use std::collections::BTreeSet;
use std::fmt;

pub use mpit::component::WindowId;
use mpit::internal::session::{Interface, object_freed};
use mpit::object::Bind;
use mpit_sync::lock::Mutex;

use crate::events;
use crate::ids::Identities;

struct Records {
    identities: Identities,
    live: BTreeSet<u64>,
    /// Windows that a handle was bound to, freed or not.
    pinned: BTreeSet<u64>,
    /// The freed windows among them, which handles may still be bound to.
    freed: Vec<u64>,
    /// The number of freed windows at which handles are checked again.
    review_at: usize,
}

/// The minimum of [`Records::review_at`].
const REVIEW_AT: usize = 16;

impl Records {
    const fn new() -> Self {
        Self {
            identities: Identities::new(),
            live: BTreeSet::new(),
            pinned: BTreeSet::new(),
            freed: Vec::new(),
            review_at: REVIEW_AT,
        }
    }

    fn new_id(&mut self) -> WindowId {
        let window = self.identities.take();
        self.live.insert(window);
        WindowId::from_number(window)
    }

    fn remove(&mut self, window: u64) {
        self.pinned.remove(&window);
        self.identities.release(window);
    }
}

/// The registry of a host's windows.
pub struct Windows {
    records: Mutex<Records>,
    observer: &'static dyn Observer,
}

impl fmt::Debug for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Windows").finish_non_exhaustive()
    }
}

/// Notifications of a registry's owner about its windows.
pub trait Observer: Sync {
    /// Starts counting the accesses through a window. Threads do not call it concurrently. The registry is locked, so the
    /// function must not call it.
    fn pinned(&self, window: WindowId);
}

impl Windows {
    pub(crate) const fn new(observer: &'static dyn Observer) -> Self {
        Self { records: Mutex::new(Records::new()), observer }
    }

    /// Registers a new window. The caller [announces](Self::announce) it once other threads can use it.
    pub fn register(&self) -> WindowId {
        self.records.lock().new_id()
    }

    /// Notifies tools of a registered window over a group of `size` processes. Their callbacks may call any function: the
    /// caller must not hold a lock that they could need, and no other thread may wait for the calling one.
    pub fn announce(&self, window: WindowId, size: u32) {
        events::win_created(window, size);
    }

    /// Starts counting the accesses through a window. Call it before a handle is bound. Keeps the sums until the last such
    /// handle is freed, also after the window is freed. Does nothing for a window that another thread has freed: its slot
    /// may be that of a new window.
    pub fn pin(&self, window: WindowId) {
        let mut records = self.records.lock();
        if records.live.contains(&window.get()) && records.pinned.insert(window.get()) {
            self.observer.pinned(window);
        }
    }

    /// Removes a freed window and notifies tools as [`announce`](Self::announce) does.
    pub fn freed(&self, window: WindowId) {
        events::win_freed(window);
        object_freed(Bind::Win, window.get());
        let is_due = {
            let mut records = self.records.lock();
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
            self.review();
        }
    }

    /// Releases the slots of freed windows that no handle is bound to any more.
    fn review(&self) {
        let mut records = self.records.lock();
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
}
