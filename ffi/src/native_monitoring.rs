//! Suppression of Open MPI's own monitoring, which `OMPI_MCA_pml_monitoring_enable` would enable beside ours.
//!
//! The variable is documented as a setting of mpit, too, and `mpiexec --mca pml_monitoring_enable 2` sets it
//! in each process. Both would then record everything and write the same files. While the library reads its
//! settings, the variable is 0 if mpit records instead; before and afterwards it has the user's value, so
//! child processes inherit that.
//!
//! Only the pointer to the variable in `environ` is exchanged. The library may copy the environment meanwhile
//! (`setenv`), so the pointer is searched again before it is restored.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

use mpit_components::{host, monitoring};
use mpit_sync::lock::Mutex;

use crate::host::Host;

const VARIABLE: &str = "OMPI_MCA_pml_monitoring_enable";
const DISABLED: &CStr = c"OMPI_MCA_pml_monitoring_enable=0";

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
}

/// The user's value of the variable while the environment contains 0.
struct Replaced {
    original: *mut c_char,
    /// The number of calls in progress in which the library reads its settings.
    calls: u32,
}

// SAFETY: the pointer is an entry of the environment, which all threads share.
unsafe impl Send for Replaced {}

static REPLACED: Mutex<Replaced> = Mutex::new(Replaced { original: null_mut(), calls: 0 });

/// A guard that keeps the library's own monitoring disabled in the settings that it reads.
#[derive(Debug)]
pub struct DisabledGuard(());

/// Disables the library's own monitoring for a call in which it reads its settings, if mpit records instead.
#[must_use]
pub fn disable() -> Option<DisabledGuard> {
    // Our own settings are read before the variable is replaced.
    if !Host::get()?.abi().quirks.has_monitoring
        || mpit::internal::os::environment::var_os(VARIABLE).is_none()
        || !monitoring::records_whole_run()
    {
        return None;
    }
    let mut replaced = REPLACED.lock();
    replaced.calls += 1;
    if replaced.original.is_null() {
        let is_variable = |entry: *const c_char| {
            // SAFETY: entries of the environment are NUL-terminated.
            let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
            entry.strip_prefix(VARIABLE.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
        };
        // SAFETY: the string is `'static`, and no thread writes to it: programs replace entries of the environment.
        replaced.original = unsafe { replace_entry(is_variable, DISABLED.as_ptr().cast_mut()) };
    }
    Some(DisabledGuard(()))
}

impl Drop for DisabledGuard {
    fn drop(&mut self) {
        let mut replaced = REPLACED.lock();
        replaced.calls -= 1;
        if replaced.calls == 0 && !replaced.original.is_null() {
            let original = std::mem::replace(&mut replaced.original, null_mut());
            // SAFETY: `disable` took this entry out of the environment, and the program must keep its entries valid.
            unsafe { replace_entry(|entry| std::ptr::eq(entry, DISABLED.as_ptr()), original) };
        }
    }
}

/// Replaces the first entry of the environment that `is_wanted` by `new`, and returns it; null if there is none.
///
/// # Safety
///
/// `new` is an entry of an environment, valid until it is replaced in turn.
unsafe fn replace_entry(is_wanted: impl Fn(*const c_char) -> bool, new: *mut c_char) -> *mut c_char {
    // SAFETY: `environ` is the C library's list, null or terminated by a null pointer.
    let mut entry_at = unsafe { environ };
    while !entry_at.is_null() {
        // SAFETY: `entry_at` has not passed the terminating null pointer.
        let entry = unsafe { entry_at.read() };
        if entry.is_null() {
            break;
        }
        if is_wanted(entry) {
            // SAFETY: the list belongs to the process, which may change entries, as `putenv` does.
            unsafe { entry_at.write(new) };
            return entry;
        }
        // SAFETY: the entry is not the terminating null pointer.
        entry_at = unsafe { entry_at.add(1) };
    }
    null_mut()
}

/// Returns true if the library's own monitoring records in this process.
pub(crate) fn is_on() -> bool {
    let is_on = |address: usize| {
        // SAFETY: in Open MPI this is a variable of type `int`.
        (unsafe { (address as *const c_int).read() }) > 0
    };
    Host::get().and_then(|host| host.object("mca_common_monitoring_enabled")).is_some_and(is_on)
}

/// Reports that the library's own monitoring is on although mpit records: a parameter file has enabled it, or
/// `MPI_Init` was called without passing through this library.
pub(crate) fn warn_if_on() {
    if is_on() && host::world().is_some_and(|world| world.rank == 0) && monitoring::records_whole_run() {
        crate::warn(
            "Open MPI's own monitoring is enabled as well, and may replace the files of mpit: remove pml_monitoring_enable from \
             its parameter files (mca-params.conf), or disable mpit's monitoring with pml_monitoring_enable=0",
        );
    }
}
