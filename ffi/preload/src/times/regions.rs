//! The regions of the program, which it begins and ends by `mpit_region.h`, and the levels of `MPI_Pcontrol`.
//!
//! A region is that of the calling thread if several threads call MPI at once, else of the process. Its calls are those between its
//! begin and its end, without those of regions inside of it.

use std::ffi::{CStr, c_char};
use std::sync::atomic::Ordering::Relaxed;

use mpit::internal::host::threads;
use mpit::internal::os::readable;
use mpit_components::times::{self, NO_REGION};
use mpit_sync::thread_slots;

use super::{OF_PROCESS, ThreadTimes, state_of_thread, thread_of};
use crate::isolation::{catch_panic, with_errno_kept};

/// The levels of `MPI_Pcontrol` that are no regions: they pause and resume recording, and write files.
pub(crate) const PAUSE: i32 = 0;
pub(crate) const RESUME: i32 = 1;
pub(crate) const WRITE: i32 = 2;

/// The levels that begin and end the region whose name is the next argument, in C.
const NAMED_BEGIN: i32 = 9093;
const NAMED_END: i32 = 9094;

/// The maximum length of such a name in bytes. A longer text is none.
const MAX_NAME: usize = 1023;

/// A change of the regions in which a thread is.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Begins a region that ends by a key, or by its name if the key is 0.
    Begin(u64),
    End,
    EndByKey(u64),
    /// Replaces the region of the level of `MPI_Pcontrol`.
    Level,
}

/// Begins a region of the program.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_begin(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    let name = unsafe { name_at(name) };
    change(Change::Begin(0), || times::region(&name));
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
    change(Change::End, || times::region(&name));
}

/// Begins a region of another annotation library, such as Kokkos: `libmpit_regions.so` calls this function. The key is not 0.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_begin_by_key(key: u64, name: *const c_char) {
    if has_regions_of_its_own() {
        // SAFETY: the caller passes such an address.
        let name = unsafe { name_at(name) };
        change(Change::Begin(key), || times::region(&name));
    }
}

/// Ends the innermost region that began with a key, if there is one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn mpit_region_end_by_key(key: u64) {
    if has_regions_of_its_own() {
        change(Change::EndByKey(key), || NO_REGION);
    }
}

/// Returns true if the calling thread may change regions: any thread with `MPI_THREAD_MULTIPLE`, else the one that has initialized MPI.
/// Other libraries annotate all threads, and regions of the process would get out of order.
fn has_regions_of_its_own() -> bool {
    // Also while recording is paused: a region may end meanwhile.
    if threads::concurrent() && times::has_begun() {
        return true;
    }
    let initializing = super::INITIALIZING_THREAD.load(Relaxed);
    if initializing != 0 {
        return initializing == thread_slots::thread();
    }
    // The C library's function for it is newer than glibc 2.17.
    // SAFETY: the system call has no arguments and no preconditions.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) };
    thread == i64::from(std::process::id())
}

/// Handles a call of `MPI_Pcontrol`.
pub(crate) fn pcontrol(level: i32) {
    match level {
        PAUSE | WRITE => (),
        RESUME => change(Change::Level, || NO_REGION),
        _ => change(Change::Level, || times::region(&format!("MPI_Pcontrol {level}"))),
    }
}

/// Handles a level of `MPI_Pcontrol` that begins or ends a region whose name follows. Returns false, and does nothing, for other levels, and
/// without a name: then the address is whatever the register had.
pub(crate) fn named_pcontrol(level: i32, name: *const c_char) -> bool {
    let change_by = match level {
        NAMED_BEGIN => Change::Begin(0),
        NAMED_END => Change::End,
        _ => return false,
    };
    // SAFETY: a program that passes the address of a name to its call does not change the name meanwhile. Other addresses are checked.
    let name = unsafe { readable::text_at(name, MAX_NAME) };
    let Some(name) = name.filter(|name| !name.is_empty() && !name.contains(char::is_control)) else {
        return false;
    };
    change(change_by, || times::region(&name));
    true
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

/// Changes the regions of the calling thread, and counts an end that does not fit.
fn change(change: Change, region: impl FnOnce() -> u16) {
    if !super::is_wanted() {
        return;
    }
    with_errno_kept(|| {
        catch_panic(|| {
            let region = region();
            let Some(state) = state_of_thread() else { return };
            let mut fits = change_in(state, region, change);
            // The thread level is not known yet, and may make the state that of the process.
            if threads::concurrent() && !times::has_begun() {
                fits &= change_in(&OF_PROCESS, region, change);
            }
            if !fits {
                times::count_mismatch(region);
            }
        });
    });
}

/// Returns false for an end that does not fit to the last begin.
fn change_in(state: &'static ThreadTimes, region: u16, change: Change) -> bool {
    let regions = &state.regions;
    let before = regions.current();
    let mut fits = true;
    match change {
        Change::Begin(key) => regions.begin(region, key),
        Change::End => fits = regions.end(region),
        Change::EndByKey(key) => regions.end_by_key(key),
        Change::Level => regions.set_level(region),
    }
    let current = regions.current();
    if before == NO_REGION && current != NO_REGION {
        state.forget_recent();
    }
    let ends = matches!(change, Change::End | Change::EndByKey(_));
    let begins = !ends && current == region && region != NO_REGION;
    if begins || before != current {
        times::enter_region(thread_of(state), current, begins, regions.open());
    }
    fits
}
