//! The state of the interface and of the MPI library, and registration.

use std::cell::Cell;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use mpit::Error;
use mpit::internal::plugin::abi::Table;
use mpit::internal::session::Interface;
use mpit::internal::vocabulary::ThreadLevel;
use mpit::internal::{host, plugin};
use mpit_sync::lock::wait_until;

use crate::{deferred, exported, session, warn};

/// True once a tool, a program or a plug-in uses the list, so that tables are registered at once.
static IS_IN_USE: AtomicBool = AtomicBool::new(false);

/// The number of threads that register deferred tables.
static REGISTERING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// True while this thread registers deferred tables, whose functions may call this library.
    static IS_REGISTERING: Cell<bool> = const { Cell::new(false) };
}

/// Registers deferred tables, before anything else is added or read.
fn begin() {
    IS_IN_USE.store(true, SeqCst);
    register_deferred();
    if !IS_REGISTERING.get() {
        wait_until(None, || REGISTERING.load(SeqCst) == 0);
    }
}

fn register_deferred() {
    let was_registering = IS_REGISTERING.replace(true);
    REGISTERING.fetch_add(1, SeqCst);
    for table in deferred::take_all() {
        // SAFETY: `take_all` returns tables that satisfy `mpit_plugin.h` until the process ends. A refusal was reported.
        let _ = unsafe { register(table) };
    }
    REGISTERING.fetch_sub(1, SeqCst);
    IS_REGISTERING.set(was_registering);
}

fn thread_level(number: c_int) -> mpit::Result<ThreadLevel> {
    let at = usize::try_from(number).map_err(|_| Error::Invalid)?;
    ThreadLevel::ALL.get(at).copied().ok_or(Error::Invalid)
}

/// Registers all entries that a table describes, or none; then one line on standard error contains the reason.
///
/// # Safety
///
/// `table` is null or satisfies `mpit_plugin.h`.
unsafe fn register(table: *const c_void) -> mpit::Result<()> {
    // SAFETY: the caller passes null or a table that satisfies `mpit_plugin.h`.
    let outcome = unsafe { plugin::register(table.cast::<Table>()) };
    outcome.map_err(|why| {
        // Control characters in the table's names must not break the line.
        warn(&format!("the table is refused: {}", why.replace(char::is_control, "?")));
        Error::Invalid
    })
}

exported! {
    /// Registers a table of the MPI library, now or when a tool initializes the interface.
    fn mpit_core_register(table: *const c_void) {
        // SAFETY: the caller passes null or a table that satisfies `mpit_plugin.h` until the process ends.
        if !IS_IN_USE.load(SeqCst) && unsafe { deferred::defer(table) } {
            // A tool may have begun meanwhile.
            if IS_IN_USE.load(SeqCst) {
                register_deferred();
            }
            return Ok(());
        }
        // SAFETY: the caller passes null or a table that satisfies `mpit_plugin.h`.
        unsafe { register(table) }
    }

    /// Registers a table of a program or of another library (`mpit_offer`).
    fn mpit_register(table: *const c_void) {
        begin();
        // SAFETY: the caller passes null or a table that satisfies `mpit_plugin.h`.
        unsafe { register(table) }?;
        keep_loaded(table);
        Ok(())
    }

    /// Loads a plug-in and returns its number.
    fn mpit_plugin_load(path: *const c_char, number: *mut c_int) {
        let path: &CStr = path.get().ok_or(Error::Invalid)?;
        begin();
        // SAFETY: the caller names a plug-in that satisfies `mpit_plugin.h`.
        let loaded = unsafe { plugin::load(OsStr::from_bytes(path.to_bytes())) };
        let loaded = loaded.map_err(|refused| {
            refused.print();
            refused.error()
        })?;
        number.set(loaded.number().cast_signed());
        Ok(())
    }

    /// Deactivates a plug-in.
    fn mpit_plugin_deactivate(number: c_int) {
        let found = u32::try_from(number).ok().and_then(plugin::numbered);
        found.ok_or(Error::InvalidIndex)?.deactivate();
        Ok(())
    }

    /// Initializes the interface, or adds a reference.
    fn mpit_core_init(required: c_int, provided: *mut c_int) {
        let level = thread_level(required)?;
        begin();
        provided.set(Interface::global().init(level) as c_int);
        Ok(())
    }

    /// Removes a reference. The last one frees all sessions and handles.
    fn mpit_core_finalize() {
        let interface = Interface::global();
        interface.finalize()?;
        if !interface.is_initialized() {
            session::end_all();
        }
        Ok(())
    }

    /// Notes that MPI is initialized. `concurrent` is 1 if several threads may call the MPI library at once.
    fn mpit_core_mpi_initialized(concurrent: c_int) {
        host::set_initialized();
        host::threads::set_concurrent(concurrent != 0);
        Ok(())
    }
}

/// Keeps the object that contains an address loaded until the process ends.
fn keep_loaded(address: *const c_void) {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a local variable; the address is only compared.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return;
    }
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs. The handle is never closed.
    unsafe { libc::dlopen(info.dli_fname, libc::RTLD_NOLOAD | libc::RTLD_LAZY | libc::RTLD_NODELETE) };
}
