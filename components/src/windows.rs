//! Windows of one-sided communication, as traffic knows them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::events;

/// Which window: never reused, whatever the address of the host's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(u64);

impl WindowId {
    /// The number behind it: starts at 1, in the order of creation.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

static NEWEST: AtomicU64 = AtomicU64::new(0);

/// A window over a group of so many processes was created.
/// Tools are told, whose callbacks may do anything: hold no lock that they could need.
pub fn created(size: u32) -> WindowId {
    let window = WindowId(NEWEST.fetch_add(1, Relaxed) + 1);
    events::win_created(window, size);
    window
}

/// A window is freed. Tools are told, as in [`created`].
pub fn freed(window: WindowId) {
    events::win_freed(window);
}
