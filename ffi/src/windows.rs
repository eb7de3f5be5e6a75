//! Windows of the host: which one a handle is, and whose memory is behind it. Met and left as communicators are
//! ([`crate::comms`]).

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use mpit::object::OUTSIDE;
use mpit_components::comms::Ranks;
use mpit_components::windows::{self, WindowId};

use crate::abi::{Abi, Handle};
use crate::comms::never_copy;
use crate::groups::Group;
use crate::host::{Host, mpi};
use crate::meeting::Meetings;
use crate::table::Table;

/// What is known of a window.
#[derive(Debug)]
pub struct Window {
    id: WindowId,
    size: u32,
    /// World ranks by rank; `None` when they are the same.
    ranks: Option<Arc<[u32]>>,
}

impl Window {
    /// Its identity.
    #[must_use]
    pub fn id(&self) -> WindowId {
        self.id
    }

    /// The world rank of a rank, or [`OUTSIDE`].
    #[must_use]
    pub fn world_rank(&self, rank: u32) -> u32 {
        match &self.ranks {
            None if rank < self.size => rank,
            None => OUTSIDE,
            Some(ranks) => ranks.get(rank as usize).copied().unwrap_or(OUTSIDE),
        }
    }
}

static WINDOWS: Table<Window> = Table::new();
static MEETINGS: Meetings = Meetings::new();

/// The window of a call that the host has taken: MPI is up.
#[inline]
#[must_use]
pub fn in_use(handle: Handle) -> Option<&'static Window> {
    WINDOWS.get(handle).or_else(|| meet(handle))
}

/// Returns the window that was asked for last, if it is this one.
#[inline]
#[must_use]
pub fn last(handle: Handle) -> Option<&'static Window> {
    WINDOWS.last(handle)
}

/// Returns the window behind a handle that was met before. The library is not asked.
#[inline]
#[must_use]
pub fn met(handle: Handle) -> Option<&'static Window> {
    WINDOWS.get(handle)
}

#[cold]
fn meet(handle: Handle) -> Option<&'static Window> {
    let abi = Host::get()?.abi();
    if handle == abi.win_null() || handle == 0 {
        return None;
    }
    let _meeting = MEETINGS.begin(handle)?;
    if let Some(known) = WINDOWS.get(handle) {
        return Some(known);
    }
    let ranks = Group::of_window(abi, handle)?.world_ranks(false)?;
    let size = ranks.size();
    let id = windows::created(size);
    let ranks = match ranks {
        Ranks::World(_) => None,
        Ranks::List(list) => Some(list),
    };
    let window = WINDOWS.insert(handle, || Window { id, size, ranks });
    watch(abi, handle);
    Some(window)
}

/// Hangs the attribute that tells of the end on a window.
fn watch(abi: &Abi, handle: Handle) {
    static KEYVAL: AtomicI32 = AtomicI32::new(0);
    static MADE: OnceLock<bool> = OnceLock::new();
    let made = *MADE.get_or_init(|| {
        let mut keyval = abi.keyval_invalid;
        // SAFETY: both functions have the signatures that attributes ask for, and live as long as the process.
        let asked =
            unsafe { mpi::win_create_keyval(never_copy, deleted, &raw mut keyval, std::ptr::null_mut()) };
        KEYVAL.store(keyval, SeqCst);
        asked == Some(Abi::SUCCESS)
    });
    if made {
        // SAFETY: the window is alive and the key is ours.
        unsafe { mpi::win_set_attr(handle, KEYVAL.load(SeqCst), std::ptr::null_mut()) };
    }
}

/// A window is being freed.
unsafe extern "C" fn deleted(win: Handle, _keyval: c_int, _value: *mut c_void, _extra: *mut c_void) -> c_int {
    let ended = std::panic::catch_unwind(|| {
        if let Some(known) = WINDOWS.remove(crate::abi().clean(win)) {
            windows::freed(known.id);
        }
    });
    // The panic hook has told; the host's own work is not to suffer.
    drop(ended);
    Abi::SUCCESS
}
