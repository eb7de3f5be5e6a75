//! Handles of host variables, as the user holds them: identifiers of ours, behind which the host's own are kept.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};

use mpit::Error;
use mpit::lock::{Mutex, Once};
use mpit::session::SessionId;
use mpit::slots::Slots;

use super::{Failure, from_host, host_events};
use crate::host::mpi_t;
use crate::merge::{Entry, Merged, PvarInfo};

/// A handle of a host's performance variable.
#[derive(Debug, Default)]
pub(super) struct HostPvar {
    /// The session, ours.
    session: AtomicU64,
    /// The session, the host's.
    pub(super) host_session: AtomicUsize,
    /// The handle, the host's.
    pub(super) host: AtomicUsize,
    /// The merged index.
    index: AtomicU32,
    /// Started, as far as calls through us go.
    pub(super) started: AtomicBool,
}

impl HostPvar {
    pub(super) fn info<'m>(&self, merged: &'m Merged) -> Result<&'m PvarInfo, Failure> {
        match merged.pvars.get(self.index.load(SeqCst).cast_signed()) {
            Some(Entry::Host(entry)) => entry.info().ok_or(Error::InvalidHandle.into()),
            _ => Err(Error::InvalidHandle.into()),
        }
    }
}

/// A handle of a host's control variable: the host's handle.
#[derive(Debug, Default)]
pub(super) struct HostCvar(pub(super) AtomicUsize);

/// All handles of host variables.
#[derive(Debug)]
struct Tables {
    pvars: Slots<(), HostPvar>,
    cvars: Slots<(), HostCvar>,
    /// The host's session for each of ours that has a host handle.
    sessions: Mutex<HashMap<u64, usize>>,
}

fn tables() -> &'static Tables {
    static TABLES: Once<Tables> = Once::new();
    TABLES.get_or_init(|| Tables {
        pvars: Slots::new(0x70, 1 << 24),
        cvars: Slots::new(0x63, 1 << 24),
        sessions: Mutex::default(),
    })
}

/// The host's session for one of ours, made at the first need. Only while the host is up.
pub(super) fn host_session(session: SessionId) -> Result<usize, Failure> {
    let mut sessions = tables().sessions.lock();
    if let Some(known) = sessions.get(&session.0) {
        return Ok(*known);
    }
    let mut made = 0;
    // SAFETY: the host is up, and the handle is writable.
    from_host(unsafe { mpi_t::session_create(&raw mut made) })?;
    sessions.insert(session.0, made);
    Ok(made)
}

/// A handle of ours for one of the host's.
pub(super) fn add_pvar(session: SessionId, host_session: usize, host: usize, index: u32) -> Option<u64> {
    tables().pvars.take((), HostPvar::default, |handle, _| {
        handle.session.store(session.0, SeqCst);
        handle.host_session.store(host_session, SeqCst);
        handle.host.store(host, SeqCst);
        handle.index.store(index, SeqCst);
        handle.started.store(false, SeqCst);
    })
}

/// A host handle of a session.
pub(super) fn pvar(session: SessionId, handle: u64) -> Result<&'static HostPvar, Failure> {
    let found = tables().pvars.get(handle).ok_or(Error::InvalidHandle)?;
    if found.session.load(SeqCst) == session.0 { Ok(found) } else { Err(Error::InvalidHandle.into()) }
}

/// All host handles of a session.
pub(super) fn pvars_of(session: SessionId) -> Vec<(u64, &'static HostPvar)> {
    tables().pvars.iter().filter(|(_, handle)| handle.session.load(SeqCst) == session.0).collect()
}

/// Frees a host handle; the host's own too, if the host still lives.
pub(super) fn free_pvar(merged: &Merged, handle: u64) -> bool {
    let Some(found) = tables().pvars.get(handle) else { return false };
    let (session, mut host) = (found.host_session.load(SeqCst), found.host.load(SeqCst));
    let freed = tables().pvars.free(handle, ());
    if freed {
        merged.life.while_up_and_unforked(|| {
            // SAFETY: the host is up, and both came from it and were not freed before.
            unsafe { mpi_t::pvar_handle_free(session, &raw mut host) };
        });
    }
    freed
}

/// Ends the host's side of a session.
pub(super) fn end_session(merged: &Merged, session: SessionId) {
    for (handle, _) in pvars_of(session) {
        free_pvar(merged, handle);
    }
    let known = tables().sessions.lock().remove(&session.0);
    if let Some(mut host) = known {
        merged.life.while_up_and_unforked(|| {
            // SAFETY: the host is up, the session came from it and was not freed before.
            unsafe { mpi_t::session_free(&raw mut host) };
        });
    }
}

/// A handle of ours for one of the host's control variables.
pub(super) fn add_cvar(host: usize) -> Option<u64> {
    tables().cvars.take((), HostCvar::default, |handle, _| handle.0.store(host, SeqCst))
}

/// The host's handle behind one of ours.
pub(super) fn cvar(handle: u64) -> Result<usize, Failure> {
    let found = tables().cvars.get(handle).ok_or(Error::InvalidHandle)?;
    Ok(found.0.load(SeqCst))
}

/// Frees a handle of a host's control variable.
pub(super) fn free_cvar(merged: &Merged, handle: u64) -> Result<(), Failure> {
    let mut host = cvar(handle)?;
    if !tables().cvars.free(handle, ()) {
        return Err(Error::InvalidHandle.into());
    }
    merged.life.while_up_and_unforked(|| {
        // SAFETY: the host is up, and the handle came from it and was not freed before.
        unsafe { mpi_t::cvar_handle_free(&raw mut host) };
    });
    Ok(())
}

/// Ends all handles, registrations and sessions of the host's.
pub(super) fn end_all(merged: &Merged) {
    host_events::end_all(merged);
    let handles: Vec<u64> = tables().pvars.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        free_pvar(merged, handle);
    }
    let sessions: Vec<u64> = tables().sessions.lock().keys().copied().collect();
    for session in sessions {
        end_session(merged, SessionId(session));
    }
    let handles: Vec<u64> = tables().cvars.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        // It was alive a moment ago; if it is not, nothing is left to do.
        let _ = free_cvar(merged, handle);
    }
}
