//! Open MPI's own monitoring, which `OMPI_MCA_pml_monitoring_enable` would switch on beside ours.
//!
//! The variable is documented as a setting of ours, too, and `mpiexec --mca pml_monitoring_enable 2` sets it in each process. Both
//! would then record everything and write the same files. While the library reads its settings, the environment says 0 to it,
//! if ours records in its place; before and afterwards it says what the user said, so children of the program inherit that.
//!
//! Only the pointer to the variable in `environ` is exchanged. The library may copy the environment meanwhile (`setenv`), so the
//! pointer is looked for again before it is put back.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

use mpit::lock::Mutex;
use mpit_components::{host, monitoring};

use crate::abi::Flavour;
use crate::host::Host;

const VARIABLE: &CStr = c"OMPI_MCA_pml_monitoring_enable";
const SWITCHED_OFF: &CStr = c"OMPI_MCA_pml_monitoring_enable=0";

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
}

/// The variable as the user set it, while the environment says 0.
struct Replaced {
    original: *mut c_char,
    /// Calls under way that have the library read its settings.
    calls: u32,
}

// SAFETY: the pointer is one of the environment's, which all threads share.
unsafe impl Send for Replaced {}

static REPLACED: Mutex<Replaced> = Mutex::new(Replaced { original: null_mut(), calls: 0 });

/// The library's own monitoring stays off in what it reads while this exists.
#[derive(Debug)]
pub struct Off(());

/// Switches the library's own monitoring off for a call that has it read its settings, if ours records in its place.
#[must_use]
pub fn off() -> Option<Off> {
    let is_open_mpi = Host::get()?.abi().flavour == Flavour::OpenMpi;
    // Settings are read before the environment says something else.
    if !is_open_mpi || mpit::environment::var_os(name()).is_none() || !monitoring::records_whole_run() {
        return None;
    }
    let mut replaced = REPLACED.lock();
    replaced.calls += 1;
    if replaced.original.is_null() {
        replaced.original = exchange(is_the_variable, SWITCHED_OFF.as_ptr().cast_mut());
    }
    Some(Off(()))
}

impl Drop for Off {
    fn drop(&mut self) {
        let mut replaced = REPLACED.lock();
        replaced.calls -= 1;
        if replaced.calls == 0 && !replaced.original.is_null() {
            let original = std::mem::replace(&mut replaced.original, null_mut());
            exchange(|entry| std::ptr::eq(entry, SWITCHED_OFF.as_ptr()), original);
        }
    }
}

fn name() -> &'static str {
    VARIABLE.to_str().unwrap_or_default()
}

fn is_the_variable(entry: *const c_char) -> bool {
    // SAFETY: an entry of the environment is a C string.
    let entry = unsafe { CStr::from_ptr(entry) };
    entry.to_bytes().strip_prefix(VARIABLE.to_bytes()).is_some_and(|rest| rest.starts_with(b"="))
}

/// Puts `new` in the place of the first entry of the environment that `is_wanted`, and returns that; null without one.
fn exchange(is_wanted: impl Fn(*const c_char) -> bool, new: *mut c_char) -> *mut c_char {
    // SAFETY: the C library's list of the environment, null or ended by a null pointer.
    let mut place = unsafe { environ };
    while !place.is_null() {
        // SAFETY: within the list, whose end was not reached.
        let entry = unsafe { place.read() };
        if entry.is_null() {
            break;
        }
        if is_wanted(entry) {
            // SAFETY: the list belongs to the process, which may change it, as `putenv` does.
            unsafe { place.write(new) };
            return entry;
        }
        // SAFETY: the entry was not the last, which is null.
        place = unsafe { place.add(1) };
    }
    null_mut()
}

/// Returns true if the library's own monitoring records in this process.
pub(crate) fn is_on() -> bool {
    let is_on = |address: usize| {
        // SAFETY: in Open MPI this is an `int`.
        (unsafe { (address as *const c_int).read() }) > 0
    };
    Host::get().and_then(|host| host.object("mca_common_monitoring_enabled")).is_some_and(is_on)
}

/// Says so if the library's own monitoring is on although ours records in its place: a file of its own switched it on, or
/// `MPI_Init` was called past us.
pub(crate) fn complain_if_on() {
    if is_on() && host::world().is_some_and(|world| world.rank == 0) && monitoring::records_whole_run() {
        say(
            "Open MPI's own monitoring is on as well, and may replace the files of mpit: take pml_monitoring_enable out of \
             its parameter files (mca-params.conf), or switch mpit's off with pml_monitoring_enable=0",
        );
    }
}

#[allow(
    clippy::print_stderr,
    reason = "two records of one run concern the user, who reads no return code of ours"
)]
fn say(message: &str) {
    eprintln!("mpit: {}", mpit::printable(message));
}
