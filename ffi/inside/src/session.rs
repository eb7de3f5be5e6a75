//! Sessions: each has one of ours and one of the MPI library.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::internal::session::SessionId;
use mpit_sync::slots::Slots;

use crate::{exported, initialized};

const KIND: u8 = 0x73;
/// The limit of the number of sessions at one time, that of the interface.
const LIMIT: usize = 1 << 20;

#[derive(Debug, Default)]
struct Session {
    ours: AtomicU64,
    library: AtomicPtr<c_void>,
}

static SESSIONS: Slots<(), Session> = Slots::new(KIND, LIMIT);

/// Returns our session of an identifier.
#[inline]
pub(crate) fn ours(session: u64) -> mpit::Result<SessionId> {
    let found = SESSIONS.get_with(session, |session| Some(session.ours.load(SeqCst)));
    // All sessions end when the interface is finalized.
    found.map(SessionId).ok_or_else(|| initialized().err().unwrap_or(Error::InvalidSession))
}

exported! {
    /// Creates a session, which includes one of the MPI library.
    fn mpit_core_session_create(library: *mut c_void, session: *mut u64) {
        let interface = initialized()?;
        session.check()?;
        let ours = interface.session_create()?;
        let fill = |session: &Session, _| {
            session.ours.store(ours.0, SeqCst);
            session.library.store(library, SeqCst);
        };
        let Some(id) = SESSIONS.take((), Session::default, fill) else {
            interface.session_free(ours)?;
            return Err(Error::OutOfSessions);
        };
        session.set(id);
        Ok(())
    }

    /// Frees a session with our handles in it, and returns the session of the MPI library, which the caller frees.
    fn mpit_core_session_free(session: u64, library: *mut *mut c_void) {
        let interface = initialized()?;
        library.check()?;
        let mut its = null_mut();
        let mut own = Err(Error::InvalidSession);
        let ended = SESSIONS.end(session, |session| {
            its = session.library.load(SeqCst);
            own = Ok(SessionId(session.ours.load(SeqCst)));
        });
        if !ended {
            return Err(Error::InvalidSession);
        }
        library.set(its);
        // Finalizing the interface may have freed ours.
        let _ = interface.session_free(own?);
        Ok(())
    }

    /// Returns the session of the MPI library in a session.
    fn mpit_core_session_of_library(session: u64, library: *mut *mut c_void) {
        initialized()?;
        library.check()?;
        let found = SESSIONS.get_with(session, |session| Some(session.library.load(SeqCst)));
        library.set(found.ok_or(Error::InvalidSession)?);
        Ok(())
    }
}

/// Invalidates all sessions when the interface is finalized. Those of the MPI library end with its own interface.
pub(crate) fn end_all() {
    SESSIONS.iter().for_each(|(id, _)| _ = SESSIONS.free(id));
}
