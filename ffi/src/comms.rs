//! Communicators of the host: which one a handle is, and who is in it.
//!
//! A communicator is met when it is first used, in whatever language, and hung with an attribute whose deletion tells
//! when it is freed; so nothing depends on having seen how it was made.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use mpit::object::{OUTSIDE, Object};
use mpit_components::comms::{self, CommId, Ranks};

use crate::abi::{Abi, Handle};
use crate::host::{Host, mpi};
use crate::table::Table;

/// What is known of a communicator.
#[derive(Debug)]
pub struct Comm {
    id: CommId,
    size: u32,
    /// World ranks by rank; `None` when they are the same.
    ranks: Option<Arc<[u32]>>,
    /// The same for binding, made at first need.
    shared: OnceLock<Box<[AtomicU32]>>,
}

impl Comm {
    /// Its identity.
    #[inline]
    #[must_use]
    pub fn id(&self) -> CommId {
        self.id
    }

    /// The world rank of a rank, or [`OUTSIDE`].
    #[inline]
    #[must_use]
    pub fn world_rank(&self, rank: c_int) -> u32 {
        match &self.ranks {
            None if rank.cast_unsigned() < self.size => rank.cast_unsigned(),
            None => OUTSIDE,
            Some(ranks) => ranks.get(rank.cast_unsigned() as usize).copied().unwrap_or(OUTSIDE),
        }
    }

    /// The communicator as an object to bind to.
    #[must_use]
    pub fn object(&self) -> Object<'_> {
        match &self.ranks {
            None => Object::world(self.id.get(), self.size),
            Some(ranks) => {
                let shared = || ranks.iter().copied().map(AtomicU32::new).collect();
                Object::comm(self.id.get(), self.shared.get_or_init(shared))
            }
        }
    }
}

static COMMS: Table<Comm> = Table::new();

/// The communicator behind a handle that the host accepts. Met before, or MPI must be up.
#[inline]
#[must_use]
pub fn of_handle(handle: Handle) -> Option<&'static Comm> {
    COMMS.get(handle).or_else(|| if mpi::is_active() { meet(handle) } else { None })
}

/// The communicator of a call that the host is about to take: MPI is up.
#[inline]
#[must_use]
pub fn in_use(handle: Handle) -> Option<&'static Comm> {
    COMMS.get(handle).or_else(|| meet(handle))
}

/// The communicator that was asked for last, if it is this one.
#[inline]
#[must_use]
pub fn last(handle: Handle) -> Option<&'static Comm> {
    COMMS.last(handle)
}

#[cold]
fn meet(handle: Handle) -> Option<&'static Comm> {
    let abi = Host::get()?.abi();
    if handle == abi.comm_null || handle == 0 {
        return None;
    }
    let ranks = ranks_of(abi, handle)?;
    let comm = COMMS.insert(handle, || {
        let size = ranks.size();
        let id = comms::created(comms::Description::new(ranks.clone(), &name_of(handle)));
        let ranks = match ranks {
            Ranks::World(_) => None,
            Ranks::List(list) => Some(list),
        };
        Comm { id, size, ranks, shared: OnceLock::new() }
    });
    watch(abi, handle);
    Some(comm)
}

/// Meets the two communicators that every program has.
pub fn meet_predefined() {
    if let Some(host) = Host::get() {
        meet(host.abi().comm_world);
        meet(host.abi().comm_self);
    }
}

/// A communicator was renamed by a call that we saw.
pub fn renamed(handle: Handle) {
    if let Some(comm) = COMMS.get(handle) {
        comms::renamed(comm.id, &name_of(handle));
    }
}

/// Reads all names again: not every renaming is seen.
pub fn refresh_names() {
    for (handle, comm) in COMMS.values() {
        comms::renamed(comm.id, &name_of(handle));
    }
}

