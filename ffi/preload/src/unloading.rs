//! Objects that the program closes. Callers and places in the program are kept by their return addresses, which the next object may have.
//!
//! `dlclose` is intercepted, because the dynamic linker has no cheaper notice: its counts are behind a lock, which calls must not take.
//! While nothing is kept that may become invalid, calls are only forwarded. Objects that are closed in other ways (by the C library itself,
//! by code in a namespace of its own) are noticed when a new return address is looked up.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::AcqRel};

use mpit_components::times;
use mpit_ffi::host::find;

use crate::callers;
use crate::isolation::{catch_panic, with_errno_kept};

/// The number of times that objects were loaded or unloaded, when they were looked at last.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Closes a handle of `dlopen`.
///
/// # Safety
///
/// The rules of `dlclose`.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn dlclose(library: *mut c_void) -> c_int {
    let has_sites = times::is_active() && times::has_sites();
    if has_sites {
        times::closing_begins();
    }
    // SAFETY: the caller follows the rules of the function.
    let code = unsafe { find::close(library) };
    if has_sites || callers::has_closable_ranges() {
        look_after_closing();
    }
    if has_sites {
        times::closing_ends();
    }
    code
}

/// Looks for changes, with `errno` as `dlclose` left it.
#[inline(never)]
fn look_after_closing() {
    with_errno_kept(|| catch_panic(look_for_changes));
}

/// Forgets what is kept for return addresses, if objects have been loaded or unloaded since the last look. Takes the dynamic linker's lock.
pub(crate) fn look_for_changes() {
    let Some(changes) = find::changes_of_objects() else { return forget() };
    if CHANGES.swap(changes, AcqRel) != changes {
        forget();
    }
}

fn forget() {
    callers::forget_closable_ranges();
    times::begin_generation();
}
