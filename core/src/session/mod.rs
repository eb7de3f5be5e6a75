//! The tools interface itself: its life, sessions and handles, on identifiers as a C tool holds them.
//!
//! Rust programs use [`crate::tool`], which wraps this with lifetimes. `mpit-ffi` calls it from C, so nothing that
//! comes in is trusted: every index, identifier and pointer is checked, in the order interface, pointers, session,
//! handle, index, meaning.
//!
//! Sessions isolate: starting, stopping, resetting or writing a handle never changes what another one shows. The
//! cell of a variable is never written by a tool; see `account.rs`, and `mark.rs` beside the cells, for how a handle's
//! value is made. The six access calls (`start`, `stop`, `read`, `write`, `reset`, `readreset`) take no lock and
//! allocate nothing, so they work in signal handlers and event callbacks. They do so as far as the variable's own
//! code does: a function computes what it pleases, and a [`crate::cell::Custom`] variable says in its description
//! what its handles do.

mod access;
mod account;
mod cvar;
mod elements;
mod handle;
mod interface;
mod pvar;

pub use interface::{Interface, Limits};

/// A performance experiment session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub u64);

/// A handle of a performance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PvarHandle(pub u64);

impl PvarHandle {
    /// Whether a number could be one of these handles at all. For callers that know handles of other kinds, too.
    #[inline]
    #[must_use]
    pub fn is_plausible(self) -> bool {
        (self.0 >> 56) as u8 == interface::PVAR_KIND
    }
}

/// A handle of a control variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CvarHandle(pub u64);

/// Which handles a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// One handle.
    One(PvarHandle),
    /// `MPI_T_PVAR_ALL_HANDLES`: all handles of the session.
    All,
}
