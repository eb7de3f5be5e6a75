//! The calls between which MPI works, and those that change what communicators are called.

use std::ffi::{c_char, c_int};

use mpit_ffi::abi::Handle;
use mpit_ffi::{comms, life};

use crate::calls::{HandleAt, interposed};

interposed! {
    Always fn MPI_Init / PMPI_Init(argc: *mut c_int, argv: HandleAt) => life::ensure_up();
    Always fn MPI_Init_thread / PMPI_Init_thread(
        argc: *mut c_int, argv: HandleAt, required: c_int, provided: *mut c_int,
    ) => life::ensure_up();
    Before fn MPI_Finalize / PMPI_Finalize() => life::finalizing();
    Watched fn MPI_Comm_set_name / PMPI_Comm_set_name(comm: Handle, name: *const c_char)
      => comms::renamed(mpit_ffi::abi().clean(comm));
}
