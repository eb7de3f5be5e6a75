//! Communicators of the MPI library: identity and members by handle.
//!
//! A communicator is registered when it is first used, in any language, so nothing depends on having seen its
//! creation. Registration costs a few calls whose number does not depend on the size: see `members`.
//! `objects` describes the detection of the end.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::object::{Bind, OUTSIDE, Object};
use mpit_components::coll::Kind;
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::live::{self, CommWords, NewComm};
use mpit_sync::lock::Mutex;
use mpit_sync::memory;
use mpit_sync::static_ref::StaticRef;

use crate::abi::{Abi, Handle, LiveComm, kind};
use crate::attributes::{Attribute, Functions, in_delete_callback};
use crate::groups::{self, Group};
use crate::host::{self, Host, mpi};
use crate::members::Members;
pub use crate::objects::Freeing;
use crate::objects::{Objects, Tracked};
use crate::origins::{self, Call, Counts, Parent, WORLD_LINEAGE, lineage_among};
use crate::topology::Neighbors;

/// A communicator in use. Its memory is reused when it is freed.
#[derive(Debug, Default)]
pub struct Comm {
    number: AtomicU64,
    freeing: AtomicBool,
    /// The processes that messages go to.
    members: Members,
    local_size: AtomicU32,
    rank: AtomicU32,
    remote: AtomicBool,
    /// The numbers of neighbors in the topology.
    destinations: AtomicU32,
    sources: AtomicU32,
    /// The numbers of calls that created communicators from this one.
    calls: Counts,
    /// A value below.
    errors: AtomicU8,
    /// A number that is equal in all members; 0 if it is not known.
    lineage: AtomicU64,
    /// The words that describe the communicator to other programs, if this process has a store for them.
    words: StaticRef<CommWords>,
}

/// The error handler was not queried yet.
const UNKNOWN: u8 = 0;
/// An error of a call ends the program.
const FATAL: u8 = 1;
/// An error may return to the program.
const RETURNED: u8 = 2;

impl Comm {
    /// Returns the identity.
    #[inline]
    pub fn id(&self) -> CommId {
        CommId::from_number(self.number.load(Relaxed))
    }

    /// Returns true if errors of calls on the communicator are known to end the program, as long as the program sets no other error
    /// handler.
    #[inline]
    pub fn has_fatal_errors(&self) -> bool {
        self.errors.load(Relaxed) == FATAL
    }

    /// Returns true if the error handler was queried.
    #[inline]
    pub fn is_error_handler_known(&self) -> bool {
        self.errors.load(Relaxed) != UNKNOWN
    }

    /// Queries the error handler, once. The standard allows more than `MPI_Comm_set_errhandler` to determine it: the call that creates
    /// a communicator from a group, the launcher, and `MPI_Comm_spawn`.
    #[inline]
    pub fn query_error_handler(&self, handle: LiveComm<'_>) {
        if self.errors.load(Relaxed) == UNKNOWN {
            let errors = if has_fatal_handler(handle) { FATAL } else { RETURNED };
            self.errors.store(errors, Relaxed);
        }
    }

    /// Returns the number of processes that messages go to: of an intercommunicator, the size of the remote group.
    pub fn size(&self) -> u32 {
        self.members.size()
    }

    /// Returns the size of this process's own group.
    pub fn local_size(&self) -> u32 {
        self.local_size.load(Relaxed)
    }

    /// Returns a number that is equal in all members; 0 if it is not known.
    pub fn lineage(&self) -> u64 {
        self.lineage.load(Relaxed)
    }

