//! The places in the program that make calls: return addresses, which trampolines store for each call while places are wanted.
//!
//! Only the functions of [`sited`](crate::trampoline::sited) write the word of a thread. They are in no call's way otherwise.

use std::fmt::Write;

use mpit_components::times::{self, DescribedSite, SiteRow};
use mpit_ffi::host::modules::module_of;

use super::python;
use crate::isolation::{catch_panic, with_errno_kept};
use crate::{return_address, unloading};

/// Prepares the descriptions of places. Whether they are distinguished was decided when calls found their next definitions.
pub(super) fn prepare() {
    with_errno_kept(|| catch_panic(prepare_unguarded));
}

fn prepare_unguarded() {
    times::set_describe(describe);
    // mpi4py initializes MPI.
    let caller = return_address::last();
    if caller != 0
        && let Some(module) = module_of(caller as usize)
    {
        python::look_at(&module, caller);
    }
}

/// Finds the line in Python, or the module of a return address.
fn describe(place: u64) -> DescribedSite {
    if let Some(row) = python::describe(place) {
        return DescribedSite { row, file: Box::default() };
    }
    // Code without a line is in the extension module, to which the call that is described returns.
    let return_address = if python::is_place(place) { return_address::last() } else { place };
    unloading::look_for_changes();
    let Some(module) = module_of(return_address as usize) else { return DescribedSite::default() };
    python::look_at(&module, return_address);
    let mut build_id = String::new();
    for byte in &module.build_id {
        let _ = write!(build_id, "{byte:02x}");
    }
    let path = module.path.to_string_lossy();
    let row = SiteRow { number: 0, offset: module.offset, build_id: build_id.into(), module: path.into() };
    DescribedSite { row, file: module.file }
}
