//! Communicators: who belongs to them, and how new ones are made.

use std::fmt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};

use mpit::object::Object;

use super::collectives::Tag;
use super::engine::Engine;
use super::process::{self, Process};
use super::queues::Lengths;
use super::topology::Topology;
use super::{Error, Result};
use crate::comms::{self, CommId, Ranks};

/// A communicator: some processes in some order, whose messages do not mix with those of other communicators.
///
/// Dropping one frees it, unless it is the world or a [`comm_self`](Self::comm_self). What was sent on it before
/// and has a receive waiting still arrives.
pub struct Comm {
    pub(super) shared: Arc<Shared>,
}

/// What a communicator shares with the requests that were made on it.
pub(super) struct Shared {
    pub(super) process: Arc<Process>,
    /// The number that keeps its messages apart; the same in all of its processes.
    pub(super) context: u32,
    /// What the frameworks know it by; a matter of this process.
    pub(super) id: CommId,
    pub(super) rank: usize,
    /// The world ranks, in the order of the communicator.
    pub(super) members: Arc<[u32]>,
    /// The same for tools, whose handles look at them in place.
    processes: Box<[AtomicU32]>,
    name: Mutex<String>,
    /// `MPI_COMM_SELF`, unless it is that itself.
    alone: Option<Arc<Shared>>,
    pub(super) topology: Option<Arc<Topology>>,
    /// How many nonblocking collective operations were begun.
    pub(super) nonblocking: AtomicU32,
}

/// How a process takes part in [`Comm::split`]: those with the same colour form a communicator.
pub type Color = u32;

impl Comm {
    /// `MPI_COMM_WORLD`. It brings `MPI_COMM_SELF` along.
    pub(super) fn world(process: &Arc<Process>) -> Self {
        let world: Arc<[u32]> = (0..process.size).collect();
        let id = comms::created(comms::Description::new(Ranks::World(process.size), "MPI_COMM_WORLD"));
        let members = Arc::from([process.rank]);
        let alone_id =
            comms::created(comms::Description::new(Ranks::List(Arc::clone(&members)), "MPI_COMM_SELF"));
        let alone = Self::of(Shared::new(process, process::SELF, alone_id, members, "MPI_COMM_SELF", None));
        Self::of(Shared::new(
            process,
            process::WORLD,
            id,
            world,
            "MPI_COMM_WORLD",
            Some(alone.shared.clone()),
        ))
    }

    /// A communicator that the program gets, and tools see.
    fn of(shared: Shared) -> Self {
        shared.engine().show(shared.context, Lengths::of(shared.id));
        Self { shared: Arc::new(shared) }
    }

    /// A communicator that this one's processes have agreed upon.
    pub(super) fn derive(
        &self,
        context: u32,
        members: Arc<[u32]>,
        name: &str,
        topology: Option<Arc<Topology>>,
    ) -> Self {
        let process = &self.shared.process;
        let identity = members.len() == process.size as usize && members.is_sorted();
        let ranks = if identity { Ranks::World(process.size) } else { Ranks::List(Arc::clone(&members)) };
        let neighbors = topology.as_ref().map(|topology| topology.neighbors(&members)).unwrap_or_default();
        let description = comms::Description { neighbors, ..comms::Description::new(ranks, name) };
        let alone = Some(Arc::clone(self.shared.alone.as_ref().unwrap_or(&self.shared)));
        let id = comms::created(description);
        let mut shared = Shared::new(process, context, id, members, name, alone);
        shared.topology = topology;
        Self::of(shared)
    }

