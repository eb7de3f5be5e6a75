//! Bringing the interface up and down, and what the host's own life does to it.

use std::ffi::c_int;

use mpit::Error;
use mpit::session::Interface;

use super::{exported, handles, not_null};
use crate::merge::Merged;

exported! {
    /// Brings the interface up (F1).
    fn MPI_T_init_thread / PMPI_T_init_thread(required: c_int, provided: *mut c_int) {
        not_null(provided)?;
        let abi = crate::abi();
        let level = abi.to_thread_level(required).ok_or(Error::Invalid)?;
        let merged = Merged::get();
        let hosts = merged.life.begin(required).and_then(|number| abi.to_thread_level(number));
        let ours = Interface::global().init(level);
        // The whole is as safe as its parts, but never said to be less than the host says of its own.
        let granted = hosts.map_or(ours, |hosts| hosts.max(level.min(ours)));
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { provided.write_unaligned(abi.thread_level(granted)) };
        merged.sync();
        Ok(())
    }

    /// Takes the interface down once (F2).
    fn MPI_T_finalize / PMPI_T_finalize() {
        let interface = Interface::global();
        interface.finalize()?;
        if !interface.is_up() {
            handles::end_all(Merged::get());
        }
        Ok(())
    }
}

/// MPI is initialized: the host may have more to say.
pub fn library_is_up() {
    mpit::host::set_initialized();
    if Interface::global().is_up() {
        let merged = Merged::get();
        merged.sync();
        merged.retry();
    }
}

/// MPI is being finalized and still works: last chance to ask the host.
pub fn library_is_finalizing() {
    let merged = Merged::get();
    merged.remember();
    merged.life.end(handles::leave_all);
}
