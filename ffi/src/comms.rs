//! Communicators of the host: which one a handle is, and who is in it.
//!
//! A communicator is met when it is first used, in whatever language, and hung with an attribute whose deletion tells
//! when it is freed; so nothing depends on having seen how it was made.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use mpit::object::{OUTSIDE, Object};
use mpit::words::Bind;
use mpit_components::coll::Kind;
use mpit_components::comms::{self, CommId, Ranks};

use crate::abi::{Abi, Handle};
use crate::groups::Group;
use crate::host::{Host, mpi};
use crate::meeting::Meetings;
use crate::table::Table;
use crate::topology::Neighbors;

/// What is known of a communicator.
#[derive(Debug)]
pub struct Comm {
    id: CommId,
    /// Of those that messages go to.
    size: u32,
    /// Of this process's own group.
    local_size: u32,
    rank: u32,
    remote: bool,
    neighbors: Neighbors,
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

    /// The number of processes that messages on it go to: of an intercommunicator those of the remote group.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The number of processes of this one's own group.
    #[must_use]
    pub fn local_size(&self) -> u32 {
        self.local_size
    }

    /// The rank of this process, in its own group.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Whether it is an intercommunicator.
    #[inline]
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.remote
    }

    /// How many neighbors a neighborhood operation sends to.
    #[must_use]
    pub fn destinations(&self) -> u32 {
        self.neighbors.destinations.len() as u32
    }

    /// How many neighbors a neighborhood operation receives from.
    #[must_use]
    pub fn sources(&self) -> u32 {
        self.neighbors.sources
    }

    /// How many processes, or neighbors, a collective operation of a kind may have bytes for.
    #[inline]
    #[must_use]
    pub fn exchanges_with(&self, kind: Kind) -> u32 {
        if kind.is_neighborhood() { self.destinations() } else { self.size }
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
static MEETINGS: Meetings = Meetings::new();

/// The communicator behind a handle that the host accepts. Met before, or MPI must be up.
#[inline]
#[must_use]
pub fn of_handle(handle: Handle) -> Option<&'static Comm> {
    COMMS.get(handle).or_else(|| if mpi::is_active() { meet(handle) } else { None })
}

/// The communicator behind a handle, as an object to bind to. Without a library underneath nobody can say what it has but
/// who made it, so the object has its handle and no ranks.
#[must_use]
pub fn object_of(handle: Handle) -> Option<Object<'static>> {
    match of_handle(handle) {
        Some(comm) => Some(comm.object()),
        None if Host::get().is_none() => Some(Object::new(Bind::Comm, handle as u64)),
        None => None,
    }
}

/// Returns true if a handle is a communicator that was met before.
#[must_use]
pub fn is_known(handle: Handle) -> bool {
    COMMS.get(handle).is_some()
}

/// The communicator of a call that the host is about to take: MPI is up.
#[inline]
#[must_use]
pub fn in_use(handle: Handle) -> Option<&'static Comm> {
    COMMS.get(handle).or_else(|| meet(handle))
}

/// Returns the communicator behind a handle that was met before. The library is not asked.
#[inline]
#[must_use]
pub fn met(handle: Handle) -> Option<&'static Comm> {
    COMMS.get(handle)
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
    let _meeting = MEETINGS.begin(handle)?;
    if let Some(known) = COMMS.get(handle) {
        return Some(known);
    }
    let remote = is_inter(handle);
    let ranks = Group::of_peers(abi, handle, remote)?.world_ranks(handle == abi.comm_world)?;
    let size = ranks.size();
    let (rank, local_size) = place_in(handle);
    let neighbors = if remote { Neighbors::default() } else { Neighbors::of(abi, handle, rank, &ranks) };
    let id = comms::created(comms::Description {
        name: &name_of(handle),
        ranks: ranks.clone(),
        remote,
        neighbors: Arc::clone(&neighbors.destinations),
    });
    let ranks = match ranks {
        Ranks::World(_) => None,
        Ranks::List(list) => Some(list),
    };
    let comm = COMMS.insert(handle, || Comm {
        id,
        size,
        local_size,
        rank,
        remote,
        neighbors,
        ranks,
        shared: OnceLock::new(),
    });
    watch(abi, handle);
    Some(comm)
}

fn is_inter(handle: Handle) -> bool {
    let mut inter = 0;
    // SAFETY: the communicator is alive, and the flag writable.
    unsafe { mpi::comm_test_inter(handle, &raw mut inter) };
    inter != 0
}

/// The rank of this process and the size of its group.
fn place_in(handle: Handle) -> (u32, u32) {
    let (mut rank, mut size): (c_int, c_int) = (0, 0);
    // SAFETY: the communicator is alive, and the rank writable.
    unsafe { mpi::comm_rank(handle, &raw mut rank) };
    // SAFETY: the same of the size.
    unsafe { mpi::comm_size(handle, &raw mut size) };
    (rank.cast_unsigned(), size.cast_unsigned())
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

/// An attribute of ours is not copied: a duplicate is a communicator of its own and is met by itself.
pub(crate) unsafe extern "C" fn never_copy(
    _object: Handle,
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
