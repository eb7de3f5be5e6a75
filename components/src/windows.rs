//! Windows of one-sided communication, as traffic knows them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::object;
pub use mpit::traffic::WindowId;
use mpit::words::Bind;

use crate::events;

static NEWEST: AtomicU64 = AtomicU64::new(0);

/// Registers a new window over a group of so many processes and notifies tools, as [`announce`] does.
pub fn created(size: u32) -> WindowId {
    let window = register();
    announce(window, size);
    window
}

/// Registers a new window, which is to be [announced](announce) when other threads can use it.
pub fn register() -> WindowId {
    WindowId::from_number(NEWEST.fetch_add(1, Relaxed) + 1)
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
}