    /// Returns the words that describe the communicator to other programs.
    #[inline]
    pub fn words(&self) -> Option<&'static CommWords> {
        self.words.get()
    }

    /// Returns the rank of this process in its own group.
    #[inline]
    pub fn rank(&self) -> u32 {
        self.rank.load(Relaxed)
    }

    /// Returns true for an intercommunicator.
    #[inline]
    pub fn is_remote(&self) -> bool {
        self.remote.load(Relaxed)
    }

    /// Returns the number of neighbors that a neighborhood collective sends to.
    pub fn destinations(&self) -> u32 {
        self.destinations.load(Relaxed)
    }

    /// Returns the number of neighbors that a neighborhood collective receives from.
    pub fn sources(&self) -> u32 {
        self.sources.load(Relaxed)
    }

    /// Returns the number of processes, or neighbors, that a collective operation of a kind may exchange bytes with.
    #[inline]
    pub fn exchanges_with(&self, kind: Kind) -> u32 {
        if kind.is_neighborhood() { self.destinations() } else { self.size() }
    }

    /// Returns the world rank of a rank, or [`OUTSIDE`]. Queries the host for a rank that was not used before.
    #[inline]
    pub fn world_rank(&self, rank: c_int) -> u32 {
        self.members.world_rank(rank.cast_unsigned())
    }

    /// Returns the world rank of a rank that was used before; [`OUTSIDE`] also for other ranks.
    #[inline]
    pub fn cached_world_rank(&self, rank: c_int) -> u32 {
        self.members.cached(rank.cast_unsigned()).unwrap_or(OUTSIDE)
    }

    /// Returns the communicator as an object for handles to bind to.
    fn object(&self) -> Object<'static> {
        comms::pin(self.id());
        let number = self.id().get();
        match self.members.ranks().map(|ranks| ranks.resolved(mpit_components::host::world())) {
            Some(ranks @ (Ranks::List(_) | Ranks::Lazy(_))) => Object::comm(number, leaked_list(&ranks)),
            Some(Ranks::World(_)) | None => Object::world(number, self.size()),
        }
    }
}

/// Returns the list of ranks of a bound object. Lists are never freed; communicators with equal members share one.
fn leaked_list(ranks: &Ranks) -> &'static [AtomicU32] {
    type Lists = HashMap<Vec<u32>, &'static [AtomicU32]>;
    static LISTS: Mutex<Option<Lists>> = Mutex::new(None);
    let list: Vec<u32> = ranks.iter().collect();
    let mut lists = LISTS.lock();
    let lists = lists.get_or_insert_with(HashMap::new);
    lists.entry(list).or_insert_with_key(|list| {
        Box::leak(list.iter().copied().map(AtomicU32::new).collect::<Box<[AtomicU32]>>())
    })
}

/// The communicators in use.
pub static COMMS: Objects<Comm> = Objects::new();

/// Returns the communicator of a handle as an object for handles to bind to. Without a host, only the MPI
/// implementation that embeds this crate knows the members, so the object has the handle and no ranks.
///
/// # Safety
///
/// If MPI is active, the handle is 0, null, or of a communicator that exists until this function returns.
pub unsafe fn object_of(handle: Handle) -> Option<Object<'static>> {
    // SAFETY: the condition of this function is that of `of_handle`.
    match unsafe { COMMS.of_handle(handle) } {
        Some(comm) => Some(comm.object()),
        None if Host::get().is_none() => Some(Object::new(Bind::Comm, handle as u64)),
        None => None,
    }
}

/// Stores the origin of a communicator that a call creates and that is not registered yet.
pub fn creation_started(parent: LiveComm<'_>, call: Call, new: Handle) {
    store_origin(parent, call, new, None);
}

/// Stores the origin of a communicator that some processes of another one create with a tag, and that is not registered yet.
pub fn creation_among_started(parent: LiveComm<'_>, call: Call, tag: c_int, new: Handle) {
    store_origin(parent, call, new, Some(tag));
}

fn store_origin(parent: LiveComm<'_>, call: Call, new: Handle, tag: Option<c_int>) {
    if let Some(comm) = COMMS.in_use(parent) {
        let lineage = comm.lineage();
        let parent = Parent { id: comm.id(), is_remote: comm.is_remote(), calls: &comm.calls, lineage };
        origins::store(new, call, &parent, tag);
    }
}

/// The description of a communicator, as read from the host.
pub struct NewObject {
    id: CommId,
    ranks: Ranks,
    local_size: u32,
    rank: u32,
    remote: bool,
    neighbors: Neighbors,
    lineage: u64,
    words: Option<&'static CommWords>,
}

impl Tracked for Comm {
    type NewObject = NewObject;

    type Kind = kind::Comm;

