//! The parts of this crate that only the other crates of this workspace use. Not a public interface.
//!
//! Nothing here is stable: any release may change or remove it. The crates of this workspace require exactly the version of
//! `mpit` that they were built with (`=0.1.0`), so they change together. All other crates use the attributes and the
//! modules that the documentation of the crate lists. `ARCHITECTURE.md` says why a host needs each module.
//!
//! Locks and the structures that are read without locks are in the crate `mpit-sync`.
//!
//! # Safety
//!
//! Definitions and tools in Rust are safe code. Inside, `unsafe` is limited to type erasure and to the boundaries between images
//! and languages:
//!
//! * a descriptor refers to its cell as a trait object ([`desc`]), whose functions copy values of the cell's type through untyped
//!   pointers, so that cells of all types, and values in C's memory, are read alike;
//! * the buffers of tools are pointers ([`session`]) to as many elements as the handle reported when it was allocated;
//! * a mapped file is memory that other processes could change or truncate (`os::mapping`);
//! * tables of other images are read as their header specifies, after all that can be checked was checked ([`mod@plugin`]).
//!
//! Handles are numbers with a generation, checked on every call: one that is stale, foreign or forged is an error. The
//! access calls take no lock and allocate nothing, so they work in a signal handler that interrupts any of them.

pub use crate::{host, os, panic, registry, session, vocabulary};

pub mod desc {
    pub use crate::cell::{Behavior, PvarFlags};
    pub use crate::component::ComponentDesc;
    pub use crate::desc::*;
    pub use crate::event::{Element, LARGEST_EVENT};
    pub use crate::tool::{CvarDesc, EventDesc, PvarDesc, SourceDesc};
}

pub mod plugin {
    pub use crate::abi;
    pub use crate::desc::Activation;
    pub use crate::export::{announcement, fault_log, image};
    pub use crate::os::environment::{PLUGIN_PATH, PLUGINS};
    #[cfg(feature = "host")]
    pub use crate::plugin::*;
    pub use crate::process::disable_loading;
}
