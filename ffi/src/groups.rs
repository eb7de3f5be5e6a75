//! Groups of the host: who is in a communicator or a window, by the ranks of the world.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Weak};

use mpit::lock::Mutex;
use mpit::object::OUTSIDE;
use mpit_components::comms::{Ask, Asked, Ranks};

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, mpi};
use crate::sessions;

/// A group of ours, given back when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    abi: &'static Abi,
    handle: Handle,
}

impl Group {
    /// Of a communicator: of an intercommunicator this process's own.
    fn of(abi: &'static Abi, comm: Handle) -> Option<Self> {
        // SAFETY: the communicator is alive, and there is room for a handle.
        Self::given(abi, |group| unsafe { mpi::comm_group(comm, group) })
    }

    /// The remote group of an intercommunicator, the only one of any other.
    pub(crate) fn of_peers(abi: &'static Abi, comm: Handle, remote: bool) -> Option<Self> {
        if remote {
            // SAFETY: as in `of`.
            Self::given(abi, |group| unsafe { mpi::comm_remote_group(comm, group) })
        } else {
            Self::of(abi, comm)
        }
    }

    /// Returns the group of the world; without a world, that of the process set that stands for it.
    fn of_world(abi: &'static Abi) -> Option<Self> {
        let Some(world) = sessions::group() else { return Self::of(abi, abi.comm_world) };
        Self::given(abi, |group| {
            // SAFETY: the group is alive, no rank is left out, and there is room for a handle.
            unsafe { mpi::group_excl(world, 0, std::ptr::null(), group) }
        })
    }

    /// Of a window.
    pub(crate) fn of_window(abi: &'static Abi, win: Handle) -> Option<Self> {
        // SAFETY: the window is alive, and there is room for a handle.
        Self::given(abi, |group| unsafe { mpi::win_get_group(win, group) })
    }

    fn given(abi: &'static Abi, ask: impl FnOnce(*mut c_void) -> Option<c_int>) -> Option<Self> {
        // A word has room for a handle of either width.
        let mut group: u64 = 0;
        let asked = ask((&raw mut group).cast());
        (asked == Some(Abi::SUCCESS)).then(|| Self { abi, handle: abi.clean(group as Handle) })
    }

    /// Some members of this group, in this order.
    fn some(&self, ranks: &[c_int]) -> Option<Self> {
        Self::given(self.abi, |group| {
            // SAFETY: the group is alive, the ranks are different ones of its own, and there is room for a handle.
            unsafe { mpi::group_incl(self.handle, ranks.len() as c_int, ranks.as_ptr(), group) }
        })
    }

    pub(crate) fn size(&self) -> Option<u32> {
        let mut size = 0;
        // SAFETY: the group is alive, and the size writable.
        let asked = unsafe { mpi::group_size(self.handle, &raw mut size) };
        (asked == Some(Abi::SUCCESS)).then_some(size.cast_unsigned())
    }

    /// The ranks in another group, negative for processes that are not in it.
    fn translated(&self, ranks: &[c_int], to: &Self) -> Option<Vec<c_int>> {
        let mut translated = vec![-1; ranks.len()];
        // SAFETY: both groups are alive, and there is room for as many ranks.
        let asked = unsafe {
            mpi::group_translate_ranks(
                self.handle,
                ranks.len() as c_int,
                ranks.as_ptr(),
                to.handle,
                translated.as_mut_ptr(),
            )
        };
        (asked == Some(Abi::SUCCESS)).then_some(translated)
    }

    /// The ranks in the world of all members.
    fn in_world(&self, world: &Self) -> Option<Vec<c_int>> {
        let size = self.size()?.cast_signed();
        if self.abi.flavour == Flavour::OpenMpi {
            return self.in_world_by_guesses(world, size);
        }
        self.translated(&(0..size).collect::<Vec<_>>(), world)
    }

