//! Life cycle of MPI in this process. Initialization is seen at `MPI_Init` or, if that call was not observed, at
//! the first recorded call; the end is seen inside `MPI_Finalize`.

use std::sync::atomic::{
    AtomicBool,
    Ordering::{AcqRel, Acquire, Release, SeqCst},
};

use mpit::cvar::sources::reading_once;
use mpit::internal::host::threads;
use mpit::internal::vocabulary::ThreadLevel;
use mpit::object::Bind;
use mpit_components::host::{self, World};
use mpit_components::{about, live, monitoring, run};

use crate::abi::{Abi, LiveComm, LiveSession};
use crate::host::{Host, foreign, mpi};
use crate::{comms, doctor, gather, images, infos, inventory, mpi_t, native_monitoring, sessions, values};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// True if a session may be used by several threads at once.
static SESSION_IS_CONCURRENT: AtomicBool = AtomicBool::new(false);

/// True after the last session has ended and all files are written.
static ALL_SESSIONS_ENDED: AtomicBool = AtomicBool::new(false);

/// True once the thread level of the world is in force.
static THREAD_LEVEL_IS_SET: AtomicBool = AtomicBool::new(false);

/// Returns true if MPI was seen to be initialized.
#[inline]
pub fn is_initialized() -> bool {
    INITIALIZED.load(Acquire)
}

/// Handles the initialization of MPI, once. Called after `MPI_Init`, and before each recorded call, because
/// the `MPI_Init` of some languages is not seen.
#[inline]
pub fn detect_initialization() {
    if !INITIALIZED.load(Acquire) {
        handle_initialization();
    }
}

#[cold]
fn handle_initialization() {
    static IS_HANDLED: AtomicBool = AtomicBool::new(false);
    let Some(library) = Host::get() else { return };
    let has_world = mpi::has_world();
    if !has_world && !sessions::has_open() || IS_HANDLED.swap(true, AcqRel) {
        return;
    }
    let abi = library.abi();
    let was_spawned = || {
        // SAFETY: called only if MPI is initialized, and `handle` passes space for a handle.
        let parent = mpi::handle(abi, |parent| unsafe { mpi::comm_get_parent(parent) });
        parent.is_some_and(|parent| parent != abi.null(Bind::Comm))
    };
    let concurrent = has_world && is_world_concurrent(abi);
    THREAD_LEVEL_IS_SET.store(true, SeqCst);
    threads::set_concurrent(concurrent || SESSION_IS_CONCURRENT.load(SeqCst));
    let world = if has_world {
        // SAFETY: MPI is initialized, so the world exists.
        let world = unsafe { LiveComm::new(abi.comm_world) };
        comms::rank_and_size(world).map(|(rank, size)| World::new(rank, size))
    } else {
        sessions::open(abi)
    };
    if !has_world && world.is_none() {
        return;
    }
    // From here on components and callbacks of tools run. They may make MPI calls or wait for threads that
    // do: these calls are recorded by the components that are open already, and never wait.
    INITIALIZED.store(true, Release);
    if let Some(world) = world {
        // SAFETY: nothing shortens the mapped files: mpit creates them, under names that the program does not know,
        // and locks them.
        unsafe { mpit::internal::os::mapping::allow() };
        if has_world && was_spawned() {
            run::set_spawned();
        }
        if has_world {
            // Before components are opened: a process without a transport must not offer the others to take part.
            gather::register_transport();
        }
        // Once for the registry and for images. Misspelled names are searched after components were opened, which may set variables.
        reading_once(images::adopt_for_settings);
        host::initialized(world);
        live::describe_process(live::Constants {
            any_source: abi.any_source,
            any_tag: abi.any_tag,
            proc_null: abi.proc_null,
            root: abi.root,
            null_request: abi.null(Bind::Request) as u64,
        });
        about::describe(foreign::version_line());
        if has_world {
            for comm in [abi.comm_world, abi.comm_self] {
                // SAFETY: MPI is initialized, so the predefined communicators exist.
                comms::register(unsafe { LiveComm::new(comm) });
            }
        }
    }
    mpi_t::library_initialized();
    values::begin();
    native_monitoring::warn_if_on();
    inventory::write_if_requested();
    doctor::write_if_requested();
}

