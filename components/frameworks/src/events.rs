//! The source of all events of this crate, and those of communicators and windows.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mpit::component::{CommId, WindowId};
use mpit::event::{Context, Event};
use mpit::{category, event, source};

/// The clock of this process's events: the processor's cycle counter.
#[source(ordered, name = "mpit")]
#[derive(Debug)]
pub struct Clock;

/// Creation and release of communicators and windows.
#[category(name = "objects")]
#[derive(Debug)]
pub struct Objects;

/// A communicator was created, or was used for the first time if its creation was not observed.
#[event(
    name = "comm_created", source = Clock, category = Objects, listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct CommCreated {
    /// The number that identifies the communicator for the life of the process.
    pub communicator: u64,
    /// The number of processes that messages on it go to: for an intercommunicator the remote group.
    pub size: i32,
    /// 1 for an intercommunicator, else 0.
    pub remote: i32,
    /// The number of neighbors that it sends to, if it has a topology.
    pub neighbors: i32,
}

/// A communicator was freed.
#[event(
    name = "comm_freed", source = Clock, category = Objects, listeners = LISTENING, verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct CommFreed {
    /// The number that identifies the communicator for the life of the process.
    pub communicator: u64,
}

/// A window for one-sided communication was created, or was used for the first time if its creation was not observed.
#[event(
    name = "win_created", source = Clock, category = Objects, listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct WinCreated {
    /// The number that identifies the window for the life of the process.
    pub window: u64,
    /// The number of processes in its group.
    pub size: i32,
}

/// A window for one-sided communication was freed.
#[event(
    name = "win_freed", source = Clock, category = Objects, listeners = LISTENING, verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct WinFreed {
    /// The number that identifies the window for the life of the process.
    pub window: u64,
}

static LISTENING: AtomicU32 = AtomicU32::new(0);

/// Returns true if a tool listens to communicators and windows being created or freed (one load). A host that otherwise
/// registers them on first use should then register them on creation.
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

pub(crate) fn comm_created(comm: CommId, size: u32, remote: bool, neighbors: usize) {
    CommCreated::raise(Context::ANYWHERE, || CommCreated {
        communicator: comm.get(),
        size: size.cast_signed(),
        remote: i32::from(remote),
        neighbors: neighbors as i32,
    });
}

pub(crate) fn comm_freed(communicator: u64) {
    CommFreed::raise(Context::ANYWHERE, || CommFreed { communicator });
}

pub(crate) fn win_created(window: WindowId, size: u32) {
    WinCreated::raise(Context::ANYWHERE, || WinCreated { window: window.get(), size: size.cast_signed() });
}

pub(crate) fn win_freed(window: WindowId) {
    WinFreed::raise(Context::ANYWHERE, || WinFreed { window: window.get() });
}