    /// The rank of this process in the communicator.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shared.rank
    }

    /// The number of its processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.shared.members.len()
    }

    /// What the frameworks of this crate know it by.
    #[must_use]
    pub fn id(&self) -> CommId {
        self.shared.id
    }

    /// The communicator as an object that handles of variables can be bound to.
    #[must_use]
    pub fn object(&self) -> Object<'_> {
        Object::comm(self.id().get(), &self.shared.processes)
    }

    /// Its name: by default what Open MPI would call it.
    #[must_use]
    pub fn name(&self) -> String {
        self.shared.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives it another name, in this process.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.shared.name.lock().unwrap_or_else(PoisonError::into_inner));
        comms::renamed(self.id(), name);
    }

    /// The rank that a rank of this communicator has in another one; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// This communicator must have the rank.
    pub fn translate(&self, rank: usize, other: &Self) -> Result<Option<usize>> {
        let process = self.shared.peer(rank)?;
        Ok(other.shared.members.iter().position(|member| *member == process))
    }

    /// A communicator with the same processes and topology, for messages that must not mix with those of this one.
    /// All of its processes call this together; in a process, one thread at a time makes communicators.
    ///
    /// # Errors
    ///
    /// Fails when a process of the communicator is gone.
    pub fn dup(&self) -> Result<Self> {
        let context = self.shared.agree(Tag::DUP)?;
        let name = format!("MPI COMM {context} DUP FROM {}", self.shared.context);
        let members = Arc::clone(&self.shared.members);
        Ok(self.derive(context, members, &name, self.shared.topology.clone()))
    }

    /// One communicator for each colour, of the processes that gave it, ordered by key and, where keys are equal,
    /// by rank. All processes call this together, as [`dup`](Self::dup); those without a colour get no
    /// communicator.
    ///
    /// # Errors
    ///
    /// Fails when a process of the communicator is gone.
    pub fn split(&self, color: Option<Color>, key: i32) -> Result<Option<Self>> {
        let process = &self.shared.process;
        let proposal = i64::from(process.proposal());
        let all = self
            .shared
            .gather_to_all(&[proposal, color.map_or(-1, i64::from), i64::from(key)], Tag::SPLIT)?;
        let context = all.iter().step_by(3).copied().max().unwrap_or(proposal) as u32;
        process.use_context(context);
        let Some(color) = color.map(i64::from) else { return Ok(None) };
        let mut chosen: Vec<(i64, u32)> = all
            .chunks_exact(3)
            .zip(&*self.shared.members)
            .filter(|(entry, _)| entry[1] == color)
            .map(|(entry, member)| (entry[2], *member))
            .collect();
        chosen.sort_by_key(|(key, _)| *key);
        let members = chosen.into_iter().map(|(_, member)| member).collect();
        let name = format!("MPI COMM {context} SPLIT FROM {}", self.shared.context);
        Ok(Some(self.derive(context, members, &name, None)))
    }

    /// Frees the communicator, as dropping it does.
    pub fn free(self) {
        drop(self);
    }

    /// The communicator of this process alone, `MPI_COMM_SELF`.
    #[must_use]
    pub fn comm_self(&self) -> Self {
        Self { shared: Arc::clone(self.shared.alone.as_ref().unwrap_or(&self.shared)) }
    }
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = (self.rank(), self.size());
        f.debug_struct("Comm").field("name", &self.name()).field("rank", &rank).field("size", &size).finish()
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        if !self.shared.predefined() {
            comms::freed(self.id());
        }
    }
}

impl Shared {
    fn new(
        process: &Arc<Process>,
        context: u32,
        id: CommId,
        members: Arc<[u32]>,
        name: &str,
        alone: Option<Arc<Self>>,
    ) -> Self {
        Self {
            process: Arc::clone(process),
            context,
            id,
            rank: members.iter().take_while(|member| **member != process.rank).count(),
            processes: members.iter().copied().map(AtomicU32::new).collect(),
            members,
            name: Mutex::new(name.to_owned()),
            alone,
            topology: None,
            nonblocking: AtomicU32::new(0),
        }
    }

    /// The same processes with another context, for messages that neither the program nor tools see.
    pub(super) fn sibling(&self, context: u32) -> Self {
        let (process, members) = (&self.process, Arc::clone(&self.members));
        Self::new(process, context, self.id, members, "", self.alone.clone())
    }

    /// Whether it lives as long as the process.
    fn predefined(&self) -> bool {
        self.context <= process::SELF
    }

    /// Where its messages meet their receives.
    pub(super) fn engine(&self) -> &Engine {
        self.process.engine()
    }

    /// The world rank of a rank.
    pub(super) fn peer(&self, rank: usize) -> Result<u32> {
        let size = self.members.len();
        self.members.get(rank).copied().ok_or(Error::NoSuchRank { rank, size })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if !self.predefined() {
            self.engine().forget(self.context);
        }
    }
}
