//! The registry of windows of one-sided communication.

pub use mpit::component::WindowId;
use mpit_monitoring::RUNTIME;

/// Registers a new window over a group of `size` processes and notifies tools as [`announce`] does.
pub fn created(size: u32) -> WindowId {
    let window = register();
    announce(window, size);
    window
}

/// Registers a new window. The caller [announces](announce) it once other threads can use it.
pub fn register() -> WindowId {
    RUNTIME.windows.register()
}

/// Notifies tools of a registered window over a group of `size` processes. Their callbacks may call any function: the
/// caller must not hold a lock that they could need, and no other thread may wait for the calling one.
pub fn announce(window: WindowId, size: u32) {
    RUNTIME.windows.announce(window, size);
}

/// Starts counting the accesses through a window, since a handle is about to be bound to it. The sums stay while such a
/// handle exists, also after the window is freed.
pub fn pin(window: WindowId) {
    RUNTIME.windows.pin(window);
}

/// Removes a freed window and notifies tools as [`created`] does.
pub fn freed(window: WindowId) {
    RUNTIME.windows.freed(window);
}