    fn all() -> &'static Objects<Self> {
        &COMMS
    }

    fn number(&self) -> &AtomicU64 {
        &self.number
    }

    fn freeing(&self) -> &AtomicBool {
        &self.freeing
    }

    fn describe(handle: LiveComm<'_>) -> Option<NewObject> {
        let abi = Host::get()?.abi();
        let origin = origins::take(handle.get());
        let remote = is_inter(handle);
        let (rank, local_size) = rank_and_size(handle).unwrap_or_default();
        // The members of an intercommunicator are those of the remote group.
        let parents = if remote { None } else { origin.as_ref().and_then(|origin| origin.members.clone()) };
        let created = origin.as_ref().map_or(0, |origin| origin.lineage);
        let among = origin.as_ref().and_then(|origin| origin.among).filter(|_| live::is_active());
        let ranks = match parents {
            Some(ranks) if ranks.size() == local_size => ranks,
            _ if handle.get() == abi.comm_world => Ranks::World(local_size),
            _ if handle.get() == abi.comm_self => {
                // SAFETY: `MPI_COMM_SELF` is live, so MPI is initialized, and `MPI_COMM_WORLD` is live, too.
                let world = unsafe { LiveComm::new(abi.comm_world) };
                Ranks::List([rank_and_size(world).unwrap_or_default().0].into())
            }
            _ if !memory::is_available_for_object() => {
                memory::count_dropped();
                return None;
            }
            _ => groups::ranks(Group::of_peers(abi, handle, remote)?)?,
        };
        let neighbors = if remote { Neighbors::default() } else { Neighbors::of(abi, handle, rank, &ranks) };
        let name = name_of(handle);
        let id = comms::register(comms::Description {
            name: &name,
            origin: origin.map(|origin| origin.origin),
            ranks: ranks.clone(),
            remote,
            neighbors: neighbors.destinations.clone(),
        });
        let lineage = match (created, among) {
            _ if handle.get() == abi.comm_world => WORLD_LINEAGE,
            (_, Some(among)) => origins::lineage_of_members(abi, among, handle, remote, &ranks),
            // In an intercommunicator, the ranks are those of the other group.
            (created, None) if created == 0 || remote => created,
            (created, None) => lineage_among(created, ranks.world_rank(0)),
        };
        let mut new = NewObject { id, ranks, local_size, rank, remote, neighbors, lineage, words: None };
        new.words = describe_live(&new, handle, &name);
        Some(new)
    }

    fn set(&self, new: NewObject) {
        let NewObject { id, ranks, local_size, rank, remote, neighbors, lineage, words } = new;
        self.lineage.store(lineage, Relaxed);
        self.words.set(words);
        self.members.set(ranks);
        self.local_size.store(local_size, Relaxed);
        self.rank.store(rank, Relaxed);
        self.remote.store(remote, Relaxed);
        self.destinations.store(neighbors.destinations.len() as u32, Relaxed);
        self.sources.store(neighbors.sources, Relaxed);
        self.calls.clear();
        self.errors.store(UNKNOWN, Relaxed);
        self.number.store(id.get(), Release);
    }

    fn attribute() -> &'static Attribute<kind::Comm> {
        &ATTRIBUTE
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn announce(number: u64, _size: u32) {
        comms::announce(CommId::from_number(number));
    }

    fn record_final_state(&self, handle: LiveComm<'_>) {
        comms::renamed(self.id(), &name_of(handle));
    }

    fn ended(number: u64) {
        live::end_comm(CommId::from_number(number));
        comms::freed(CommId::from_number(number));
    }
}

