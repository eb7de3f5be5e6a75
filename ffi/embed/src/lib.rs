//! `libmpit.so`: MPI_T for MPI implementations that have none.
//!
//! The functions of MPI_T and of info objects, under both their names, with the constants of the MPI-5
//! standard ABI. They serve the variables, events and categories that are registered in this process. There
//! is no MPI library underneath.
//!
//! # API boundary
//!
//! The interface is C: `mpi.h` of the standard ABI, and `mpit_plugin.h` with `mpit_register`.
//!
//! # Invariants
//!
//! If another MPI library is in the process, calls are forwarded to that library, and one line says so.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

pub mod info;

use mpit_ffi::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap::new();

// Re-exported, so that the functions of MPI_T become symbols of the library.
pub use mpit_ffi::mpi_t;
pub use mpit_ffi::register;
