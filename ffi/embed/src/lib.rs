//! `libmpit.so`: the tools interface for MPI implementations that have none.
//!
//! The functions of the tools interface and of info objects, under both their names, with the numbers of the MPI-5
//! standard ABI, over the variables, events and categories that are registered in this process. There is no MPI library
//! underneath.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

pub mod info;

// The functions of the tools interface are exported from here.
pub use mpit_ffi::mpi_t;
pub use mpit_ffi::register;
