//! `libmpit_preload.so`: the tools interface and monitoring over the MPI library that a program already has.
//!
//! Loaded in front of the MPI library (`LD_PRELOAD`, or `mpit run`), it offers the functions of the tools interface
//! with our entries merged into the library's own, and passes on the calls of its table ([`mod@table`]) after noting
//! what they move. It refers to no MPI symbol, runs nothing when it is loaded, and so does not disturb programs without
//! MPI.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

mod arguments;
mod callers;
mod calls;
mod depth;
mod interpose;
mod next;
mod notes;
mod table;
mod trampoline;

/// There is an MPI library underneath.
#[linkme::distributed_slice(mpit_ffi::host::OVER_A_LIBRARY)]
static OVER_A_LIBRARY: bool = true;

// The functions of the tools interface are exported from here.
pub use mpit_ffi::mpi_t;
