//! The world communicator: messages of the program.

use std::sync::Arc;

use mpit::object::Object;
use mpit_components::calls::Area;
use mpit_components::comms::CommId;

use super::engine::{ANY_SOURCE, ANY_TAG, Pattern, Status, WORLD};
use super::process::Process;
use super::{Data, Error, Result, timed};

/// A send that was begun. The data is copied when it begins, so waiting returns at once; the frameworks see the wait.
#[derive(Debug)]
#[must_use = "a program waits for each request"]
pub struct Request(());

impl Request {
    /// Waits until the send is complete.
    #[allow(clippy::unused_self, reason = "a request can be waited for once")]
    pub fn wait(self) {
        timed(Area::Waiting, || ());
    }
}

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
    /// The communicator must have the rank, the tag must be 0 or more. Fails when the receiver has crashed.
    pub fn send(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        timed(Area::PointToPoint, || {
            if tag < 0 {
                return Err(Error::NegativeTag(tag));
            }
            self.process.send(WORLD, data.bytes(), to, tag)
        })
    }

    /// Begins a [`send`](Self::send). The data is copied at once and can be changed before the request is waited for.
    ///
    /// # Errors
    ///
    /// The errors of [`send`](Self::send).
    pub fn isend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<Request> {
        self.send(data, to, tag).map(|()| Request(()))
    }

    /// Receives a message: the first one that matches the source, or [`ANY_SOURCE`], and the tag, or [`ANY_TAG`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the message does not fit, or when its sender has ended; from
    /// [`ANY_SOURCE`], when any process has crashed.
    pub fn recv(&self, buffer: &mut (impl Data + ?Sized), from: usize, tag: i32) -> Result<Status> {
        timed(Area::PointToPoint, || {
            let message = self.process.engine.receive(&self.pattern(from, tag)?)?;
            let buffer = buffer.bytes_mut();
            let lengths = Error::Truncated { message: message.data.len(), buffer: buffer.len() };
            let front = buffer.get_mut(..message.data.len()).ok_or(lengths)?;
            front.copy_from_slice(&message.data);
            Ok(Status::of(&message))
        })
    }

    /// Waits for a message and returns its status, so that a receive can use a buffer of the right size.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the sender has ended.
    pub fn probe(&self, from: usize, tag: i32) -> Result<Status> {
        timed(Area::PointToPoint, || self.process.engine.probe(&self.pattern(from, tag)?))
    }

    fn pattern(&self, source: usize, tag: i32) -> Result<Pattern> {
        if tag < 0 && tag != ANY_TAG {
            return Err(Error::NegativeTag(tag));
        }
        if source != ANY_SOURCE {
            self.process.check_rank(source)?;
        }
        Ok(Pattern { context: WORLD, source, tag })
    }
}
