//! Point to point: sends in all modes, receives, and probes.

use std::sync::Arc;

use super::comm::{Comm, Shared};
use super::frame::Envelope;
use super::matching::{self, Pattern};
use super::request::{Request, State};
use super::{ANY_SOURCE, ANY_TAG, Data, Error, PROC_NULL, Result, Status};
use crate::pml::{self, Mode};

impl Comm {
    /// Sends in a mode; returns when the operation is complete.
    fn send_as(&self, mode: Mode, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        self.isend_as(mode, data, to, tag)?.wait().map(drop)
    }

    fn isend_as(
        &self,
        mode: Mode,
        data: &(impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'static>> {
        self.shared.send(data.bytes(), to, tag, mode).map(Request::send)
    }

    /// Sends a message, in the standard mode: it is buffered by the receiver if no receive waits for it.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank, the tag must be 0 or more. Fails when the receiver is gone.
    pub fn send(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        self.send_as(Mode::Standard, data, to, tag)
    }

    /// Sends a message in the buffered mode. No buffer need be attached: the receiver buffers.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn bsend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        self.send_as(Mode::Buffered, data, to, tag)
    }

    /// Sends a message in the synchronous mode: returns when it has met its receive.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn ssend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        self.send_as(Mode::Synchronous, data, to, tag)
    }

    /// Sends a message in the ready mode: the caller knows that its receive is posted. That is not checked.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn rsend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        self.send_as(Mode::Ready, data, to, tag)
    }

    /// Begins a [`send`](Self::send). The data is copied at once and can be changed while the request is active.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn isend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<Request<'static>> {
        self.isend_as(Mode::Standard, data, to, tag)
    }

    /// Begins a [`bsend`](Self::bsend).
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn ibsend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<Request<'static>> {
        self.isend_as(Mode::Buffered, data, to, tag)
    }

    /// Begins an [`ssend`](Self::ssend): the request is complete when the message has met its receive.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn issend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<Request<'static>> {
        self.isend_as(Mode::Synchronous, data, to, tag)
    }

    /// Begins an [`rsend`](Self::rsend).
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send).
    pub fn irsend(&self, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<Request<'static>> {
        self.isend_as(Mode::Ready, data, to, tag)
    }

    /// Prepares a persistent [`send`](Self::send). Between its uses, the data is reached by [`Request::values`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank, the tag must be 0 or more.
    pub fn send_init<'a>(
        &self,
        data: &'a mut (impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::send_init(&self.shared, data.bytes_mut(), to, tag, Mode::Standard)
    }

    /// Prepares a persistent [`bsend`](Self::bsend).
    ///
    /// # Errors
    ///
    /// As of [`send_init`](Self::send_init).
    pub fn bsend_init<'a>(
        &self,
        data: &'a mut (impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::send_init(&self.shared, data.bytes_mut(), to, tag, Mode::Buffered)
    }

    /// Prepares a persistent [`ssend`](Self::ssend).
    ///
    /// # Errors
    ///
    /// As of [`send_init`](Self::send_init).
    pub fn ssend_init<'a>(
        &self,
        data: &'a mut (impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::send_init(&self.shared, data.bytes_mut(), to, tag, Mode::Synchronous)
    }

    /// Prepares a persistent [`rsend`](Self::rsend).
    ///
    /// # Errors
    ///
    /// As of [`send_init`](Self::send_init).
    pub fn rsend_init<'a>(
        &self,
        data: &'a mut (impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::send_init(&self.shared, data.bytes_mut(), to, tag, Mode::Ready)
    }

    /// Receives a message: the first one that matches the source, or [`ANY_SOURCE`], and the tag, or [`ANY_TAG`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the message does not fit, or when its sender is gone.
    pub fn recv(&self, buffer: &mut (impl Data + ?Sized), from: usize, tag: i32) -> Result<Status> {
        self.irecv(buffer, from, tag)?.wait()
    }

    /// Begins a [`recv`](Self::recv).
    ///
    /// # Errors
    ///
    /// The communicator must have the rank.
    pub fn irecv<'a>(
        &self,
        buffer: &'a mut (impl Data + ?Sized),
        from: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Ok(Request::receive(self.shared.post(from, tag)?, buffer.bytes_mut()))
    }

    /// Prepares a persistent [`recv`](Self::recv). Between its uses, the data is reached by [`Request::values`].
    ///
    /// # Errors
    ///
    /// The communicator must have the rank.
    pub fn recv_init<'a>(
        &self,
        buffer: &'a mut (impl Data + ?Sized),
        from: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::recv_init(&self.shared, buffer.bytes_mut(), from, tag)
    }

    /// Sends one message and receives another at the same time.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send) and [`recv`](Self::recv).
    pub fn sendrecv(
        &self,
        data: &(impl Data + ?Sized),
        (to, send_tag): (usize, i32),
        buffer: &mut (impl Data + ?Sized),
        (from, recv_tag): (usize, i32),
    ) -> Result<Status> {
        let mut received = self.irecv(buffer, from, recv_tag)?;
        self.send(data, to, send_tag)?;
        received.wait()
    }

    /// Sends what is in a buffer and receives another message into it.
    ///
    /// # Errors
    ///
    /// As of [`send`](Self::send) and [`recv`](Self::recv).
    pub fn sendrecv_replace(
        &self,
        buffer: &mut (impl Data + ?Sized),
        (to, send_tag): (usize, i32),
        (from, recv_tag): (usize, i32),
    ) -> Result<Status> {
        self.send(buffer, to, send_tag)?;
        self.recv(buffer, from, recv_tag)
    }

    /// Waits for a message and says what it is; a receive can then be made to measure.
    ///
    /// # Errors
    ///
    /// The communicator must have the rank. Fails when the sender is gone.
    pub fn probe(&self, from: usize, tag: i32) -> Result<Status> {
        match self.shared.pattern(from, tag)? {
            Some(pattern) => self.shared.process.engine().wait(|engine| engine.find(&pattern)),
            None => Ok(Status::PROC_NULL),
        }
    }

    /// Asks what message is there; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn iprobe(&self, from: usize, tag: i32) -> Result<Option<Status>> {
        match self.shared.pattern(from, tag)? {
            Some(pattern) => self.shared.process.engine().lock().find(&pattern).transpose(),
            None => Ok(Some(Status::PROC_NULL)),
        }
    }

    /// Waits for a message and takes it out, so that nobody else can receive it.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn mprobe(&self, from: usize, tag: i32) -> Result<Message> {
        let arrived = match self.shared.pattern(from, tag)? {
            Some(pattern) => Some(self.shared.process.engine().wait(|engine| engine.extract(&pattern))?),
            None => None,
        };
        Ok(Message { comm: Arc::clone(&self.shared), arrived })
    }

    /// Takes a message out if there is one.
    ///
    /// # Errors
    ///
    /// As of [`probe`](Self::probe).
    pub fn improbe(&self, from: usize, tag: i32) -> Result<Option<Message>> {
        let arrived = match self.shared.pattern(from, tag)? {
            Some(pattern) => match self.shared.process.engine().lock().extract(&pattern).transpose()? {
                Some(message) => Some(message),
                None => return Ok(None),
            },
            None => None,
        };
        Ok(Some(Message { comm: Arc::clone(&self.shared), arrived }))
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
        let Some(arrived) = self.arrived else { return Ok(Status::PROC_NULL) };
        self.comm.process.engine().accept(&arrived);
        arrived.copy_to(buffer.bytes_mut())
    }
}

