//! Handles of the host's variables: identifiers of ours, each of which maps to a handle of the host.
//!
//! A tool may free a handle while another thread uses it. Therefore the host's handle is looked up inside the
//! call that queries the host. It is freed only after the identifier is invalid and all calls in progress have
//! returned ([`HostLifecycle::wait_for_callers`](crate::merge::HostLifecycle::wait_for_callers)).

use std::collections::{BTreeMap, btree_map};
use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};

use mpit::Error;
use mpit::internal::session::{Interface, SessionId};
use mpit_sync::lock::{Inside, Mutex};
use mpit_sync::slots::Slots;

use super::object::{BoundObject, TrackedObject};
use super::{Failure, Outcome, from_host, host_events};
use crate::abi::{Abi, Handle};
use crate::host::{mpi, mpi_t};
use crate::merge::{Entry, HostIsUp, Merged, PvarInfo};

#[derive(Debug, Default)]
pub(super) struct HostPvar {
    /// The session, as our identifier.
    session: AtomicU64,
    /// The session, as the host's handle.
    host_session: AtomicUsize,
    /// The host's handle; 0 once it is freed.
    host: AtomicUsize,
    /// The index of the variable in the merged list.
    index: AtomicU32,
    /// The object that the handle is bound to, if its end is seen.
    pub(super) object: BoundObject,
    /// True if the handle was started through this interface.
    pub(super) started: AtomicBool,
}

impl HostPvar {
    pub(super) fn info<'m>(&self, merged: &'m Merged) -> Result<&'m PvarInfo, Failure> {
        match merged.pvars.get(self.index.load(SeqCst).cast_signed()) {
            Some(Entry::Host(entry)) => Ok(entry.info()),
            _ => Err(Error::InvalidHandle.into()),
        }
    }

    /// Returns the host's session and handle; `None` if the handle is freed or belongs to another session, or if its object is freed,
    /// which some hosts would read nevertheless.
    fn at_host(&self, session: SessionId) -> Option<(usize, usize)> {
        let host = self.host.load(SeqCst);
        let is_there = host != 0 && self.session.load(SeqCst) == session.0 && self.object.exists();
        if is_there { Some((self.host_session.load(SeqCst), host)) } else { None }
    }
}

#[derive(Debug, Default)]
struct HostCvar {
    /// The host's handle; 0 once it is freed.
    host: AtomicUsize,
    datatype: AtomicUsize,
    /// The number of elements; may be 0.
    count: AtomicU32,
    /// The last value, read before the host's interface was finalized.
    last: Mutex<Option<Box<[u8]>>>,
}

impl HostCvar {
    /// Saves the value for reads after the host is finalized.
    fn save_value(&self, _up: HostIsUp<'_>) {
        // Spare bytes: a string may have grown since the handle was allocated.
        const SPARE_BYTES: usize = 4096;
        let (host, mut size) = (self.host.load(SeqCst), 0);
        if host == 0 {
            return;
        }
        // SAFETY: saved in `MPI_Finalize`, while MPI works; the host returned this datatype, and `size` is a local variable.
        if unsafe { mpi::type_size(self.datatype.load(SeqCst), &raw mut size) } != Some(Abi::SUCCESS) {
            return;
        }
        let size = size.max(0) as usize * self.count.load(SeqCst) as usize;
        // A vector of `u64`, because hosts write aligned values.
        let mut value = vec![0_u64; (size + SPARE_BYTES).div_ceil(8)];
        // SAFETY: the host is up; only `release_all` calls this, before it frees the handle, and no other thread can free it any
        // more; the buffer is larger than the value.
        if unsafe { mpi_t::cvar_read(host, value.as_mut_ptr().cast()) } == Some(Abi::SUCCESS) {
            let bytes = value.into_iter().flat_map(u64::to_ne_bytes).take(size);
            *self.last.lock() = Some(bytes.collect());
        }
    }
}

const CVAR_KIND: u8 = 0x63;

static PVARS: Slots<(), HostPvar> = Slots::new(0x70, 1 << 24);
static CVARS: Slots<(), HostCvar> = Slots::new(CVAR_KIND, 1 << 24);

/// The host's session for each of our sessions that has a handle at the host.
static SESSIONS: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

/// The entry of [`SESSIONS`] that was used last, which is read without the lock.
static LAST_SESSION: LastSession = LastSession::new();

/// A session, with a version that a reader compares (seqlock).
#[derive(Debug)]
struct LastSession {
    /// The number of changes begun and ended, so odd during a change.
    version: AtomicU64,
    /// Our session; 0 if there is none.
    session: AtomicU64,
    /// The host's session.
    host: AtomicUsize,
}

impl LastSession {
    const fn new() -> Self {
        Self { version: AtomicU64::new(0), session: AtomicU64::new(0), host: AtomicUsize::new(0) }
    }

