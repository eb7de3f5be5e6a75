//! Programs that use MPI by sessions only. The processes of `mpi://WORLD` replace the missing
//! `MPI_COMM_WORLD`.
//!
//! A session of our own is open as long as calls are recorded. It provides the group that identifies
//! processes, for all languages, and keeps MPI active until all files are written.

use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Acquire, SeqCst},
};

use mpit::object::Bind;
use mpit_components::host::World;
use mpit_sync::lock::Mutex;

use crate::abi::{Abi, Handle};
use crate::host::mpi;

/// The number of sessions that the program has open.
static OPEN_IN_PROGRAM: AtomicU32 = AtomicU32::new(0);

/// True while our own session is open.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// A session of our own, finalized when dropped.
#[derive(Debug)]
struct Session(Handle);

impl Drop for Session {
    fn drop(&mut self) {
        let mut handle = self.0 as u64;
        // SAFETY: `open` created the session, and this value owns it.
        unsafe { mpi::session_finalize((&raw mut handle).cast()) };
    }
}

/// Our own session and the group of `mpi://WORLD`.
#[derive(Debug)]
struct OurSession {
    session: Session,
    group: Handle,
}

static OUR_SESSION: Mutex<Option<OurSession>> = Mutex::new(None);

/// Counts a session that the program initialized.
pub(crate) fn opened() {
    OPEN_IN_PROGRAM.fetch_add(1, SeqCst);
}

/// Uncounts a session that the program is about to finalize. Returns true if it is the last one.
pub(crate) fn closing() -> bool {
    let less = |sessions: u32| sessions.checked_sub(1);
    OPEN_IN_PROGRAM.fetch_update(SeqCst, SeqCst, less) == Ok(1)
}

/// Returns true while the program has open sessions.
pub(crate) fn has_open() -> bool {
    OPEN_IN_PROGRAM.load(SeqCst) > 0
}

/// Returns true while our own session is open, so that MPI functions may be called.
#[inline]
pub(crate) fn is_open() -> bool {
    IS_OPEN.load(Acquire)
}

/// Returns true if MPI functions may be called: between `MPI_Init` and `MPI_Finalize`, or while our own session is open.
pub(crate) fn is_mpi_active() -> bool {
    is_open() || mpi::has_world()
}

/// Opens our own session. Returns the rank and the number of processes in `mpi://WORLD`.
pub(crate) fn open(abi: &Abi) -> Option<World> {
    let (info, handler) = (abi.null(Bind::Info), abi.errors_return?);
    // SAFETY: `MPI_Session_init` may be called at any time, and `handle` passes space for a handle.
    let session = Session(mpi::handle(abi, |session| unsafe { mpi::session_init(info, handler, session) })?);
    let (group, world) = group_of_world(abi, &session)?;
    // Dropped without the lock, because dropping a session calls the host.
    let old = OUR_SESSION.lock().replace(OurSession { session, group });
    drop(old);
    IS_OPEN.store(true, SeqCst);
    Some(world)
}

fn group_of_world(abi: &Abi, session: &Session) -> Option<(Handle, World)> {
    let name = c"mpi://WORLD".as_ptr();
    // SAFETY: the session is finalized only when dropped, and `handle` passes space for a handle.
    let group = mpi::handle(abi, |group| unsafe { mpi::group_from_session_pset(session.0, name, group) })?;
    // SAFETY: the group was created above, and `value` passes a local variable.
    let rank = mpi::value(|rank| unsafe { mpi::group_rank(group, rank) })?;
    // SAFETY: the group was created above, and `value` passes a local variable.
    let size = mpi::value(|size| unsafe { mpi::group_size(group, size) })?;
    let world = World::new(rank.cast_unsigned(), size.cast_unsigned());
    if (0..size).contains(&rank) { Some((group, world)) } else { None }
}

/// Returns the group of `mpi://WORLD` while our own session is open.
pub(crate) fn group() -> Option<Handle> {
    OUR_SESSION.lock().as_ref().map(|own| own.group)
}

/// Closes our own session, after all files are written.
pub(crate) fn close() {
    let own = OUR_SESSION.lock().take();
    IS_OPEN.store(false, SeqCst);
    if let Some(OurSession { session, group }) = own {
        let mut group = group as u64;
        // SAFETY: `open` created the group, and `take` gave it to this thread only.
        unsafe { mpi::group_free((&raw mut group).cast()) };
        drop(session);
    }
}