    /// Lists the members where translating compares each rank with each process of the other group. Most groups go through the
    /// world in steps, so a few members at a time are compared with those that come next if this one does.
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
                (0..world_size).contains(&guess).then_some(guess)
            };
            let guesses: Vec<c_int> = (1..=GUESSES.min(size - at)).map_while(guess).collect();
            let right = if guesses.is_empty() { 0 } else { self.prefix(at, &guesses, world)? };
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

    /// Returns how many of the members from a rank on are the guessed ones of the world.
    fn prefix(&self, from: c_int, guesses: &[c_int], world: &Self) -> Option<usize> {
        let len = guesses.len() as c_int;
        let subset = world.some(guesses)?;
        let places = self.translated(&(from..from + len).collect::<Vec<_>>(), &subset)?;
        Some((0..).zip(places).take_while(|(at, place)| at == place).count())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut handle: u64 = self.handle as u64;
        let at = (&raw mut handle).cast::<c_void>();
        debug_assert!(!self.abi.narrow_handles || cfg!(target_endian = "little"));
        if mpi::is_active() {
            // SAFETY: the group is ours, and the word holds its handle in either width.
            unsafe { mpi::group_free(at) };
        }
    }
}

/// Converts a rank of the world; others are `MPI_UNDEFINED`, which is negative.
fn rank_or_outside(rank: c_int) -> u32 {
    u32::try_from(rank).unwrap_or(OUTSIDE)
}

/// A group that is asked for its members one by one, or for all of them.
#[derive(Debug)]
struct Source(Arc<Group>);

impl Ask for Source {
    fn world_ranks(&self) -> Option<Vec<u32>> {
        let world = world(self.0.abi)?;
        Some(self.0.in_world(&world)?.into_iter().map(rank_or_outside).collect())
    }

    fn world_rank(&self, rank: u32) -> Option<u32> {
        let world = world(self.0.abi)?;
        self.0.translated(&[rank.cast_signed()], &world)?.first().copied().map(rank_or_outside)
    }
}

/// The group of the world.
fn world(abi: &'static Abi) -> Option<Arc<Group>> {
    static WORLD: Mutex<Option<Arc<Group>>> = Mutex::new(None);
    if let Some(world) = &*WORLD.lock() {
        return Some(Arc::clone(world));
    }
    let group = Arc::new(Group::of_world(abi)?);
    let mut world = WORLD.lock();
    let kept = Arc::clone(world.get_or_insert_with(|| Arc::clone(&group)));
    // Unlock before `group` is dropped: if another thread was faster, that frees this group at the host.
    drop(world);
    Some(kept)
}

/// Groups whose members are in use, by the host's handle. The host gives the same one for communicators of the same group,
/// as long as it exists.
static IN_USE: Mutex<Vec<(Handle, Weak<Asked>)>> = Mutex::new(Vec::new());

/// The members of a group, of which the host is not asked before they are needed.
pub(crate) fn ranks(group: Group) -> Option<Ranks> {
    let abi = Host::get()?.abi();
    let (handle, size) = (group.handle, group.size()?);
    if world(abi).is_some_and(|world| world.handle == handle) {
        return Some(Ranks::World(size));
    }
    let known = |in_use: &[(Handle, Weak<Asked>)]| {
        let mut same = in_use.iter().filter(|(other, _)| *other == handle);
        same.find_map(|(_, asked)| asked.upgrade())
    };
    // One of another size is dropped without the lock: it may be the last, which frees the group at the host.
    let known = known(&IN_USE.lock());
    if let Some(asked) = known.filter(|asked| asked.size() == size) {
        return Some(Ranks::Asked(asked));
    }
    let asked = Arc::new(Asked::new(size, Box::new(Source(Arc::new(group)))));
    let mut in_use = IN_USE.lock();
    in_use.retain(|(other, known)| *other != handle && known.strong_count() > 0);
    in_use.push((handle, Arc::downgrade(&asked)));
    Some(Ranks::Asked(asked))
}