fn name_of(handle: Handle) -> String {
    // More than MPI_MAX_OBJECT_NAME of any flavour.
    let mut name = [0_u8; 1024];
    let mut len: c_int = 0;
    // SAFETY: the communicator is alive, and the buffer longer than any name.
    let asked = unsafe { mpi::comm_get_name(handle, name.as_mut_ptr(), &raw mut len) };
    let end = if asked == Some(Abi::SUCCESS) { len.clamp(0, 1023) as usize } else { 0 };
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// The processes that messages on a communicator go to, as world ranks.
fn ranks_of(abi: &Abi, handle: Handle) -> Option<Ranks> {
    let group = Group::of_peers(abi, handle)?;
    let size = group.size()?;
    if handle == abi.comm_world {
        return Some(Ranks::World(size));
    }
    let world = Group::of(abi, abi.comm_world)?;
    let ranks: Vec<c_int> = (0..size as c_int).collect();
    let mut translated = vec![-1; ranks.len()];
    // SAFETY: both groups are alive, and there is room for `size` ranks.
    let asked = unsafe {
        mpi::group_translate_ranks(
            group.handle,
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

/// A group of ours, given back when dropped.
struct Group<'a> {
    abi: &'a Abi,
    handle: Handle,
}

impl<'a> Group<'a> {
    fn of(abi: &'a Abi, comm: Handle) -> Option<Self> {
        let mut group: u64 = 0;
        // SAFETY: the communicator is alive, and a word has room for a handle of either width.
        let asked = unsafe { mpi::comm_group(comm, (&raw mut group).cast()) };
        (asked == Some(Abi::SUCCESS)).then(|| Self { abi, handle: abi.clean(group as Handle) })
    }

    /// The remote group of an intercommunicator, the only one of any other.
    fn of_peers(abi: &'a Abi, comm: Handle) -> Option<Self> {
        let mut inter = 0;
        // SAFETY: the communicator is alive, and the flag writable.
        unsafe { mpi::comm_test_inter(comm, &raw mut inter) };
        if inter == 0 {
            return Self::of(abi, comm);
        }
        let mut group: u64 = 0;
        // SAFETY: as in `of`.
        let asked = unsafe { mpi::comm_remote_group(comm, (&raw mut group).cast()) };
        (asked == Some(Abi::SUCCESS)).then(|| Self { abi, handle: abi.clean(group as Handle) })
    }

    fn size(&self) -> Option<u32> {
        let mut size = 0;
        // SAFETY: the group is alive, and the size writable.
        let asked = unsafe { mpi::group_size(self.handle, &raw mut size) };
        (asked == Some(Abi::SUCCESS)).then_some(size.cast_unsigned())
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

/// Hangs the attribute that tells of the end on a communicator. Best effort: without it, a communicator that is made
/// later under the same handle is taken for the old one.
fn watch(abi: &Abi, handle: Handle) {
    static KEYVAL: AtomicI32 = AtomicI32::new(0);
    static MADE: OnceLock<bool> = OnceLock::new();
    let made = *MADE.get_or_init(|| {
        let mut keyval = abi.keyval_invalid;
        // SAFETY: both functions have the signatures that attributes ask for, and live as long as the process.
        let asked =
            unsafe { mpi::comm_create_keyval(never_copy, deleted, &raw mut keyval, std::ptr::null_mut()) };
        KEYVAL.store(keyval, SeqCst);
        asked == Some(Abi::SUCCESS)
    });
    if made {
        // SAFETY: the communicator is alive and the key is ours.
        unsafe { mpi::comm_set_attr(handle, KEYVAL.load(SeqCst), std::ptr::null_mut()) };
    }
}

/// A duplicate is a communicator of its own and is met by itself.
unsafe extern "C" fn never_copy(
    _comm: Handle,
    _keyval: c_int,
    _extra: *mut c_void,
    _value: *mut c_void,
    _copy: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    if !flag.is_null() {
        // SAFETY: not null, and the host's to be written.
        unsafe { flag.write(0) };
    }
    Abi::SUCCESS
}

/// A communicator is being freed; `MPI_COMM_SELF` first of all things in `MPI_Finalize`, with MPI still working.
unsafe extern "C" fn deleted(
    comm: Handle,
    _keyval: c_int,
    _value: *mut c_void,
    _extra: *mut c_void,
) -> c_int {
    let ended = std::panic::catch_unwind(|| {
        let abi = crate::abi();
        let comm = abi.clean(comm);
        if comm == abi.comm_self {
            crate::life::finalizing();
        } else if let Some(known) = COMMS.get(comm) {
            comms::renamed(known.id, &name_of(comm));
            COMMS.remove(comm);
            comms::freed(known.id);
        }
    });
    // The panic hook has told; the host's own work is not to suffer.
    drop(ended);
    Abi::SUCCESS
}
