//! The regions of the program, which it begins and ends by `mpit_region.h`, and the levels of `MPI_Pcontrol`.
//!
//! A region is that of the calling thread if several threads call MPI at once, else of the process. Its calls are those between its
//! begin and its end, without those of regions inside of it.

use std::ffi::{CStr, c_char};

use mpit::internal::host::threads;
use mpit_components::times::{self, NO_REGION};

use super::region_stack::Regions;
use super::{OF_PROCESS, ThreadTimes, state_of_thread};
use crate::isolation::{catch_panic, with_errno_kept};

/// The levels of `MPI_Pcontrol` that are no regions: they pause and resume recording, and write files.
pub(crate) const PAUSE: i32 = 0;
pub(crate) const RESUME: i32 = 1;
pub(crate) const WRITE: i32 = 2;

/// Begins a region of the program.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_begin(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    let name = unsafe { name_at(name) };
    change(
        || times::region(&name),
        |regions, region| {
            regions.begin(region);
            true
        },
    );
}

/// Ends a region of the program.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_end(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    let name = unsafe { name_at(name) };
    change(|| times::region(&name), Regions::end);
}

/// Handles a call of `MPI_Pcontrol`.
pub(crate) fn pcontrol(level: i32) {
    let set = |regions: &Regions, region: u16| {
        regions.set_level(region);
        true
    };
    match level {
        PAUSE | WRITE => (),
        RESUME => change(|| NO_REGION, set),
        _ => change(|| times::region(&format!("MPI_Pcontrol {level}")), set),
    }
}

/// Returns the name at an address.
///
/// # Safety
///
/// It is null or the address of a string that ends with NUL.
unsafe fn name_at(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: it is not null (checked), so it is the address of such a string.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_string_lossy().into_owned()
}

/// Changes the regions of the calling thread, and counts a mismatch if `change` returns false.
fn change(region: impl FnOnce() -> u16, change: impl Fn(&Regions, u16) -> bool) {
    if !super::is_wanted() {
        return;
    }
    with_errno_kept(|| {
        catch_panic(|| {
            let region = region();
            let Some(state) = state_of_thread() else { return };
            let mut fits = change_in(state, region, &change);
            // The thread level is not known yet, and may make the state that of the process.
            if threads::concurrent() && !times::is_active() {
                fits &= change_in(&OF_PROCESS, region, &change);
            }
            if !fits {
                times::count_mismatch(region);
            }
        });
    });
}

fn change_in(state: &'static ThreadTimes, region: u16, change: impl Fn(&Regions, u16) -> bool) -> bool {
    let before = state.regions.current();
    let fits = change(&state.regions, region);
    if before == NO_REGION && state.regions.current() != NO_REGION {
        state.forget_recent();
    }
    fits
}
