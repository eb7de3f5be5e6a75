//! Groups of the MPI library: the members of a communicator or a window by their world ranks.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Weak};

use mpit::object::{Bind, OUTSIDE};
use mpit_components::comms::{LazyRanks, RankSource, Ranks};
use mpit_sync::lock::Mutex;

use crate::abi::{Abi, Handle, LiveComm, LiveWin};
use crate::host::{Host, mpi};
use crate::sessions;

/// A group that is freed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    abi: &'static Abi,
    handle: Handle,
}

impl Group {
    /// Returns the group of a communicator; of an intercommunicator, the local group.
    fn of(abi: &'static Abi, comm: LiveComm<'_>) -> Option<Self> {
        // SAFETY: the communicator is live, and `query_group` passes space for a handle.
        Self::query_group(abi, |group| unsafe { mpi::comm_group(comm.get(), group) })
    }

    /// Returns the group that messages go to: the remote group of an intercommunicator, or the only group.
    pub(crate) fn of_peers(abi: &'static Abi, comm: LiveComm<'_>, remote: bool) -> Option<Self> {
        if remote {
            // SAFETY: the communicator is live, and `query_group` passes space for a handle.
            Self::query_group(abi, |group| unsafe { mpi::comm_remote_group(comm.get(), group) })
        } else {
            Self::of(abi, comm)
        }
    }

    /// Returns the group of `MPI_COMM_WORLD`; in a program that uses sessions only, a copy of the group of
    /// `mpi://WORLD`. `None` if MPI is not active.
    fn of_world(abi: &'static Abi) -> Option<Self> {
        let Some(world) = sessions::group() else {
            if !mpi::has_world() {
                return None;
            }
            // SAFETY: MPI is initialized and not finalized (checked), so the world exists.
            return Self::of(abi, unsafe { LiveComm::new(abi.comm_world) });
        };
        Self::query_group(abi, |group| {
            // SAFETY: the group is alive while our session is open, no ranks are excluded, and `query_group` passes
            // space for a handle.
            unsafe { mpi::group_excl(world, 0, std::ptr::null(), group) }
        })
    }

    pub(crate) fn of_window(abi: &'static Abi, win: LiveWin<'_>) -> Option<Self> {
        // SAFETY: the window is live, and `query_group` passes space for a handle.
        Self::query_group(abi, |group| unsafe { mpi::win_get_group(win.get(), group) })
    }

    fn query_group(abi: &'static Abi, query: impl FnOnce(*mut c_void) -> Option<c_int>) -> Option<Self> {
        Some(Self { abi, handle: mpi::handle(abi, query)? })
    }

    /// Returns a group of the given members of this group, in this order.
    ///
    /// # Safety
    ///
    /// `ranks` are distinct ranks of this group.
    unsafe fn some(&self, ranks: &[c_int]) -> Option<Self> {
        Self::query_group(self.abi, |group| {
            // SAFETY: the group is freed only when dropped and has these ranks (condition of this function), and `query_group`
            // passes space for a handle.
            unsafe { mpi::group_incl(self.handle, ranks.len() as c_int, ranks.as_ptr(), group) }
        })
    }

    pub(crate) fn size(&self) -> Option<u32> {
        // SAFETY: the group is freed only when dropped, and `value` passes a local variable.
        mpi::value(|size| unsafe { mpi::group_size(self.handle, size) }).map(c_int::cast_unsigned)
    }

    /// Translates ranks to another group; negative for processes that are not in it.
    fn translated(&self, ranks: &[c_int], to: &Self) -> Option<Vec<c_int>> {
        let mut translated = vec![-1; ranks.len()];
        // SAFETY: both groups are freed only when dropped, and `translated` is as long as `ranks`.
        let code = unsafe {
            mpi::group_translate_ranks(
                self.handle,
                ranks.len() as c_int,
                ranks.as_ptr(),
                to.handle,
                translated.as_mut_ptr(),
            )
        };
        if code == Some(Abi::SUCCESS) { Some(translated) } else { None }
    }

    fn in_world(&self, world: &Self) -> Option<Vec<c_int>> {
        let size = self.size()?.cast_signed();
        if self.abi.quirks.translates_ranks_by_search {
            return self.in_world_by_guesses(world, size);
        }
        self.translated(&(0..size).collect::<Vec<_>>(), world)
    }

    /// Returns the world ranks of all members for libraries that compare each rank with each process of the
    /// other group. Most groups have a constant stride, so up to 32 members at a time are compared with a
    /// group of the expected processes.
    fn in_world_by_guesses(&self, world: &Self, size: c_int) -> Option<Vec<c_int>> {
        const GUESSES: c_int = 32;
        const MISSES: u32 = 16;
        let world_size = world.size()?.cast_signed();
        let mut found: Vec<c_int> = Vec::with_capacity(size as usize);
        let mut misses = 0;
        while found.len() < size as usize {
            let at = found.len() as c_int;
            let step = match *found.as_slice() {
                [.., before, last] if before >= 0 && last >= 0 && last != before => last - before,
                _ => 1,
            };
            let guess = |ahead: c_int| {
                let last = found.last().filter(|last| **last >= 0)?;
                let guess = last.checked_add(step.checked_mul(ahead)?)?;
                if (0..world_size).contains(&guess) { Some(guess) } else { None }
            };
            let guesses: Vec<c_int> = (1..=GUESSES.min(size - at)).map_while(guess).collect();
            // SAFETY: `guess` returns ranks of the world only, and `step` is not 0, so they are distinct.
            let matching = || unsafe { self.matching_prefix(at, &guesses, world) };
            let right = if guesses.is_empty() { 0 } else { matching()? };
            found.extend(&guesses[..right]);
            if right < guesses.len() || guesses.is_empty() {
                misses = if right == 0 { misses + 1 } else { 0 };
                let at = found.len() as c_int;
                let rest = if misses < MISSES { at..size.min(at + 1) } else { at..size };
                found.extend(self.translated(&rest.collect::<Vec<_>>(), world)?);
            }
        }
        Some(found)
    }

