//! Handles of host variables, as the user holds them: identifiers of ours, behind which the host's own are kept.
//!
//! A handle may be freed while another thread uses it. So the host's handle is looked up inside of the call that asks the
//! host; it is freed after the identifier has ended, and after all calls that were in progress then have returned
//! ([`HostLife::settle`](crate::merge::HostLife::settle)).

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};

use mpit::Error;
use mpit::lock::{Mutex, Once};
use mpit::session::{Interface, SessionId};
use mpit::slots::Slots;

use super::{Failure, Outcome, from_host, host_events};
use crate::abi::{Abi, Handle};
use crate::host::{mpi, mpi_t};
use crate::merge::{Entry, Merged, PvarInfo};

/// A handle of a host's performance variable.
#[derive(Debug, Default)]
pub(super) struct HostPvar {
    /// The session, ours.
    session: AtomicU64,
    /// The session, the host's.
    host_session: AtomicUsize,
    /// The handle, the host's; 0 once it is freed.
    host: AtomicUsize,
    /// The merged index.
    index: AtomicU32,
    /// Started, as far as calls through us go.
    pub(super) started: AtomicBool,
}

impl HostPvar {
    pub(super) fn info<'m>(&self, merged: &'m Merged) -> Result<&'m PvarInfo, Failure> {
        match merged.pvars.get(self.index.load(SeqCst).cast_signed()) {
            Some(Entry::Host(entry)) => Ok(entry.info()),
            _ => Err(Error::InvalidHandle.into()),
        }
    }

    /// Returns session and handle, the host's; `None` if the handle is freed, or not of that session of ours.
    fn at_host(&self, session: SessionId) -> Option<(usize, usize)> {
        let host = self.host.load(SeqCst);
        let is_there = host != 0 && self.session.load(SeqCst) == session.0;
        if is_there { Some((self.host_session.load(SeqCst), host)) } else { None }
    }
}

/// A handle of a host's control variable.
#[derive(Debug, Default)]
struct HostCvar {
    /// The handle, the host's; 0 once it is freed.
    host: AtomicUsize,
    /// The type of an element.
    datatype: AtomicUsize,
    /// The number of elements, which may be none.
    count: AtomicU32,
    /// The value that it had when the host's interface went down.
    last: Mutex<Option<Box<[u8]>>>,
}

impl HostCvar {
    /// Reads the value once more, for the time when the host cannot be asked. Only while the host is up.
    fn remember(&self) {
        // More than it needs: texts may have grown.
        const MORE: usize = 4096;
        let (host, mut size) = (self.host.load(SeqCst), 0);
        if host == 0 {
            return;
        }
        // SAFETY: MPI is up, the type is the host's own, and the size writable.
        if unsafe { mpi::type_size(self.datatype.load(SeqCst), &raw mut size) } != Some(Abi::SUCCESS) {
            return;
        }
        let size = size.max(0) as usize * self.count.load(SeqCst) as usize;
        // In words, since values are aligned.
        let mut value = vec![0_u64; (size + MORE).div_ceil(8)];
        // SAFETY: the host is up, the handle is one of its live ones, and there is room for the value.
        if unsafe { mpi_t::cvar_read(host, value.as_mut_ptr().cast()) } == Some(Abi::SUCCESS) {
            let bytes = value.into_iter().flat_map(u64::to_ne_bytes).take(size);
            *self.last.lock() = Some(bytes.collect());
        }
    }
}

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
fn host_session(session: SessionId) -> Result<usize, Failure> {
    let known = || tables().sessions.lock().get(&session.0).copied();
    if let Some(known) = known() {
        return Ok(known);
    }
    let mut made = 0;
    // SAFETY: the host is up, and the handle is writable.
    from_host(unsafe { mpi_t::session_create(&raw mut made) })?;
    let kept = *tables().sessions.lock().entry(session.0).or_insert(made);
    if kept != made {
        // Another thread was faster.
        // SAFETY: the host is up, and the session is new.
        unsafe { mpi_t::session_free(&raw mut made) };
    }
    Ok(kept)
}

