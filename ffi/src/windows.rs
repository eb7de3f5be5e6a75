//! Windows of the host: which one a handle is, and whose memory is behind it. Met and left as communicators are
//! ([`crate::comms`]).

use std::ffi::{c_int, c_void};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::object::{OUTSIDE, Object};
use mpit::words::Bind;
use mpit_components::comms::Ranks;
use mpit_components::events;
use mpit_components::windows::{self, WindowId};

use crate::abi::Handle;
use crate::attributes::{Attribute, Functions, after_deletion};
use crate::groups::{self, Group};
use crate::host::{Host, mpi};
use crate::members::Members;
use crate::objects::{Freeing, Objects, Tracked};

/// A window in use. The memory serves another one when it is freed.
#[derive(Debug, Default)]
pub struct Window {
    number: AtomicU64,
    freeing: AtomicBool,
    members: Members,
}

impl Window {
    /// Its identity.
    #[must_use]
    pub fn id(&self) -> WindowId {
        WindowId::from_number(self.number.load(Relaxed))
    }

    /// The world rank of a rank, or [`OUTSIDE`]. The host is asked for one that was not used before.
    #[must_use]
    pub fn world_rank(&self, rank: u32) -> u32 {
        self.members.world_rank(rank)
    }

    /// The world rank of a rank that was used before; [`OUTSIDE`] also for others.
    #[inline]
    #[must_use]
    pub fn known_world_rank(&self, rank: u32) -> u32 {
        self.members.known(rank).unwrap_or(OUTSIDE)
    }
}

static WINDOWS: Objects<Window> = Objects::new();

/// The window of a call that the host has taken: MPI is up.
#[inline]
#[must_use]
pub fn in_use(handle: Handle) -> Option<&'static Window> {
    WINDOWS.get(handle).or_else(|| meet(handle))
}

/// Returns the window behind a handle that was found recently; calls nothing.
#[inline]
#[must_use]
pub fn recent(handle: Handle) -> Option<&'static Window> {
    WINDOWS.recent(handle)
}

/// Returns the window behind a handle that was met before. The library is not asked.
#[inline]
#[must_use]
pub fn met(handle: Handle) -> Option<&'static Window> {
    WINDOWS.get(handle)
}

#[cold]
fn meet(handle: Handle) -> Option<&'static Window> {
    if is_null(handle) { None } else { WINDOWS.meet(handle) }
}

fn is_null(handle: Handle) -> bool {
    handle == 0 || Host::get().is_none_or(|host| handle == host.abi().win_null())
}

/// The window behind a handle, as an object to bind to: with the identity that components and events know it by. Without a
/// library underneath it has its handle.
#[must_use]
pub fn object_of(handle: Handle) -> Option<Object<'static>> {
    let known = WINDOWS.get(handle).or_else(|| if mpi::is_active() { meet(handle) } else { None });
    match known {
        Some(window) => Some(Object::new(Bind::Win, window.id().get())),
        None if Host::get().is_none() => Some(Object::new(Bind::Win, handle as u64)),
        None => None,
    }
}

/// Returns the same object for a handle of a performance variable. The window's accesses are counted from now on, and its sums
/// stay until no such handle is bound to it.
#[must_use]
pub fn bound(handle: Handle) -> Option<Object<'static>> {
    let object = object_of(handle)?;
    if Host::get().is_some() {
        windows::pin(WindowId::from_number(object.id()));
    }
    Some(object)
}

/// A call has made a window, which is in use from now on.
pub fn made(handle: Handle) {
    if !is_null(handle) {
        WINDOWS.made(handle);
    }
}

/// A call that frees a window is about to be passed on; see [`crate::comms::freeing`].
#[must_use]
pub fn freeing(handle: Handle) -> Option<Freeing> {
    let known = || WINDOWS.freeing(handle);
    known().or_else(|| {
        let is_wanted = events::active() && mpi::is_active() && meet(handle).is_some();
        if is_wanted { known() } else { None }
    })
}

impl Tracked for Window {
    type New = (WindowId, Ranks);

    fn all() -> &'static Objects<Self> {
        &WINDOWS
    }

    fn number(&self) -> &AtomicU64 {
        &self.number
    }

    fn freeing(&self) -> &AtomicBool {
        &self.freeing
    }

    fn ask(handle: Handle) -> Option<Self::New> {
        let abi = Host::get()?.abi();
        let ranks = groups::ranks(Group::of_window(abi, handle)?)?;
        Some((windows::register(), ranks))
    }

    fn set(&self, _handle: Handle, (id, ranks): Self::New) {
        self.members.set(ranks);
        self.number.store(id.get(), Release);
    }

    fn set_attribute(handle: Handle, number: u64) {
        ATTRIBUTE.set(handle, number);
    }

    fn attribute(handle: Handle) -> Option<u64> {
        ATTRIBUTE.get(handle)
    }

    fn size(&self) -> u32 {
        self.members.size()
    }

    fn announce(number: u64, size: u32) {
        windows::announce(WindowId::from_number(number), size);
    }

    fn release(&self) -> Option<Ranks> {
        self.members.release()
    }

    fn ended(number: u64) {
        windows::freed(WindowId::from_number(number));
    }
}

static ATTRIBUTE: Attribute = Attribute::new(Functions {
    create_keyval: mpi::win_create_keyval,
    free_keyval: mpi::win_free_keyval,
    set: mpi::win_set_attr,
    get: mpi::win_get_attr,
    deleted,
});

/// A window is being freed.
unsafe extern "C" fn deleted(win: Handle, _keyval: c_int, value: *mut c_void, _extra: *mut c_void) -> c_int {
    after_deletion(|| WINDOWS.attribute_deleted(crate::abi().clean(win), value.addr() as u64))
}
