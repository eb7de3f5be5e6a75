//! The host's life, as far as we see it: from `MPI_Init`, from the first call after one that was not seen, and from
//! what happens in `MPI_Finalize`.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{AcqRel, Acquire, Release, SeqCst},
};

use mpit::words::ThreadLevel;
use mpit_components::host::{self, World};
use mpit_components::{monitoring, run};

use crate::abi::{Abi, Handle};
use crate::host::{Host, mpi};
use crate::{comms, doctor, gather, infos, listing, mpi_t, native_monitoring, sessions};

static KNOWN_UP: AtomicBool = AtomicBool::new(false);

/// A session may be used by several threads at once.
static SESSION_IS_CONCURRENT: AtomicBool = AtomicBool::new(false);

/// The last session has ended, and everything is written.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The thread level of the world is in force.
static KNOWS_LEVEL: AtomicBool = AtomicBool::new(false);

/// Whether MPI was seen to be up.
#[inline]
pub fn is_known_up() -> bool {
    KNOWN_UP.load(Acquire)
}

/// MPI is up: called after `MPI_Init`, and before each call that is recorded, since not every language's `MPI_Init`
/// can be seen.
#[inline]
pub fn ensure_up() {
    if !KNOWN_UP.load(Acquire) {
        came_up();
    }
}

#[cold]
fn came_up() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    let Some(found) = Host::get() else { return };
    let has_world = mpi::has_world();
    if !has_world && !sessions::are_in_use() || BEGUN.swap(true, AcqRel) {
        return;
    }
    let abi = found.abi();
    let (mut level, mut rank, mut size): (c_int, c_int, c_int) = (0, 0, 0);
    if has_world {
        // SAFETY: MPI is up, and the level is writable.
        unsafe { mpi::query_thread(&raw mut level) };
    }
    let concurrent =
        has_world && abi.to_thread_level(level).is_none_or(|level| level == ThreadLevel::Multiple);
    KNOWS_LEVEL.store(true, SeqCst);
    mpit::threads::set_concurrent(concurrent || SESSION_IS_CONCURRENT.load(SeqCst));
    if !has_world {
        if let Some(world) = sessions::open(abi) {
            KNOWN_UP.store(true, Release);
            // SAFETY: the files are ours: made under names that the program does not know, and locked.
            unsafe { mpit::mapping::allow() };
            host::initialized(world);
            asked_for_at_start();
        }
        return;
    }
    // SAFETY: MPI is up, so the world exists; the rank is writable.
    let ranked = unsafe { mpi::comm_rank(abi.comm_world, &raw mut rank) };
    // SAFETY: as above.
    let sized = unsafe { mpi::comm_size(abi.comm_world, &raw mut size) };
    // From here on components and callbacks of tools run, which may make calls of MPI, or wait for threads that do:
    // these calls are recorded as far as components are open, and wait for nothing.
    KNOWN_UP.store(true, Release);
    if ranked == Some(Abi::SUCCESS) && sized == Some(Abi::SUCCESS) {
        // SAFETY: the files are ours: made under names that the program does not know, and locked.
        unsafe { mpit::mapping::allow() };
        if was_spawned(abi) {
            run::set_spawned();
        }
        host::initialized(World { rank: rank.cast_unsigned(), size: size.cast_unsigned() });
        comms::meet_predefined();
        gather::offer();
    }
    asked_for_at_start();
}

/// Does what else the settings ask for when MPI is up.
fn asked_for_at_start() {
    mpi_t::library_is_up();
    native_monitoring::complain_if_on();
    listing::write_if_asked();
    doctor::write_if_asked();
}

/// Returns true if `MPI_Comm_spawn` started this process.
fn was_spawned(abi: &Abi) -> bool {
    let mut parent = 0_u64;
    // SAFETY: MPI is up; there is room for a handle of either width.
    let asked = unsafe { mpi::comm_get_parent((&raw mut parent).cast()) };
    // SAFETY: `parent` has a handle, or zeros.
    asked == Some(Abi::SUCCESS) && unsafe { abi.load_handle((&raw const parent).cast()) } != abi.comm_null
}

/// A session was initialized. Sessions have thread levels of their own, and the highest one is in force. `None` stands for
/// a session whose level cannot be asked.
pub fn session_initialized(session: Option<Handle>) {
    sessions::begun();
    if IS_OVER.load(SeqCst) {
        complain_of_late_sessions();
    }
    if session.and_then(infos::thread_level_of_session).is_some_and(|level| level != ThreadLevel::Multiple) {
        return;
    }
    SESSION_IS_CONCURRENT.store(true, SeqCst);
    if KNOWS_LEVEL.load(SeqCst) {
        mpit::threads::set_concurrent(true);
    }
}

/// A session is about to be finalized. The last one ends MPI for programs that use sessions alone; what they do in sessions
/// that begin afterwards is not recorded.
pub fn session_finalizing() {
    if sessions::ending() && sessions::is_open() {
        finalizing();
        sessions::close();
        KNOWN_UP.store(false, Release);
        IS_OVER.store(true, SeqCst);
    }
}

/// Reports once that what was written stays as it is.
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn complain_of_late_sessions() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if monitoring::records_whole_run() && !DONE.swap(true, SeqCst) {
        eprintln!(
            "mpit: monitoring: a session of MPI begins after the last one had ended; what it does is not recorded"
        );
    }
}

/// `MPI_Finalize` is about to be called. A library without attributes does not announce its end: then this is it.
pub fn finalize_begins() {
    ensure_up();
    if !comms::end_is_seen() {
        finalizing();
    }
}

/// Handles the end of MPI while it still works: called by the library inside `MPI_Finalize`, when it deletes our attribute on
/// `MPI_COMM_SELF`. Attributes are deleted in the reverse order of their setting, and ours was set first: so the program's
/// delete functions have run, and so have tools that wrap `MPI_Finalize`.
pub fn finalizing() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if Host::get().is_none() || !mpi::is_active() && !KNOWN_UP.load(Acquire) || BEGUN.swap(true, AcqRel) {
        return;
    }
    comms::refresh_names();
    host::finalizing();
    doctor::finalized();
    listing::write_at_end();
    mpi_t::library_is_finalizing();
}
