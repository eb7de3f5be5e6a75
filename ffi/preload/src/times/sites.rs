//! The places in the program that make calls: return addresses, which trampolines store for each call while places are wanted.
//!
//! Only the functions of [`sited`](crate::trampoline::sited) write the word of a thread. They are in no call's way otherwise.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit_components::times::{self, SiteRow};
use mpit_ffi::host::modules::module_of;

use crate::return_address;

/// True if places are distinguished. Set before the first words.
static IS_SITED: AtomicBool = AtomicBool::new(false);

/// Prepares the distinction of places, if the settings request it.
pub(super) fn prepare() {
    if times::has_sites() {
        times::set_describe(describe);
        IS_SITED.store(true, Relaxed);
    }
}

/// Returns the return address of the call that the program makes, or of one inside of it; 0 if places are not distinguished.
#[inline]
pub(super) fn return_address() -> u64 {
    if IS_SITED.load(Relaxed) { return_address::last() } else { 0 }
}

/// Finds the module of a return address.
fn describe(return_address: u64) -> SiteRow {
    let Some(module) = module_of(return_address as usize) else { return SiteRow::default() };
    let mut build_id = String::new();
    for byte in &module.build_id {
        let _ = write!(build_id, "{byte:02x}");
    }
    let path = module.path.to_string_lossy();
    SiteRow { number: 0, offset: module.offset, build_id: build_id.into(), module: path.into() }
}
