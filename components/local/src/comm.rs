//! The world communicator: messages of the program, and collective operations.
//!
//! Collective operations are messages with negative tags to and from the root. Messages of one sender do not overtake each other and all
//! processes call the operations in the same order, so one tag for each operation separates them.

use std::sync::Arc;

use bytemuck::Pod;
use mpit::object::Object;
use mpit_components::calls::Area;
use mpit_components::coll::{self, Kind, Operation, Pattern, Root, Volume};
use mpit_components::comms::CommId;

use super::process::Process;
use super::{Data, Error, Result, timed};

const BARRIER: i32 = -10;
const GATHER: i32 = -11;

/// The communicator of all ranks, `MPI_COMM_WORLD`. Several threads of a process may use it at once.
pub struct Comm {
    pub(crate) process: Arc<Process>,
}

impl Comm {
    /// Returns the rank of this process.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.process.rank
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.process.size
    }

    /// Returns the identity of the communicator in the frameworks.
    #[must_use]
    pub fn id(&self) -> CommId {
        self.process.id
    }

    /// Returns the communicator as an object that handles of variables can be bound to.
    #[must_use]
    pub fn object(&self) -> Object<'static> {
        Object::world(self.id().get(), self.size() as u32)
    }

    /// Sends a message. The receiver buffers it if no receive waits for it.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank, the tag must be 0 or more.
    pub fn send(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        timed(Area::PointToPoint, || {
            check_tag(tag)?;
            self.process.send(data.bytes(), to, tag)
        })
    }

    /// Receives the first message from a rank with a tag. Returns its length in bytes.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank, the tag must be 0 or more. Fails when the message does not fit, or when its sender has ended.
    pub fn recv(&self, buffer: &mut (impl Data + ?Sized), from: usize, tag: i32) -> Result<usize> {
        timed(Area::PointToPoint, || {
            check_tag(tag)?;
            let data = self.process.receive(from, tag)?;
            let buffer = buffer.bytes_mut();
            let lengths = Error::Truncated { message: data.len(), buffer: buffer.len() };
            buffer.get_mut(..data.len()).ok_or(lengths)?.copy_from_slice(&data);
            Ok(data.len())
        })
    }

    /// Returns when all processes have called it.
    ///
    /// # Errors
    ///
    /// Fails when a process has ended.
    pub fn barrier(&self) -> Result<()> {
        self.collective(Kind::Barrier, 0, 0, |process| {
            process.gather::<u8>(&[], 0, BARRIER)?;
            match process.rank {
                0 => process.others().try_for_each(|to| process.send(&[], to, BARRIER)),
                _ => process.receive(0, BARRIER).map(drop),
            }
        })
    }

    /// Concatenates the processes' values in the order of the ranks; the root gets them, the others `None`.
    ///
    /// # Errors
    ///
    /// The communicator must have the root, and all processes must pass the same number of values. Fails when a process has ended.
    pub fn gather<T: Pod>(&self, values: &[T], root: usize) -> Result<Option<Vec<T>>> {
        self.collective(Kind::Gather, root, size_of_val(values), |process| {
            process.gather(values, root, GATHER)
        })
    }

    fn collective<R>(
        &self,
        kind: Kind,
        root: usize,
        bytes: usize,
        work: impl FnOnce(&Process) -> Result<R>,
    ) -> Result<R> {
        self.process.check_rank(root)?;
        let root = match kind.pattern() {
            Pattern::AllToAll => Root::None,
            _ if root == self.rank() => Root::Here,
            _ => Root::At(root as u32),
        };
        let (rank, size) = (self.rank() as u32, self.size() as u32);
        let volume = Volume::Each(bytes as u64);
        let operation = Operation::new(self.id(), kind, rank, size, root, volume, false);
        timed(Area::Collective, || {
            coll::begin(&operation);
            let result = work(&self.process)?;
            coll::end(&operation);
            Ok(result)
        })
    }
}

fn check_tag(tag: i32) -> Result<()> {
    if tag < 0 { Err(Error::NegativeTag(tag)) } else { Ok(()) }
}
