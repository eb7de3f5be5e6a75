//! The tools interface: initialization, sessions and handles, with identifiers as a C tool holds them.
//!
//! Rust programs use [`crate::tool`], which wraps this with lifetimes. `mpit-ffi` calls it from C, so no argument is trusted:
//! every index, identifier and pointer is checked, in the order interface, pointers, session, handle, index, meaning.
//!
//! Sessions are isolated: starting, stopping, resetting or writing a handle never changes the value of another one. Tools never
//! write the cell of a variable; `account.rs` and `watermark_cursor.rs` describe how a handle's value is computed. The six access
//! calls (`start`, `stop`, `read`, `write`, `reset`, `readreset`) take no lock and allocate nothing, so they work in signal
//! handlers and event callbacks, as far as the variable's own code does: a computed variable runs its function, and a
//! [`crate::cell::Custom`] variable documents what its handles do.

mod access;
mod account;
mod cvar;
mod elements;
mod event;
mod handle;
mod interface;
mod pvar;

pub use interface::{Interface, Limits};

use crate::object::{Bind, Object};
use crate::registry;

/// Reports that an MPI object was freed. Its values of control variables are dropped, and handles of control variables that
/// are bound to it become invalid.
///
/// `id` is the number that [`Object::id`] returns for it; a later object with the same number has the default value. Calls
/// functions of variables, so the caller must hold no lock that these could take.
pub fn object_freed(kind: Bind, id: u64) {
    match (Interface::existing(), registry::existing()) {
        (Some(interface), _) => interface.object_freed(kind, id),
        (None, Some(registry)) => registry.drop_values(&Object::new(kind, id)),
        (None, None) => {}
    }
}

/// A performance experiment session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub u64);

/// A handle of a performance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PvarHandle(pub u64);

impl PvarHandle {
    /// Returns true if the number has the tag of these handles, for callers that also have handles of other kinds.
    #[inline]
    pub fn is_plausible(self) -> bool {
        (self.0 >> 56) as u8 == interface::PVAR_KIND
    }
}

/// A handle of a control variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CvarHandle(pub u64);

/// The handles that a call applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleSelection {
    /// One handle.
    One(PvarHandle),
    /// `MPI_T_PVAR_ALL_HANDLES`: all handles of the session.
    All,
}
