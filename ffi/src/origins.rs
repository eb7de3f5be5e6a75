//! The origins of communicators: the calls that created them, as a label for communicators without a name.
//!
//! Calls are counted for each kind and communicator. All processes of the communicator make them in the same
//! order, so a call has the same number in each process.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::object::OUTSIDE;
use mpit_components::comms::{self, CommId, Origin, Ranks};
use mpit_components::live;
use mpit_sync::lock::Mutex;

use crate::abi::{Abi, Handle, LiveComm};
use crate::groups::{self, Group};

macro_rules! calls {
    ($($call:ident = $label:literal;)+) => {
        /// A call that creates a communicator from another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Call {
            $(
                #[doc = concat!("The new communicator is labeled \"", $label, "\" and the name of the other one.")]
                $call,
            )+
        }

        impl Call {
            const LABELS: &[&str] = &[$($label),+];
        }
    };
}

calls! {
    Dup = "dup of";
    Idup = "idup of";
    Create = "create of";
    CreateGroup = "create_group of";
    Split = "split of";
    SplitType = "split_type of";
    Cart = "cart of";
    CartSub = "cart_sub of";
    Graph = "graph of";
    DistGraph = "dist_graph of";
    Intercomm = "intercomm of";
    Merge = "merge of";
    Shrink = "shrink of";
    Accept = "accept on";
    Connect = "connect on";
    Spawn = "spawn on";
}

/// The numbers of calls of each kind on a communicator.
#[derive(Debug, Default)]
pub(crate) struct Counts([AtomicU64; Call::LABELS.len()]);

impl Counts {
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|count| count.store(0, Relaxed));
    }
}

/// The origin of a communicator that was not used yet.
#[derive(Debug)]
pub(crate) struct CreationCall {
    pub(crate) origin: Origin,
    /// A number that is equal in all processes that take part in the call; 0 if there is none.
    pub(crate) lineage: u64,
    /// A hash of the call and its tag, if only some processes of the parent communicator take part in it.
    pub(crate) among: Option<u64>,
    /// The members, if they are those of the parent communicator.
    pub(crate) members: Option<Ranks>,
}

/// The origins of communicators that are not registered yet, by handle, because their creation is not complete.
static CREATION_CALLS: Mutex<Vec<(Handle, CreationCall)>> = Mutex::new(Vec::new());

/// The maximum number of stored origins; the oldest is dropped first.
const MAX_STORED: usize = 256;

/// The maximum length of a parent's name within a label: duplicates of duplicates would have ever longer ones.
const MAX_PARENT_NAME: usize = 100;

/// Removes and returns the origin of a communicator.
pub(crate) fn take(handle: Handle) -> Option<CreationCall> {
    let mut calls = CREATION_CALLS.lock();
    let at = calls.iter().position(|(other, _)| *other == handle)?;
    Some(calls.swap_remove(at).1)
}

/// A communicator from which a call creates another one.
#[derive(Debug)]
pub(crate) struct Parent<'a> {
    pub(crate) id: CommId,
    pub(crate) is_remote: bool,
    pub(crate) calls: &'a Counts,
    /// The lineage of the communicator; 0 if it is not known.
    pub(crate) lineage: u64,
}

/// The lineage of `MPI_COMM_WORLD`.
pub(crate) const WORLD_LINEAGE: u64 = 1;

/// Returns the lineage of a communicator, or of several that one call creates in different processes.
fn lineage_of(call: Call, number: u64, parent: u64) -> u64 {
    if number == 0 || parent == 0 || !live::is_active() {
        return 0;
    }
    mix(mix(parent, call as u64), number)
}

/// Returns the lineage of a communicator among those that one call creates in different processes, by its first member's rank in
/// the world.
pub(crate) fn lineage_among(lineage: u64, first: u32) -> u64 {
    mix(lineage, first.into())
}

/// Adds a number to a hash. Processes of the same job may run on machines with different libraries, so the hash is not the
/// standard library's.
fn mix(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number.wrapping_add(0x51)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 31).max(2)
}

/// Returns the lineage of a communicator that the members of its groups create by themselves, with a hash of the call and its tag. All of
/// them count the communicators of the same groups in the same order.
fn lineage_of_groups(among: u64, groups: [&[u32]; 2]) -> u64 {
    static COUNTS: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
    let hash_of = |ranks: &[u32]| ranks.iter().fold(0, |hash, rank| mix(hash, (*rank).into()));
    // Each of two groups is the other one's remote group.
    let mut hashes = groups.map(hash_of);
    hashes.sort_unstable();
    let key = mix(mix(among, hashes[0]), hashes[1]);
    let mut counts = COUNTS.lock();
    if counts.len() == MAX_COUNTED && !counts.contains_key(&key) {
        return 0;
    }
    let count = counts.entry(key).or_insert(0);
    *count += 1;
    mix(key, *count)
}

/// The maximum number of members that are listed for other programs: the library has to be queried for them.
pub(crate) const MAX_LISTED: u32 = 256;

/// Returns the lineage of a communicator by its members; 0 if these are too many or not all of this world.
pub(crate) fn lineage_of_members(
    abi: &'static Abi,
    among: u64,
    comm: LiveComm<'_>,
    is_remote: bool,
    ranks: &Ranks,
) -> u64 {
    let list = |ranks: &Ranks| -> Option<Vec<u32>> {
        if ranks.size() > MAX_LISTED {
            return None;
        }
        let all: Vec<u32> = ranks.iter().collect();
        if all.contains(&OUTSIDE) { None } else { Some(all) }
    };
    let local = if is_remote {
        Group::of_peers(abi, comm, false).and_then(groups::ranks).and_then(|ranks| list(&ranks))
    } else {
        Some(Vec::new())
    };
    let (Some(local), Some(ranks)) = (local, list(ranks)) else { return 0 };
    lineage_of_groups(among, [&local, &ranks])
}

/// The maximum number of sets of groups whose communicators are counted.
const MAX_COUNTED: usize = 1024;

/// Stores the origin of a communicator that is not registered yet, until [`take`] returns it. `tag` is that of a call in which only some
/// processes of the parent communicator take part.
pub(crate) fn store(new: Handle, call: Call, parent: &Parent<'_>, tag: Option<c_int>) {
    let Some(mut creation) = describe_creation(call, parent) else { return };
    creation.among = tag.map(|tag| mix(call as u64, tag.cast_unsigned().into()));
    let mut calls = CREATION_CALLS.lock();
    calls.retain(|(other, _)| *other != new);
    if calls.len() == MAX_STORED {
        calls.remove(0);
    }
    calls.push((new, creation));
}

fn describe_creation(call: Call, parent: &Parent<'_>) -> Option<CreationCall> {
    let record = comms::get(parent.id)?;
    let number = parent.calls.0[call as usize].fetch_add(1, Relaxed) + 1;
    // Not all processes of the communicator take part in `MPI_Comm_create_group`.
    let number = if call == Call::CreateGroup { 0 } else { number };
    let mut of = record.label();
    if let Some(cut) = of.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_PARENT_NAME) {
        of = &of[..cut];
    }
    let label = Call::LABELS[call as usize];
    let text = if of.is_empty() { format!("{label} (no-name)") } else { format!("{label} {of}") };
    let keeps_members = matches!(call, Call::Dup | Call::Idup) && !parent.is_remote;
    let members = if keeps_members { Some(record.ranks) } else { None };
    let lineage = lineage_of(call, number, parent.lineage);
    Some(CreationCall { origin: Origin { call: text.into(), number }, lineage, among: None, members })
}