impl Shared {
    pub(super) fn check_send(&self, to: usize, tag: i32) -> Result<()> {
        if tag < 0 {
            return Err(Error::NegativeTag(tag));
        }
        if to == PROC_NULL { Ok(()) } else { self.peer(to).map(drop) }
    }

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
    pub(super) fn post(&self, from: usize, tag: i32) -> Result<State> {
        Ok(match self.pattern(from, tag)? {
            Some(pattern) => State::pending(self.process.engine().post(pattern), &self.process),
            None => State::over(Status::PROC_NULL),
        })
    }

    /// Begins to send a user's message.
    pub(super) fn send(&self, data: &[u8], to: usize, tag: i32, mode: Mode) -> Result<State> {
        self.check_send(to, tag)?;
        if to == PROC_NULL {
            return Ok(State::over(Status::EMPTY));
        }
        self.transmit(data, to, tag, mode)
    }

    /// Begins to send any message. All that leaves this process goes through here and is reported here.
    pub(super) fn transmit(&self, data: &[u8], to: usize, tag: i32, mode: Mode) -> Result<State> {
        let peer = self.peer(to)?;
        pml::sent(&pml::Send { comm: self.id, to: peer, bytes: data.len() as u64, tag, mode });
        let receipt = (mode == Mode::Synchronous).then(|| self.process.engine().expect_receipt(peer));
        let state = match receipt {
            Some(number) => State::pending(number, &self.process),
            None => State::over(Status::EMPTY),
        };
        let envelope = Envelope { context: self.context, source: self.rank as u32, tag };
        self.process.send(peer, envelope, data, receipt)?;
        Ok(state)
    }
}
