//! `libmpit_preload.so`: MPI_T and monitoring over the MPI library that a program already uses.
//!
//! Loaded in front of the MPI library (`LD_PRELOAD` or `mpit run`), it exports the functions of MPI_T, with
//! our entries merged into the library's own, and interposes the calls of its table ([`call_table`]): it
//! records the data that they transfer and forwards them.
//!
//! # API boundary
//!
//! The interface is C: the functions of MPI_T, `mpit_plugin.h`, and environment variables that `mpit run` sets. No Rust
//! code links this crate.
//!
//! # Invariants
//!
//! * It refers to no MPI symbol, and only counts images with definitions when it is loaded, so programs without MPI are not affected.
//! * It needs only the C library, and few pointers in its statics, because every program loads it.
//! * A name is intercepted only if the next definition is MPI's, except `dlclose` ([`unloading`]). Forwarding keeps every register and
//!   argument.
//! * Without listeners, a call costs one load and one branch more.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

mod arguments;
mod call_table;
mod callers;
mod calls;
mod interpose;
mod isolation;
mod line;
mod nesting;
mod next_definition;
mod recorders;
mod return_address;
mod thread_word;
mod times;
mod trampoline;
mod unloading;
mod unwinder;
mod watch;

use mpit_ffi::heap::Heap;
use mpit_ffi::host::{LOADED_OVER_MPI, Overlay};
use mpit_ffi::{doctor, images, lifecycle};

#[global_allocator]
static HEAP: Heap = Heap::new();

#[linkme::distributed_slice(LOADED_OVER_MPI)]
static OVERLAY: Overlay = Overlay {
    finalizing: lifecycle::finalizing,
    library_is_found: unwinder::load,
    library_is_unknown: doctor::write_without_mpi,
};

/// Counts that an image with definitions was loaded. The image calls this in a constructor, also before `main`.
#[unsafe(no_mangle)]
pub extern "C" fn mpit_image_loaded() {
    images::announced();
}

// Re-exported, so that the functions of MPI_T become symbols of the library.
pub use mpit_ffi::mpi_t;