/// Makes a handle of a host's performance variable by `make`, which gets the host's session. Returns ours, and the number
/// of elements.
pub(super) fn alloc_pvar(
    merged: &Merged,
    session: SessionId,
    index: u32,
    started: bool,
    make: impl FnOnce(usize, &mut usize, &mut c_int) -> Option<c_int>,
) -> Result<(u64, c_int), Failure> {
    let asked = merged.life.while_up_and_unforked(|| {
        let host_session = host_session(session)?;
        let (mut host, mut count) = (0, 0);
        from_host(make(host_session, &mut host, &mut count))?;
        let handle = tables().pvars.take((), HostPvar::default, |handle, _| {
            handle.session.store(session.0, SeqCst);
            handle.host_session.store(host_session, SeqCst);
            handle.host.store(host, SeqCst);
            handle.index.store(index, SeqCst);
            handle.started.store(started, SeqCst);
        });
        // Whoever ended the session meanwhile did so before there was this handle, but waits until we return.
        let outcome = Interface::global().check_session(session).map_err(Failure::from);
        match (handle, outcome) {
            (Some(handle), Ok(())) => Ok((handle, count)),
            (handle, outcome) => {
                if handle.is_none_or(|handle| take_pvar(handle).is_some()) {
                    // SAFETY: the host is up, and the handle is new and not shared yet.
                    unsafe { mpi_t::pvar_handle_free(host_session, &raw mut host) };
                }
                outcome?;
                Err(Error::OutOfHandles.into())
            }
        }
    });
    asked.unwrap_or(Err(Error::InvalidIndex.into()))
}

/// A host handle of a session.
pub(super) fn pvar(session: SessionId, handle: u64) -> Result<&'static HostPvar, Failure> {
    let found = tables().pvars.get(handle).ok_or(Error::InvalidHandle)?;
    if found.session.load(SeqCst) == session.0 { Ok(found) } else { Err(Error::InvalidHandle.into()) }
}

/// Asks the host with its own session and handle. An error if the handle is, or was, freed, or is one of another session.
pub(super) fn ask_pvar(
    merged: &Merged,
    session: SessionId,
    handle: u64,
    ask: impl FnOnce(usize, usize) -> Option<c_int>,
) -> Outcome {
    let asked = merged.life.while_up(|| {
        let (session, host) = tables().pvars.look(handle, |handle| handle.at_host(session))?;
        Some(from_host(ask(session, host)))
    });
    asked.flatten().unwrap_or(Err(Error::InvalidHandle.into()))
}

/// All host handles of a session.
pub(super) fn pvars_of(session: SessionId) -> Vec<(u64, &'static HostPvar)> {
    tables().pvars.iter().filter(|(_, handle)| handle.session.load(SeqCst) == session.0).collect()
}

/// Ends an identifier, and returns session and handle of the host's, which are still to be freed. `None` if it has ended
/// before, or has nothing at the host any more.
fn take_pvar(handle: u64) -> Option<(usize, usize)> {
    let mut taken = None;
    tables().pvars.end(handle, (), |handle| taken = leave_pvar(handle));
    taken
}

/// Takes session and handle of the host's out of a handle, which has nothing at the host from now on.
fn leave_pvar(handle: &HostPvar) -> Option<(usize, usize)> {
    let host = handle.host.swap(0, SeqCst);
    (host != 0).then(|| (handle.host_session.load(SeqCst), host))
}

/// Frees handles at the host when no call uses them. Those that cannot be waited for stay there.
fn free_pvars_at_host(merged: &Merged, handles: Vec<(usize, usize)>) {
    if !handles.is_empty() && merged.life.settle() {
        merged.life.while_up_and_unforked(|| free_pvars_now(handles));
    }
}

/// Frees handles that no call uses. Only while the host is up.
fn free_pvars_now(handles: Vec<(usize, usize)>) {
    for (session, mut host) in handles {
        // SAFETY: the host is up, and both came from it and were not freed before.
        unsafe { mpi_t::pvar_handle_free(session, &raw mut host) };
    }
}

/// Frees a handle of a host's performance variable; false if there is none.
pub(super) fn free_pvar(merged: &Merged, handle: u64) -> bool {
    let mut taken = None;
    let freed = tables().pvars.end(handle, (), |handle| taken = leave_pvar(handle));
    free_pvars_at_host(merged, taken.into_iter().collect());
    freed
}

/// Ends the host's side of a session that has ended.
pub(super) fn end_session(merged: &Merged, session: SessionId) {
    let handles = pvars_of(session).into_iter().filter_map(|(handle, _)| take_pvar(handle)).collect();
    let known = tables().sessions.lock().remove(&session.0);
    let Some(mut host) = known else { return };
    if merged.life.settle() {
        merged.life.while_up_and_unforked(|| {
            free_pvars_now(handles);
            // SAFETY: the host is up, the session came from it and was not freed before.
            unsafe { mpi_t::session_free(&raw mut host) };
        });
    }
}