/// Handles the end of `MPI_Init` and `MPI_Init_thread`.
pub fn world_initialized() {
    detect_initialization();
    // A session may have been first, with a lower thread level.
    if INITIALIZED.load(Acquire)
        && !threads::concurrent()
        && Host::get().is_some_and(|host| is_world_concurrent(host.abi()))
    {
        threads::set_concurrent(true);
    }
}

/// Returns true if several threads may call at once. MPI is initialized.
fn is_world_concurrent(abi: &Abi) -> bool {
    // SAFETY: MPI is initialized, and `value` passes a local variable.
    let level = mpi::value(|level| unsafe { mpi::query_thread(level) }).unwrap_or(0);
    abi.to_thread_level(level).is_none_or(|level| level == ThreadLevel::Multiple)
}

/// Records that a session was initialized. Sessions have their own thread levels, and the highest one is in
/// force. `None` means that the level cannot be determined.
pub fn session_initialized(session: Option<LiveSession<'_>>) {
    sessions::opened();
    if ALL_SESSIONS_ENDED.load(SeqCst) {
        warn_of_late_sessions();
    }
    if session.and_then(infos::thread_level_of_session).is_some_and(|level| level != ThreadLevel::Multiple) {
        return;
    }
    SESSION_IS_CONCURRENT.store(true, SeqCst);
    if THREAD_LEVEL_IS_SET.load(SeqCst) {
        threads::set_concurrent(true);
    }
}

/// Prepares for the finalization of a session. The last one ends MPI for programs that use sessions only;
/// sessions that begin later are not recorded.
pub fn session_finalizing() {
    if sessions::closing() && sessions::is_open() {
        finalizing();
        sessions::close();
        INITIALIZED.store(false, Release);
        ALL_SESSIONS_ENDED.store(true, SeqCst);
    }
}

/// Reports once that sessions after the last one are not recorded.
fn warn_of_late_sessions() {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if monitoring::records_whole_run() && !IS_REPORTED.swap(true, SeqCst) {
        crate::warn(
            "monitoring: a session of MPI began after the last one had ended; its calls are not recorded",
        );
    }
}

/// Prepares for `MPI_Finalize`. A library that will not delete our attribute of `MPI_COMM_SELF` does not
/// announce the end, so the end is handled here.
pub fn finalize_begins() {
    detect_initialization();
    if Host::get().is_some_and(|host| !comms::will_see_finalize(host.abi())) {
        finalizing();
    }
}

/// Handles the end of MPI while MPI still works. The library calls this inside `MPI_Finalize` by deleting our
/// attribute of `MPI_COMM_SELF`. Attributes are deleted in reverse order of creation, and ours was set first:
/// the program's delete callbacks, and tools that wrap `MPI_Finalize`, have finished.
pub fn finalizing() {
    let Some(abi) = Host::get().map(Host::abi) else { return };
    if !sessions::is_mpi_active() && !INITIALIZED.load(Acquire) || END_IS_HANDLED.swap(true, AcqRel) {
        return;
    }
    // Some renaming calls are not seen. Other communicators are left out: the library may have freed them.
    if mpi::has_world() {
        for comm in [abi.comm_world, abi.comm_self] {
            // SAFETY: MPI is initialized and not finalized (checked), so the predefined communicators exist.
            comms::renamed(unsafe { LiveComm::new(comm) });
        }
    }
    values::end();
    host::finalizing();
    doctor::finalized();
    inventory::write_at_end();
    mpi_t::library_finalizing();
}

/// True once the end of MPI was handled.
static END_IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// Handles the return of a call that may have finalized MPI.
pub fn finalize_ended() {
    if END_IS_HANDLED.load(Acquire) {
        host::finalized();
    }
}
