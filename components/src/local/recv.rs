//! Receives and probes.

use std::fmt;
use std::sync::Arc;

use super::comm::{Comm, Shared};
use super::matching::{self, Pattern};
use super::request::{Request, State};
use super::timed::timed;
use super::{ANY_SOURCE, ANY_TAG, Data, Error, PROC_NULL, Result, Status};
use crate::calls::Area;

impl Comm {
    /// Receives a message: the first one that matches the source, or [`ANY_SOURCE`], and the tag, or [`ANY_TAG`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the message does not fit, or when its sender is gone; from
    /// [`ANY_SOURCE`], when any process of the communicator has died.
    pub fn recv(&self, buffer: &mut (impl Data + ?Sized), from: usize, tag: i32) -> Result<Status> {
        timed(Area::PointToPoint, || {
            Request::receive(self.shared.post(from, tag)?, buffer.bytes_mut()).finish()
        })
    }

    /// Begins a [`recv`](Self::recv).
    ///
    /// # Errors
    ///
    /// The communicator must have the rank.
    pub fn irecv<'a, D: Data + ?Sized>(
        &self,
        buffer: &'a mut D,
        from: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        timed(Area::PointToPoint, || Ok(Request::receive(self.shared.post(from, tag)?, buffer.bytes_mut())))
    }

    /// Prepares a persistent [`recv`](Self::recv). Between its uses, the data is reached by [`Request::values`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank.
    pub fn recv_init<'a, D: Data + ?Sized>(
        &self,
        buffer: &'a mut D,
        from: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::recv_init(&self.shared, buffer.bytes_mut(), from, tag)
    }

    /// Waits for a message and says what it is; a receive can then be made to measure.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the sender is gone.
    pub fn probe(&self, from: usize, tag: i32) -> Result<Status> {
        timed(Area::PointToPoint, || match self.shared.pattern(from, tag)? {
            Some(pattern) => self.shared.engine().wait(|engine| engine.find(&pattern)),
            None => Ok(Status::PROC_NULL),
        })
    }

    /// Asks what message is there; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn iprobe(&self, from: usize, tag: i32) -> Result<Option<Status>> {
        timed(Area::PointToPoint, || match self.shared.pattern(from, tag)? {
            Some(pattern) => self.shared.engine().lock().find(&pattern).transpose(),
            None => Ok(Some(Status::PROC_NULL)),
        })
    }

    /// Waits for a message and takes it out, so that nobody else can receive it.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn mprobe(&self, from: usize, tag: i32) -> Result<Message> {
        timed(Area::PointToPoint, || {
            let arrived = match self.shared.pattern(from, tag)? {
                Some(pattern) => Some(self.shared.engine().wait(|engine| engine.extract(&pattern))?),
                None => None,
            };
            Ok(Message { comm: Arc::clone(&self.shared), arrived })
        })
    }

    /// Takes a message out if there is one.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn improbe(&self, from: usize, tag: i32) -> Result<Option<Message>> {
        timed(Area::PointToPoint, || {
            let arrived = match self.shared.pattern(from, tag)? {
                Some(pattern) => match self.shared.engine().lock().extract(&pattern).transpose()? {
                    Some(message) => Some(message),
                    None => return Ok(None),
                },
                None => None,
            };
            Ok(Some(Message { comm: Arc::clone(&self.shared), arrived }))
        })
    }
}

/// A message that [`Comm::mprobe`] took out and that waits to be received.
#[must_use = "a message that is not received is lost"]
pub struct Message {
    comm: Arc<Shared>,
    /// Nothing if it came from [`PROC_NULL`].
    arrived: Option<matching::Message>,
}

impl Message {
    /// What the message is.
    #[must_use]
    pub fn status(&self) -> Status {
        self.arrived.as_ref().map_or(Status::PROC_NULL, matching::Message::status)
    }

    /// Receives it.
    ///
    /// # Errors
    ///
    /// Fails when the message does not fit.
    pub fn recv(self, buffer: &mut (impl Data + ?Sized)) -> Result<Status> {
        timed(Area::PointToPoint, || {
            let Some(arrived) = self.arrived else { return Ok(Status::PROC_NULL) };
            self.comm.engine().accept(&arrived);
            arrived.copy_to(buffer.bytes_mut())
        })
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("status", &self.status()).finish()
    }
}

impl Shared {
    pub(super) fn check_receive(&self, from: usize, tag: i32) -> Result<()> {
        self.pattern(from, tag).map(drop)
    }

    /// A user's receive or probe; nothing for [`PROC_NULL`].
    fn pattern(&self, from: usize, tag: i32) -> Result<Option<Pattern>> {
        if tag < 0 && tag != ANY_TAG {
            return Err(Error::NegativeTag(tag));
        }
        if from == PROC_NULL {
            return Ok(None);
        }
        if from != ANY_SOURCE {
            self.peer(from)?;
        }
        Ok(Some(self.pattern_of(from, tag)))
    }

    /// Any receive or probe, also one for the host's own messages.
    pub(super) fn pattern_of(&self, source: usize, tag: i32) -> Pattern {
        Pattern { context: self.context, source, tag, members: Arc::clone(&self.members) }
    }

    /// Posts a user's receive.
    pub(super) fn post(self: &Arc<Self>, from: usize, tag: i32) -> Result<State> {
        Ok(match self.pattern(from, tag)? {
            Some(pattern) => State::begun(self.engine().post(pattern), self),
            None => State::Over(Status::PROC_NULL),
        })
    }
}