    /// Returns the number of members, counted from rank `from`, that are equal to the guesses.
    ///
    /// # Safety
    ///
    /// The guesses are distinct ranks of `world`.
    unsafe fn matching_prefix(&self, from: c_int, guesses: &[c_int], world: &Self) -> Option<usize> {
        let len = guesses.len() as c_int;
        // SAFETY: the guesses are distinct ranks of `world` (condition of this function).
        let subset = unsafe { world.some(guesses) }?;
        let places = self.translated(&(from..from + len).collect::<Vec<_>>(), &subset)?;
        Some((0..).zip(places).take_while(|(at, place)| at == place).count())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut handle: u64 = self.handle as u64;
        let at = (&raw mut handle).cast::<c_void>();
        debug_assert!(!self.abi.narrow_handles || cfg!(target_endian = "little"));
        if sessions::is_mpi_active() {
            // SAFETY: this value owns the group, and the `u64` holds its handle in either width.
            unsafe { mpi::group_free(at) };
        }
    }
}

/// Returns the members of a group of the program by their ranks in the world, of a large one the first.
///
/// # Safety
///
/// MPI is initialized, and the handle is null or of a group that exists until this function returns.
pub unsafe fn first_members(handle: Handle, most: usize) -> Option<Vec<u32>> {
    let abi = Host::get()?.abi();
    if abi.is_null(Bind::Group, handle) {
        return None;
    }
    // The program owns the group: it is not to be freed here.
    let group = ManuallyDrop::new(Group { abi, handle });
    let some = group.size()?.min(most.try_into().ok()?).cast_signed();
    let world = world(abi)?;
    let ranks = group.translated(&(0..some).collect::<Vec<_>>(), &world)?;
    Some(ranks.into_iter().map(rank_or_outside).collect())
}

/// Converts a world rank. A process outside of the world has `MPI_UNDEFINED`, which is negative.
fn rank_or_outside(rank: c_int) -> u32 {
    u32::try_from(rank).unwrap_or(OUTSIDE)
}

/// The source of a group's world ranks, one by one or all at once.
#[derive(Debug)]
struct GroupRanks(Arc<Group>);

impl RankSource for GroupRanks {
    fn world_ranks(&self) -> Option<Vec<u32>> {
        let world = world(self.0.abi)?;
        Some(self.0.in_world(&world)?.into_iter().map(rank_or_outside).collect())
    }

    fn world_rank(&self, rank: u32) -> Option<u32> {
        let world = world(self.0.abi)?;
        self.0.translated(&[rank.cast_signed()], &world)?.first().copied().map(rank_or_outside)
    }
}

fn world(abi: &'static Abi) -> Option<Arc<Group>> {
    static WORLD: Mutex<Option<Arc<Group>>> = Mutex::new(None);
    if let Some(world) = &*WORLD.lock() {
        return Some(Arc::clone(world));
    }
    let group = Arc::new(Group::of_world(abi)?);
    let mut world = WORLD.lock();
    let kept = Arc::clone(world.get_or_insert_with(|| Arc::clone(&group)));
    // Unlocks before `group` is dropped: if another thread was faster, this frees a group at the host.
    drop(world);
    Some(kept)
}

/// The groups whose members are in use, by the host's handle. The host returns the same handle for
/// communicators of the same group, as long as the group exists.
static IN_USE: Mutex<Vec<(Handle, Weak<LazyRanks>)>> = Mutex::new(Vec::new());

/// Returns the members of a group; the host is queried for them when they are needed.
pub(crate) fn ranks(group: Group) -> Option<Ranks> {
    let abi = Host::get()?.abi();
    let (handle, size) = (group.handle, group.size()?);
    if world(abi).is_some_and(|world| world.handle == handle) {
        return Some(Ranks::World(size));
    }
    let known = |in_use: &[(Handle, Weak<LazyRanks>)]| {
        let mut same = in_use.iter().filter(|(other, _)| *other == handle);
        same.find_map(|(_, ranks)| ranks.upgrade())
    };
    // A group of another size is dropped without the lock: it may be the last reference, which frees the
    // group at the host.
    let known = known(&IN_USE.lock());
    if let Some(ranks) = known.filter(|ranks| ranks.size() == size) {
        return Some(Ranks::Lazy(ranks));
    }
    let ranks = Arc::new(LazyRanks::new(size, Box::new(GroupRanks(Arc::new(group)))));
    let mut in_use = IN_USE.lock();
    in_use.retain(|(other, known)| *other != handle && known.strong_count() > 0);
    in_use.push((handle, Arc::downgrade(&ranks)));
    Some(Ranks::Lazy(ranks))
}
