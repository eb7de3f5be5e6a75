//! Groups of the host: who is in a communicator or a window, by the ranks of the world.

use std::ffi::{c_int, c_void};

use mpit::object::OUTSIDE;
use mpit_components::comms::Ranks;

use crate::abi::{Abi, Handle};
use crate::host::mpi;
use crate::sessions;

/// A group of ours, given back when dropped.
pub(crate) struct Group<'a> {
    abi: &'a Abi,
    handle: Handle,
}

impl<'a> Group<'a> {
    /// Of a communicator: of an intercommunicator this process's own.
    fn of(abi: &'a Abi, comm: Handle) -> Option<Self> {
        // SAFETY: the communicator is alive, and there is room for a handle.
        Self::given(abi, |group| unsafe { mpi::comm_group(comm, group) })
    }

    /// The remote group of an intercommunicator, the only one of any other.
    pub(crate) fn of_peers(abi: &'a Abi, comm: Handle, remote: bool) -> Option<Self> {
        if remote {
            // SAFETY: as in `of`.
            Self::given(abi, |group| unsafe { mpi::comm_remote_group(comm, group) })
        } else {
            Self::of(abi, comm)
        }
    }

    /// Of the world: where there is none, of the process set that stands for it.
    fn of_world(abi: &'a Abi) -> Option<Self> {
        let Some(world) = sessions::group() else { return Self::of(abi, abi.comm_world) };
        Self::given(abi, |group| {
            // SAFETY: the group is alive, no rank is left out, and there is room for a handle.
            unsafe { mpi::group_excl(world, 0, std::ptr::null(), group) }
        })
    }

    /// Of a window.
    pub(crate) fn of_window(abi: &'a Abi, win: Handle) -> Option<Self> {
        // SAFETY: the window is alive, and there is room for a handle.
        Self::given(abi, |group| unsafe { mpi::win_get_group(win, group) })
    }

    fn given(abi: &'a Abi, ask: impl FnOnce(*mut c_void) -> Option<c_int>) -> Option<Self> {
        // A word has room for a handle of either width.
        let mut group: u64 = 0;
        let asked = ask((&raw mut group).cast());
        (asked == Some(Abi::SUCCESS)).then(|| Self { abi, handle: abi.clean(group as Handle) })
    }

    fn size(&self) -> Option<u32> {
        let mut size = 0;
        // SAFETY: the group is alive, and the size writable.
        let asked = unsafe { mpi::group_size(self.handle, &raw mut size) };
        (asked == Some(Abi::SUCCESS)).then_some(size.cast_unsigned())
    }

    /// Its processes by their ranks in the world, of which the group may be the very one.
    pub(crate) fn world_ranks(&self, is_world: bool) -> Option<Ranks> {
        let size = self.size()?;
        if is_world {
            return Some(Ranks::World(size));
        }
        let world = Group::of_world(self.abi)?;
        let ranks: Vec<c_int> = (0..size as c_int).collect();
        let mut translated = vec![-1; ranks.len()];
        // SAFETY: both groups are alive, and there is room for `size` ranks.
        let asked = unsafe {
            mpi::group_translate_ranks(
                self.handle,
                size as c_int,
                ranks.as_ptr(),
                world.handle,
                translated.as_mut_ptr(),
            )
        };
        if asked != Some(Abi::SUCCESS) {
            return None;
        }
        if translated == ranks && Some(size) == world.size() {
            return Some(Ranks::World(size));
        }
        // What is no rank of the world is MPI_UNDEFINED, which is negative.
        Some(Ranks::List(translated.into_iter().map(|rank| u32::try_from(rank).unwrap_or(OUTSIDE)).collect()))
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        let mut handle: u64 = self.handle as u64;
        let at = (&raw mut handle).cast::<c_void>();
        debug_assert!(!self.abi.narrow_handles || cfg!(target_endian = "little"));
        // SAFETY: the group is ours, and the word holds its handle in either width.
        unsafe { mpi::group_free(at) };
    }
}
