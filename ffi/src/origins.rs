//! The calls that communicators were made by, for those that have no name.
//!
//! Calls of a kind on a communicator are counted. All processes of the communicator make them in the same order, so the
//! number of a call is the same in each.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::lock::Mutex;
use mpit_components::comms::{self, Origin, Ranks};

use crate::abi::Handle;
use crate::comms as hosts;

macro_rules! calls {
    ($($(#[$doc:meta])* $call:ident = $words:literal;)+) => {
        /// A call that makes a communicator of another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Call {
            $($(#[$doc])* $call,)+
        }

        impl Call {
            const WORDS: &[&str] = &[$($words),+];
        }
    };
}

calls! {
    /// `MPI_Comm_dup`, also with info.
    Dup = "dup of";
    /// `MPI_Comm_idup`, also with info.
    Idup = "idup of";
    /// `MPI_Comm_create`.
    Create = "create of";
    /// `MPI_Comm_create_group`, which not all processes of the communicator take part in.
    CreateGroup = "create_group of";
    /// `MPI_Comm_split`.
    Split = "split of";
    /// `MPI_Comm_split_type`.
    SplitType = "split_type of";
    /// `MPI_Cart_create`.
    Cart = "cart of";
    /// `MPI_Cart_sub`.
    CartSub = "cart_sub of";
    /// `MPI_Graph_create`.
    Graph = "graph of";
    /// `MPI_Dist_graph_create`, also the adjacent one.
    DistGraph = "dist_graph of";
    /// `MPI_Intercomm_create`.
    Intercomm = "intercomm of";
    /// `MPI_Intercomm_merge`.
    Merge = "merge of";
    /// `MPIX_Comm_shrink`.
    Shrink = "shrink of";
    /// `MPI_Comm_accept`.
    Accept = "accept on";
    /// `MPI_Comm_connect`.
    Connect = "connect on";
    /// `MPI_Comm_spawn`, also of several.
    Spawn = "spawn on";
}

/// The number of times that each call was made on a communicator.
#[derive(Debug, Default)]
pub(crate) struct Counts([AtomicU64; Call::WORDS.len()]);

impl Counts {
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|count| count.store(0, Relaxed));
    }
}

/// The origin of a communicator that was not used yet.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) origin: Origin,
    /// The members, where they are those of the communicator that it was made of.
    pub(crate) same: Option<Ranks>,
}

/// Communicators that were made and not met yet, by handle: those whose making is not over.
static MADE: Mutex<Vec<(Handle, Made)>> = Mutex::new(Vec::new());

/// The number of origins that are remembered; unused ones are dropped first.
const MOST: usize = 256;

/// Parts of names that are longer are cut off: a duplicate may be one of a duplicate, and so on.
const LONGEST: usize = 100;

/// Takes out what is known of a communicator.
pub(crate) fn take(handle: Handle) -> Option<Made> {
    let mut made = MADE.lock();
    let at = made.iter().position(|(other, _)| *other == handle)?;
    Some(made.swap_remove(at).1)
}

/// A call was made on a communicator, and this process got the communicator `new`, which may be none.
pub fn made(call: Call, parent: Handle, new: Handle) {
    if let Some(made) = count(call, parent) {
        put(new, made);
    }
    hosts::made(new);
}

/// Remembers the origin of a communicator that cannot be used yet.
pub fn begun(call: Call, parent: Handle, new: Handle) {
    if let Some(made) = count(call, parent) {
        put(new, made);
    }
}

fn put(new: Handle, what: Made) {
    let mut made = MADE.lock();
    made.retain(|(other, _)| *other != new);
    if made.len() == MOST {
        made.remove(0);
    }
    made.push((new, what));
}

fn count(call: Call, parent: Handle) -> Option<Made> {
    let parent = hosts::in_use(parent)?;
    let record = comms::get(parent.id())?;
    let number = parent.calls.0[call as usize].fetch_add(1, Relaxed) + 1;
    let number = if call == Call::CreateGroup { 0 } else { number };
    let mut of = record.label().name;
    if let Some(cut) = of.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST) {
        of = &of[..cut];
    }
    let words = Call::WORDS[call as usize];
    let text = if of.is_empty() { format!("{words} (no-name)") } else { format!("{words} {of}") };
    let keeps_members = matches!(call, Call::Dup | Call::Idup) && !parent.is_remote();
    let same = if keeps_members { Some(record.ranks) } else { None };
    Some(Made { origin: Origin { call: text.into(), number }, same })
}