    /// Returns the host's session for one of ours, if that is the one that was used last.
    #[inline]
    fn get(&self, session: SessionId) -> Option<usize> {
        self.get_by(session, || self.host.load(SeqCst))
    }

    /// Returns what `load` returns, if this session was the last one throughout.
    #[inline]
    fn get_by(&self, session: SessionId, load: impl FnOnce() -> usize) -> Option<usize> {
        let version = self.version.load(SeqCst);
        if version % 2 == 1 || self.session.load(SeqCst) != session.0 {
            return None;
        }
        let host = load();
        // The session alone would not do: it may have been replaced, and set again since.
        if self.version.load(SeqCst) == version { Some(host) } else { None }
    }

    /// Sets the session. The caller holds the lock of [`SESSIONS`].
    fn set(&self, session: u64, host: usize) {
        self.version.fetch_add(1, SeqCst);
        self.session.store(session, SeqCst);
        self.host.store(host, SeqCst);
        self.version.fetch_add(1, SeqCst);
    }

    /// Removes the session before it is freed. The caller holds the lock of [`SESSIONS`].
    fn clear(&self) {
        self.set(0, 0);
    }
}

/// A session or a handle at the host that only the owner of this value frees. A handle is 0 if the host has released it.
#[must_use = "it leaks at the host"]
enum Owned {
    Session(usize),
    /// The session and the handle of a performance variable.
    Pvar(usize, usize),
    Cvar(usize),
}

impl Owned {
    fn is_released(&self) -> bool {
        matches!(self, Self::Pvar(_, 0) | Self::Cvar(0))
    }

    /// Frees what no call uses.
    fn free(self, _up: HostIsUp<'_>) {
        match self {
            _ if self.is_released() => {}
            // SAFETY: the host is up and returned the session, which only this thread owns.
            Self::Session(mut host) => _ = unsafe { mpi_t::session_free(&raw mut host) },
            // SAFETY: the host is up and returned the handle, which only this thread owns.
            Self::Pvar(session, mut host) => _ = unsafe { mpi_t::pvar_handle_free(session, &raw mut host) },
            // SAFETY: the host is up and returned the handle, which only this thread owns.
            Self::Cvar(mut host) => _ = unsafe { mpi_t::cvar_handle_free(&raw mut host) },
        }
    }
}

/// Frees sessions and handles that no call uses.
fn free_now(up: HostIsUp<'_>, all: impl IntoIterator<Item = Owned>) {
    all.into_iter().for_each(|owned| owned.free(up));
}

/// Frees a handle that `take` invalidates, once no call uses it. It leaks if a call does not return in time.
fn free(merged: &Merged, take: impl FnOnce() -> Option<Owned>) -> Outcome {
    let inside = Inside::enter();
    // Another thread may have freed it since the caller checked it.
    let taken = take().ok_or(Error::InvalidHandle)?;
    if !taken.is_released() && merged.lifecycle.wait_for_callers() {
        merged.lifecycle.call_inside(&inside, |up| taken.free(up));
    }
    Ok(())
}

/// Returns the host's session for one of ours; creates it on first use.
fn host_session(up: HostIsUp<'_>, session: SessionId) -> Result<usize, Failure> {
    let find = || {
        let sessions = SESSIONS.lock();
        let known = *sessions.get(&session.0)?;
        LAST_SESSION.set(session.0, known);
        Some(known)
    };
    if let Some(known) = LAST_SESSION.get(session).or_else(find) {
        return Ok(known);
    }
    let mut new = 0;
    // SAFETY: the host is up, and `new` is a local variable.
    from_host(unsafe { mpi_t::session_create(&raw mut new) })?;
    // Another thread may have created one in the meantime. Then ours is freed, without the lock.
    let (kept, unused) = match SESSIONS.lock().entry(session.0) {
        btree_map::Entry::Vacant(entry) => (*entry.insert(new), None),
        btree_map::Entry::Occupied(entry) => (*entry.get(), Some(Owned::Session(new))),
    };
    free_now(up, unused);
    Ok(kept)
}

