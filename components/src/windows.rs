//! Windows of one-sided communication, as traffic knows them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::object;
pub use mpit::traffic::WindowId;
use mpit::words::Bind;

use crate::events;

static NEWEST: AtomicU64 = AtomicU64::new(0);

/// A window over a group of so many processes was created.
/// Tools are told, whose callbacks may do anything: hold no lock that they could need.
pub fn created(size: u32) -> WindowId {
    let window = WindowId::from_number(NEWEST.fetch_add(1, Relaxed) + 1);
    events::win_created(window, size);
    window
}

/// A window is freed. Tools are told, as in [`created`].
pub fn freed(window: WindowId) {
    events::win_freed(window);
    object::freed(Bind::Win, window.get());
}
