//! The implementation of `mpit`, which re-exports the public part of it: use it from there.
//!
//! # API boundary
//!
//! `mpit` re-exports the modules for definitions and tools, and [`internal`] for the crates of this workspace. The attributes are a
//! crate of their own, `mpit-macros`, and expand to paths in `mpit::__private`, which is [`__private`] here. This crate knows no MPI
//! library and no C header of one.
//!
//! It depends on no procedural macro, so that it is compiled beside `syn` and the attributes, and not after them.
//!
//! # Invariants
//!
//! Those that the documentation of `mpit` lists, and those of [`internal`].
#![allow(
    unsafe_code,
    reason = "cells of all types are handled alike; see the section on safety in `internal`"
)]
#![cfg_attr(
    not(all(feature = "plugins", feature = "store")),
    allow(dead_code, unused_imports, reason = "parts of modules serve only hosts, which have the features")
)]
#![allow(clippy::new_without_default, reason = "for statics, and `Default` is not const")]

#[doc(hidden)]
#[allow(missing_docs, reason = "members are described where people read of them, in mpit_plugin.h")]
pub mod abi;
pub mod cell;
pub mod component;
pub mod cvar;
mod desc;
mod error;
pub mod event;
mod export;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod internal;
mod leak;
mod lists;
pub mod object;
#[doc(hidden)]
pub mod os;
#[doc(hidden)]
pub mod panic;
#[cfg(feature = "host")]
mod plugin;
mod process;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod session;
pub mod tool;

#[doc(hidden)]
pub use desc::Category;
pub use desc::MpitEnum;
pub use error::{Error, Result};
#[cfg(all(feature = "host", target_os = "linux", not(miri)))]
use mpit_sync::errno;
use mpit_sync::probe_table;
use mpit_sync::{
    atomic_record, barrier, lock, log, memory, slots, sparse, static_ref, thread_end, thread_number,
};
#[doc(hidden)]
pub use mpit_vocabulary as vocabulary;

#[doc(hidden)]
pub mod __private;

/// Returns the components of all frameworks that are linked into this program, in no particular order.
pub fn components() -> impl Iterator<Item = &'static component::ComponentDesc> {
    lists::all(lists::dependents::Reader::Other).flat_map(|lists| lists.components).copied()
}