/// Allocates a handle of one of the host's performance variables by calling `make` with the host's session.
/// Returns our handle and the number of elements.
pub(super) fn alloc_pvar(
    merged: &Merged,
    session: SessionId,
    index: u32,
    started: bool,
    object: Option<TrackedObject>,
    make: impl FnOnce(HostIsUp<'_>, usize, &mut usize, &mut c_int) -> Option<c_int>,
) -> Result<(u64, c_int), Failure> {
    let outcome = merged.lifecycle.call_delaying_forks(|up| {
        let host_session = host_session(up, session)?;
        let (mut host, mut count) = (0, 0);
        from_host(make(up, host_session, &mut host, &mut count))?;
        let published = PVARS.take((), HostPvar::default, |handle, _| {
            // Ordered by the generation of the slot.
            handle.session.store(session.0, Relaxed);
            handle.host_session.store(host_session, Relaxed);
            handle.host.store(host, Relaxed);
            handle.index.store(index, Relaxed);
            handle.object.set(object);
            handle.started.store(started, Relaxed);
        });
        let published = published.ok_or(Owned::Pvar(host_session, host));
        // A thread that freed the session in the meantime did not see this handle, but `end_session` waits
        // for this call before it frees the session at the host; hence the check here.
        match (published, Interface::global().check_session_of_published(session)) {
            (Ok(handle), Ok(())) => Ok((handle, count)),
            (published, checked) => {
                // `None` if another thread has taken the published handle.
                let unused = published.map_or_else(Some, take_pvar);
                free_now(up, unused);
                checked?;
                Err(Error::OutOfHandles.into())
            }
        }
    });
    outcome.unwrap_or(Err(Error::InvalidIndex.into()))
}

/// Returns a handle of the host's variables that belongs to `session`.
pub(super) fn pvar(session: SessionId, handle: u64) -> Result<&'static HostPvar, Failure> {
    let found = PVARS.get(handle).ok_or(Error::InvalidHandle)?;
    if found.session.load(SeqCst) == session.0 { Ok(found) } else { Err(Error::InvalidHandle.into()) }
}