/// Describes a communicator to programs that look into this process. Long lists of members are left out, because the library has
/// to be queried for them.
fn describe_live(new: &NewObject, handle: LiveComm<'_>, name: &str) -> Option<&'static CommWords> {
    if !live::is_active() {
        return None;
    }
    let size = new.ranks.size();
    let listed = if size <= origins::MAX_LISTED { new.ranks.list() } else { None };
    let is_world = matches!(new.ranks, Ranks::World(_));
    let described = NewComm {
        handle: handle.get() as u64,
        lineage: new.lineage,
        rank: new.rank,
        size,
        is_remote: new.remote,
        name,
        members: if is_world { None } else { Some(listed.map_or(&[], |list| list)) },
    };
    live::add_comm(new.id, &described)
}

/// Returns true if the error handler of a communicator ends the program; false if that is not known.
#[cold]
#[inline(never)]
fn has_fatal_handler(comm: LiveComm<'_>) -> bool {
    let abi = crate::abi();
    // SAFETY: the communicator is live, and `handle` passes space for a handle.
    let handler = mpi::handle(abi, |handler| unsafe { mpi::comm_get_errhandler(comm.get(), handler) });
    let Some(handler) = handler else { return false };
    let is_fatal = abi.fatal_handlers.contains(&Some(handler));
    let mut handler = handler as u64;
    // SAFETY: the library returned the handler, to be freed. A `u64` has space for a handle of either width.
    unsafe { mpi::errhandler_free((&raw mut handler).cast()) };
    is_fatal
}

fn is_inter(comm: LiveComm<'_>) -> bool {
    // SAFETY: the communicator is live, and `value` passes a local variable.
    mpi::value(|inter| unsafe { mpi::comm_test_inter(comm.get(), inter) }).unwrap_or(0) != 0
}

/// Returns the rank of this process and the size of its group; `None` if the library fails.
pub(crate) fn rank_and_size(comm: LiveComm<'_>) -> Option<(u32, u32)> {
    // SAFETY: the communicator is live, and `value` passes a local variable.
    let rank = mpi::value(|rank| unsafe { mpi::comm_rank(comm.get(), rank) })?;
    // SAFETY: the communicator is live, and `value` passes a local variable.
    let size = mpi::value(|size| unsafe { mpi::comm_size(comm.get(), size) })?;
    Some((rank.cast_unsigned(), size.cast_unsigned()))
}

/// Registers a communicator whose deletion has certainly not begun.
pub(crate) fn register(comm: LiveComm<'_>) {
    let _ = COMMS.register_live(comm);
}

/// Returns true if the library will delete our attribute of `MPI_COMM_SELF` in `MPI_Finalize`.
pub(crate) fn will_see_finalize(abi: &Abi) -> bool {
    if !mpi::has_world() {
        return false;
    }
    // SAFETY: MPI is initialized and not finalized (checked), so the communicator exists.
    ATTRIBUTE.get(unsafe { LiveComm::new(abi.comm_self) }).is_some()
}

/// Updates the name of a communicator after a call that renamed it.
pub fn renamed(comm: LiveComm<'_>) {
    if let Some(known) = COMMS.get(comm.get()) {
        let name = name_of(comm);
        comms::renamed(known.id(), &name);
        live::rename_comm(known.id(), &name);
    }
}

fn name_of(comm: LiveComm<'_>) -> String {
    // SAFETY: the communicator is live, and `text` passes space for `MPI_MAX_OBJECT_NAME` characters.
    mpi::text(|name, len| unsafe { mpi::comm_get_name(comm.get(), name, len) })
}

// SAFETY: the functions are those for communicators, and `deleted` catches panics.
static ATTRIBUTE: Attribute<kind::Comm> = unsafe {
    Attribute::new(Functions {
        create_keyval: mpi::comm_create_keyval,
        free_keyval: mpi::comm_free_keyval,
        set: mpi::comm_set_attr,
        get: mpi::comm_get_attr,
        deleted,
    })
};

/// Receives the deletion of our attribute. For `MPI_COMM_SELF` the library calls it first in `MPI_Finalize`,
/// while MPI still works; for others it means that the communicator is being freed.
unsafe extern "C" fn deleted(comm: Handle, _keyval: c_int, value: *mut c_void, _extra: *mut c_void) -> c_int {
    in_delete_callback(|| {
        let abi = crate::abi();
        // SAFETY: the library deletes attributes before it destroys their object.
        let comm = unsafe { LiveComm::new(abi.clean(comm)) };
        if comm.get() == abi.comm_self {
            host::finalizing();
        } else {
            COMMS.attribute_deleted(comm, value.addr() as u64);
        }
    })
}