/// Makes a handle of a host's control variable by `make`. Returns ours, and the number of elements.
pub(super) fn alloc_cvar(
    merged: &Merged,
    datatype: Handle,
    make: impl FnOnce(&mut usize, &mut c_int) -> Option<c_int>,
) -> Result<(u64, c_int), Failure> {
    let asked = merged.life.while_up_and_unforked(|| {
        let (mut host, mut count) = (0, 0);
        from_host(make(&mut host, &mut count))?;
        let handle = tables().cvars.take((), HostCvar::default, |handle, _| {
            handle.host.store(host, SeqCst);
            handle.datatype.store(datatype, SeqCst);
            handle.count.store(count.max(0).cast_unsigned(), SeqCst);
            *handle.last.lock() = None;
        });
        if handle.is_none() {
            // SAFETY: the host is up, and the handle is new.
            unsafe { mpi_t::cvar_handle_free(&raw mut host) };
        }
        Ok((handle.ok_or(Error::OutOfHandles)?, count))
    });
    asked.unwrap_or(Err(Error::InvalidIndex.into()))
}

/// Asks the host with its own handle. An error if the handle is, or was, freed.
pub(super) fn ask_cvar(merged: &Merged, handle: u64, ask: impl FnOnce(usize) -> Option<c_int>) -> Outcome {
    let asked = merged.life.while_up(|| {
        let host =
            tables().cvars.look(handle, |handle| Some(handle.host.load(SeqCst)).filter(|host| *host != 0))?;
        Some(from_host(ask(host)))
    });
    asked.flatten().unwrap_or(Err(Error::InvalidHandle.into()))
}

/// Copies the value that a control variable had when the host's interface went down.
///
/// # Safety
///
/// There is room for the value.
pub(super) unsafe fn last_of_cvar(handle: u64, out: *mut u8) -> Outcome {
    let last = || {
        let found = tables().cvars.get(handle)?;
        let last = found.last.lock();
        let value = last.as_ref()?;
        // SAFETY: by the caller's promise.
        unsafe { out.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        Some(())
    };
    last().ok_or(Error::InvalidHandle.into())
}

/// Returns true if a handle of a control variable was not freed.
pub(super) fn is_cvar(handle: u64) -> bool {
    tables().cvars.get(handle).is_some()
}

/// Ends an identifier, and returns the host's handle, which is still to be freed; 0 if there is none any more. `None` if the
/// identifier has ended before.
fn take_cvar(handle: u64) -> Option<usize> {
    let mut host = 0;
    tables().cvars.end(handle, (), |handle| host = handle.host.swap(0, SeqCst)).then_some(host)
}

/// Frees handles that no call uses. Only while the host is up.
fn free_cvars_now(handles: impl IntoIterator<Item = usize>) {
    for mut host in handles.into_iter().filter(|host| *host != 0) {
        // SAFETY: the host is up, and the handle came from it and was not freed before.
        unsafe { mpi_t::cvar_handle_free(&raw mut host) };
    }
}

/// Frees a handle of a host's control variable.
pub(super) fn free_cvar(merged: &Merged, handle: u64) -> Outcome {
    let host = take_cvar(handle).ok_or(Error::InvalidHandle)?;
    if host != 0 && merged.life.settle() {
        merged.life.while_up_and_unforked(|| free_cvars_now([host]));
    }
    Ok(())
}

/// Ends all handles, registrations and sessions of the host's: the interface went down.
pub(super) fn end_all(merged: &Merged) {
    host_events::end_all(merged);
    let pvars: Vec<_> = tables().pvars.iter().filter_map(|(handle, _)| take_pvar(handle)).collect();
    let cvars: Vec<_> = tables().cvars.iter().filter_map(|(handle, _)| take_cvar(handle)).collect();
    let sessions = std::mem::take(&mut *tables().sessions.lock());
    if pvars.is_empty() && cvars.is_empty() && sessions.is_empty() || !merged.life.settle() {
        return;
    }
    merged.life.while_up_and_unforked(|| {
        free_pvars_now(pvars);
        free_sessions_now(sessions);
        free_cvars_now(cvars);
    });
}

fn free_sessions_now(sessions: HashMap<u64, usize>) {
    for mut host in sessions.into_values() {
        // SAFETY: the host is up, and the session came from it and was not freed before.
        unsafe { mpi_t::session_free(&raw mut host) };
    }
}

/// Frees all handles at the host, which is about to end: no call asks it any more. Identifiers stay valid, and can be
/// freed.
pub(super) fn leave_all() {
    host_events::leave_all();
    tables().cvars.iter().for_each(|(_, handle)| handle.remember());
    free_pvars_now(tables().pvars.iter().filter_map(|(_, handle)| leave_pvar(handle)).collect());
    // Freed without the lock: the host may call tools.
    let sessions = std::mem::take(&mut *tables().sessions.lock());
    free_sessions_now(sessions);
    free_cvars_now(tables().cvars.iter().map(|(_, handle)| handle.host.swap(0, SeqCst)));
}