/// Calls `action` with the host's session and handle. Fails if the handle is freed or belongs to another session.
pub(super) fn call_with_pvar(
    merged: &Merged,
    session: SessionId,
    handle: u64,
    action: impl FnOnce(HostIsUp<'_>, usize, usize) -> Option<c_int>,
) -> Outcome {
    let outcome = merged.lifecycle.call_if_up(|up| {
        let (session, host) = PVARS.get_with(handle, |handle| handle.at_host(session))?;
        Some(from_host(action(up, session, host)))
    });
    outcome.flatten().unwrap_or(Err(Error::InvalidHandle.into()))
}

pub(super) fn pvars_of(session: SessionId) -> Vec<(u64, &'static HostPvar)> {
    PVARS.iter().filter(|(_, handle)| handle.session.load(SeqCst) == session.0).collect()
}

/// Invalidates an identifier. `None` if it was invalid already.
fn take_pvar(handle: u64) -> Option<Owned> {
    let mut taken = None;
    PVARS.end(handle, |handle| taken = Some(take_host_handle(handle)));
    taken
}

/// Takes the host's session and handle out of an entry, which has none afterwards.
fn take_host_handle(handle: &HostPvar) -> Owned {
    Owned::Pvar(handle.host_session.load(SeqCst), handle.host.swap(0, SeqCst))
}

/// Frees a handle of one of the host's performance variables.
pub(super) fn free_pvar(merged: &Merged, handle: u64) -> Outcome {
    free(merged, || take_pvar(handle))
}

/// Frees the host's session, and the handles in it, for a session of ours that was freed.
pub(super) fn end_session(merged: &Merged, session: SessionId) {
    let handles: Vec<_> = pvars_of(session).into_iter().filter_map(|(handle, _)| take_pvar(handle)).collect();
    let taken = {
        let mut sessions = SESSIONS.lock();
        LAST_SESSION.clear();
        sessions.remove(&session.0)
    };
    // Handles exist only in a session of the host. If another thread has taken that, it frees it together with the handles
    // that are left in it, so they must not be freed here.
    let Some(session) = taken else { return };
    if merged.lifecycle.wait_for_callers() {
        merged.lifecycle.call_delaying_forks(|up| {
            free_now(up, handles);
            free_now(up, [Owned::Session(session)]);
        });
    }
}

/// Allocates a handle of one of the host's control variables by calling `make`. Returns our handle and the
/// number of elements.
pub(super) fn alloc_cvar(
    merged: &Merged,
    datatype: Handle,
    make: impl FnOnce(HostIsUp<'_>, &mut usize, &mut c_int) -> Option<c_int>,
) -> Result<(u64, c_int), Failure> {
    let outcome = merged.lifecycle.call_delaying_forks(|up| {
        let (mut host, mut count) = (0, 0);
        from_host(make(up, &mut host, &mut count))?;
        let published = CVARS.take((), HostCvar::default, |handle, _| {
            // Ordered by the generation of the slot. It has no last value: those are saved when the host is finalized, and
            // afterwards no handle is allocated.
            handle.host.store(host, Relaxed);
            handle.datatype.store(datatype, Relaxed);
            handle.count.store(count.max(0).cast_unsigned(), Relaxed);
        });
        let Some(handle) = published else {
            free_now(up, [Owned::Cvar(host)]);
            return Err(Error::OutOfHandles.into());
        };
        Ok((handle, count))
    });
    outcome.unwrap_or(Err(Error::InvalidIndex.into()))
}

/// Calls `action` with the host's handle. Fails if the handle is freed.
pub(super) fn call_with_cvar(
    merged: &Merged,
    handle: u64,
    action: impl FnOnce(HostIsUp<'_>, usize) -> Option<c_int>,
) -> Outcome {
    let outcome = merged.lifecycle.call_if_up(|up| {
        let host =
            CVARS.get_with(handle, |handle| Some(handle.host.load(SeqCst)).filter(|host| *host != 0))?;
        Some(from_host(action(up, host)))
    });
    outcome.flatten().unwrap_or(Err(Error::InvalidHandle.into()))
}

/// Copies the value that a control variable had when the host's interface was finalized.
///
/// # Safety
///
/// `out` is valid for writes of the variable's value.
pub(super) unsafe fn read_last_value(handle: u64, out: *mut u8) -> Outcome {
    let last = || {
        let found = CVARS.get(handle)?;
        let last = found.last.lock();
        let value = last.as_ref()?;
        // SAFETY: the caller passes space for the value, and `value` is a copy of it in memory of ours.
        unsafe { out.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        Some(())
    };
    last().ok_or(Error::InvalidHandle.into())
}

/// Returns true if a number has the tag of the handles of the host's control variables; it need not be valid.
#[inline]
pub(super) fn is_cvar_of_host(handle: u64) -> bool {
    (handle >> 56) as u8 == CVAR_KIND
}

pub(super) fn is_valid_cvar(handle: u64) -> bool {
    CVARS.get(handle).is_some()
}

/// Invalidates an identifier. `None` if it was invalid already.
fn take_cvar(handle: u64) -> Option<Owned> {
    let mut host = 0;
    let was_valid = CVARS.end(handle, |handle| host = handle.host.swap(0, SeqCst));
    if was_valid { Some(Owned::Cvar(host)) } else { None }
}

/// Frees a handle of one of the host's control variables.
pub(super) fn free_cvar(merged: &Merged, handle: u64) -> Outcome {
    free(merged, || take_cvar(handle))
}

/// Frees all handles, registrations and sessions at the host, after the tool's last `MPI_T_finalize`.
pub(super) fn end_all(merged: &Merged) {
    host_events::end_all(merged);
    let mut all: Vec<Owned> = PVARS.iter().filter_map(|(handle, _)| take_pvar(handle)).collect();
    all.extend(take_sessions());
    all.extend(CVARS.iter().filter_map(|(handle, _)| take_cvar(handle)));
    if !all.is_empty() && merged.lifecycle.wait_for_callers() {
        merged.lifecycle.call_delaying_forks(|up| free_now(up, all));
    }
}

fn take_sessions() -> impl Iterator<Item = Owned> {
    let mut sessions = SESSIONS.lock();
    LAST_SESSION.clear();
    std::mem::take(&mut *sessions).into_values().map(Owned::Session)
}

/// Frees all handles at the host before its interface is finalized. Identifiers stay valid until tools free them.
///
/// Called when no call to the host is in progress.
pub(super) fn release_all(up: HostIsUp<'_>) {
    host_events::release_all(up);
    CVARS.iter().for_each(|(_, handle)| handle.save_value(up));
    free_now(up, PVARS.iter().map(|(_, handle)| take_host_handle(handle)));
    // Freed without holding the lock, because the host may call back into tools.
    free_now(up, take_sessions());
    free_now(up, CVARS.iter().map(|(_, handle)| Owned::Cvar(handle.host.swap(0, SeqCst))));
}

#[cfg(test)]
mod tests {
    use super::{HostPvar, LastSession, Merged, PVARS, SeqCst, SessionId, free_pvar};

    /// A thread reads the session while others set two sessions by turns.
    #[test]
    fn a_session_set_again_is_not_the_last_one() {
        let last = LastSession::new();
        last.set(1, 10);
        assert_eq!((last.get(SessionId(1)), last.get(SessionId(2))), (Some(10), None));
        let interrupted = last.get_by(SessionId(1), || {
            last.set(2, 20);
            let host = last.host.load(SeqCst);
            last.set(1, 10);
            host
        });
        assert_eq!(interrupted, None);
        last.clear();
        assert_eq!(last.get(SessionId(1)), None);
    }

    /// Two threads may both have checked the handle before one of them frees it.
    #[test]
    fn a_handle_is_freed_once() {
        // Without a handle at the host, as after its release.
        let handle = PVARS.take((), HostPvar::default, |_, _| ()).unwrap();
        assert!(free_pvar(Merged::get(), handle).is_ok());
        assert!(free_pvar(Merged::get(), handle).is_err());
    }
}
