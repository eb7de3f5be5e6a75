//! The parts of this crate that only the other crates of this workspace use. Not a public interface.
//!
//! Nothing here is stable: any release may change or remove it. The crates of this workspace require exactly the version of
//! `mpit` that they were built with (`=0.1.0`), so they change together. All other crates use the attributes and the
//! modules that the documentation of the crate lists.
//!
//! | module | content |
//! |---|---|
//! | [`registry`] | the definitions of this process, and how an image is added to them |
//! | [`session`] | the tools interface on plain numbers, as the C functions need it |
//! | [`cell`] | computed variables that share a function |
//! | [`desc`], [`vocabulary`] | the descriptors that the attributes generate, and the vocabularies of the standard |
//! | [`plugin`] | tables and components of other images: C structs, loading, export |
//! | [`host`], [`threads`], [`revision`] | the state of the MPI library: initialized or not, its thread level; when it changed |
//! | [`log`], [`probe_table`], [`slots`], [`sparse`], [`static_ref`] | lists and tables that are read without locks |
//! | `active_calls` | calls in progress, for which a thread that frees an object waits |
//! | `thread_slots` | small numbers for running threads |
//! | `word_sum` | sums of counters |
//! | [`panic`] | the boundary that panics do not cross |
//! | [`lock`] | locks that are never held in a forked child |
//! | `mapping` | memory that survives the process in a file, with the feature `store` |
//! | [`memory`] | memory is short, or not |
//! | [`environment`] | environment variables; none in a privileged process |
//! | `errno` | code that does not change `errno`, on Linux |
//! | [`files`] | files that are opened and written without disturbing the program |
//! | [`trusted_path`] | paths that only root and the user can change |
//! | `own_process`, `peer_port` | the identity of this process on its machine, and the other end of connections that it inherited |
//!
//! # Safety
//!
//! Definitions and tools in Rust are safe code. Inside, `unsafe` is limited to type erasure and to the boundaries between images
//! and languages:
//!
//! * a descriptor refers to its cell as a trait object ([`desc`]), whose functions copy values of the cell's type through untyped
//!   pointers, so that cells of all types, and values in C's memory, are read alike;
//! * the buffers of tools are pointers ([`session`]) to as many elements as the handle reported when it was allocated;
//! * lists return references into memory that never moves ([`log`], [`sparse`]);
//! * a mapped file is memory that other processes could change or truncate (`mapping`);
//! * tables of other images are read as their header specifies, after all that can be checked was checked ([`mod@plugin`]).
//!
//! Handles are numbers with a generation, checked on every call: one that is stale, foreign or forged is an error. The
//! access calls take no lock and allocate nothing, so they work in a signal handler that interrupts any of them.

pub use crate::printable::printable;

pub mod cell {
    pub use crate::cell::{Numbered, NumberedPvars};
}

pub mod desc {
    pub use crate::cell::{Behavior, PvarFlags};
    pub use crate::component::ComponentDesc;
    pub use crate::desc::*;
    pub use crate::event::{Element, LARGEST_EVENT};
    pub use crate::tool::{CvarDesc, EventDesc, PvarDesc, SourceDesc};
}

pub mod plugin {
    pub use crate::activation::Activation;
    pub use crate::environment::{PLUGIN_PATH, PLUGINS};
    pub use crate::export::{announcement, fault_log};
    #[cfg(feature = "host")]
    pub use crate::plugin::*;
    pub use crate::process::disable_loading;

    pub mod image {
        pub use crate::export::image::*;
        #[cfg(feature = "host")]
        pub use crate::plugin::adopt;
    }

    pub mod abi {
        pub use crate::abi::*;
    }
}

macro_rules! whole {
    ($($(#[$cfg:meta])? $module:ident)*) => {$(
        $(#[$cfg])?
        pub mod $module {
            pub use crate::$module::*;
        }
    )*};
}

whole! {
    #[cfg(feature = "host")]
    active_calls
    environment
    #[cfg(all(target_os = "linux", not(miri)))]
    errno
    files
    host
    lock
    log
    #[cfg(feature = "store")]
    mapping
    memory
    #[cfg(any(feature = "host", feature = "store"))]
    own_process
    panic
    #[cfg(all(feature = "host", not(mpit_models)))]
    peer_port
    probe_table
    registry
    revision
    session
    slots
    sparse
    static_ref
    #[cfg(all(feature = "host", not(mpit_models)))]
    thread_slots
    threads
    trusted_path
    vocabulary
    #[cfg(all(feature = "host", not(mpit_models)))]
    word_sum
}
