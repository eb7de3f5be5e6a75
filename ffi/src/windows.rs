//! Windows of the MPI library: identity and members by handle. Registered and ended like communicators ([`crate::comms`]).

use std::ffi::{c_int, c_void};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::object::{OUTSIDE, Object};
use mpit_components::comms::Ranks;
use mpit_components::windows::{self, WindowId};

use crate::abi::{Handle, LiveWin, kind};
use crate::attributes::{Attribute, Functions, in_delete_callback};
use crate::groups::{self, Group};
use crate::handle_table::HandleTable;
use crate::host::{Host, mpi};
use crate::members::Members;
use crate::objects::{Freeing, Objects, Tracked};

/// A window in use. Its memory is reused when it is freed.
#[derive(Debug, Default)]
pub struct Window {
    number: AtomicU64,
    freeing: AtomicBool,
    members: Members,
}

impl Window {
    /// Returns the identity.
    pub fn id(&self) -> WindowId {
        WindowId::from_number(self.number.load(Relaxed))
    }

    /// Returns the world rank of a rank, or [`OUTSIDE`]. Queries the host for a rank that was not used before.
    pub fn world_rank(&self, rank: u32) -> u32 {
        self.members.world_rank(rank)
    }

    /// Returns the world rank of a rank that was used before; [`OUTSIDE`] also for other ranks.
    #[inline]
    pub fn cached_world_rank(&self, rank: u32) -> u32 {
        self.members.cached(rank).unwrap_or(OUTSIDE)
    }
}

/// The windows in use.
pub static WINDOWS: Objects<Window> = Objects::new();

/// Returns the object for a handle of a performance variable. From then on the window's accesses are counted,
/// and its sums are kept until no such handle is bound to it.
///
/// # Safety
///
/// If MPI is active, the handle is 0, null, or of a window that exists until this function returns.
pub unsafe fn bound(handle: Handle) -> Option<Object<'static>> {
    // SAFETY: the condition of this function is that of `identity_of`.
    let object = unsafe { WINDOWS.identity_of(handle) }?;
    if Host::get().is_some() {
        windows::pin(WindowId::from_number(object.id()));
    }
    Some(object)
}

/// The windows that were created while no listener was there to register them, so that a tool can bind to them later.
static NOTED: HandleTable<AtomicU64> = HandleTable::new();

/// Notes a window that a call has created, without a query.
pub fn note(handle: LiveWin<'_>) {
    NOTED.insert_reusing(handle.get(), |_| {});
}

/// Returns true if a call has created the window, and none has freed it.
pub(crate) fn is_noted(handle: Handle) -> bool {
    NOTED.get(handle).is_some()
}

/// Prepares for a call that frees a window; as for all tracked objects.
#[must_use]
pub fn freeing(handle: LiveWin<'_>) -> Option<Freeing> {
    NOTED.remove(handle.get());
    WINDOWS.freeing(handle)
}

impl Tracked for Window {
    type NewObject = (WindowId, Ranks);

    type Kind = kind::Win;

    fn all() -> &'static Objects<Self> {
        &WINDOWS
    }

    fn number(&self) -> &AtomicU64 {
        &self.number
    }

    fn freeing(&self) -> &AtomicBool {
        &self.freeing
    }

    fn describe(handle: LiveWin<'_>) -> Option<Self::NewObject> {
        let abi = Host::get()?.abi();
        let ranks = groups::ranks(Group::of_window(abi, handle)?)?;
        Some((windows::register(), ranks))
    }

    fn set(&self, (id, ranks): Self::NewObject) {
        self.members.set(ranks);
        self.number.store(id.get(), Release);
    }

    fn attribute() -> &'static Attribute<kind::Win> {
        &ATTRIBUTE
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn announce(number: u64, size: u32) {
        windows::announce(WindowId::from_number(number), size);
    }

    fn ended(number: u64) {
        windows::freed(WindowId::from_number(number));
    }
}

// SAFETY: the functions are those for windows, and `deleted` catches panics.
static ATTRIBUTE: Attribute<kind::Win> = unsafe {
    Attribute::new(Functions {
        create_keyval: mpi::win_create_keyval,
        free_keyval: mpi::win_free_keyval,
        set: mpi::win_set_attr,
        get: mpi::win_get_attr,
        deleted,
    })
};

/// Receives the deletion of our attribute: the window is being freed.
unsafe extern "C" fn deleted(win: Handle, _keyval: c_int, value: *mut c_void, _extra: *mut c_void) -> c_int {
    in_delete_callback(|| {
        // SAFETY: the library deletes attributes before it destroys their object.
        let win = unsafe { LiveWin::new(crate::abi().clean(win)) };
        WINDOWS.attribute_deleted(win, value.addr() as u64);
    })
}
