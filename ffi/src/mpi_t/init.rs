//! `MPI_T_init_thread`, `MPI_T_finalize`, and the notifications that MPI was initialized or is being finalized.

use std::ffi::c_int;

use mpit::Error;
use mpit::internal::session::Interface;

use super::{exported, handles};
use crate::merge::Merged;

exported! {
    /// Initializes the interface (F1).
    fn MPI_T_init_thread / PMPI_T_init_thread(required: c_int, provided: *mut c_int) {
        provided.check()?;
        let abi = crate::abi();
        let level = abi.to_thread_level(required).ok_or(Error::Invalid)?;
        let merged = Merged::get();
        let hosts = merged.lifecycle.begin(level);
        let ours = Interface::global().init(level);
        // The lower of the two levels, but never less than the host provides for its own interface.
        let granted = hosts.map_or(ours, |hosts| hosts.max(level.min(ours)));
        provided.set(abi.thread_level(granted));
        merged.sync();
        Ok(())
    }

    /// Finalizes the interface once (F2).
    fn MPI_T_finalize / PMPI_T_finalize() {
        let interface = Interface::global();
        interface.finalize()?;
        if !interface.is_initialized() {
            handles::end_all(Merged::get());
        }
        Ok(())
    }
}

/// Notes that MPI is initialized, and lists the entries that the host has only now.
pub fn library_initialized() {
    mpit::internal::host::set_initialized();
    if Interface::global().is_initialized() {
        let merged = Merged::get();
        merged.sync();
        merged.retry();
    }
}

/// Notes that MPI is being finalized. MPI still works, so this is the last opportunity to query the host.
pub fn library_finalizing() {
    let merged = Merged::get();
    merged.prepare_for_release();
    merged.lifecycle.end(handles::release_all);
}
