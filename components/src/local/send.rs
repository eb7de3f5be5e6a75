//! Sends in all modes, and sends joined with receives.

use std::sync::Arc;

use super::comm::{Comm, Shared};
use super::frame::Envelope;
use super::request::{Request, State};
use super::timed::timed;
use super::{Data, Error, PROC_NULL, Result, Status};
use crate::calls::Area;
use crate::pml::{self, Mode};

impl Comm {
    /// Sends in a mode; returns when the operation is complete.
    fn send_as(&self, mode: Mode, data: &(impl Data + ?Sized), to: usize, tag: i32) -> Result<()> {
        timed(Area::PointToPoint, || {
            Request::send(self.shared.send(data.bytes(), to, tag, mode)?).finish().map(drop)
        })
    }

    fn isend_as(
        &self,
        mode: Mode,
        data: &(impl Data + ?Sized),
        to: usize,
        tag: i32,
    ) -> Result<Request<'static>> {
        timed(Area::PointToPoint, || self.shared.send(data.bytes(), to, tag, mode).map(Request::send))
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
    pub fn send_init<'a, D: Data + ?Sized>(
        &self,
        data: &'a mut D,
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
    pub fn bsend_init<'a, D: Data + ?Sized>(
        &self,
        data: &'a mut D,
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
    pub fn ssend_init<'a, D: Data + ?Sized>(
        &self,
        data: &'a mut D,
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
    pub fn rsend_init<'a, D: Data + ?Sized>(
        &self,
        data: &'a mut D,
        to: usize,
        tag: i32,
    ) -> Result<Request<'a>> {
        Request::send_init(&self.shared, data.bytes_mut(), to, tag, Mode::Ready)
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
        timed(Area::PointToPoint, || {
            let mut received = Request::receive(self.shared.post(from, recv_tag)?, buffer.bytes_mut());
            self.shared.send(data.bytes(), to, send_tag, Mode::Standard)?;
            received.finish()
        })
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
        timed(Area::PointToPoint, || {
            self.shared.send(buffer.bytes(), to, send_tag, Mode::Standard)?;
            Request::receive(self.shared.post(from, recv_tag)?, buffer.bytes_mut()).finish()
        })
    }
}

impl Shared {
    pub(super) fn check_send(&self, to: usize, tag: i32) -> Result<()> {
        if tag < 0 {
            return Err(Error::NegativeTag(tag));
        }
        if to == PROC_NULL { Ok(()) } else { self.peer(to).map(drop) }
    }

    /// Begins to send a user's message.
    pub(super) fn send(self: &Arc<Self>, data: &[u8], to: usize, tag: i32, mode: Mode) -> Result<State> {
        self.check_send(to, tag)?;
        if to == PROC_NULL {
            return Ok(State::Over(Status::EMPTY));
        }
        self.transmit(data, to, tag, mode)
    }

    /// Begins to send any message. All that leaves this process goes through here and is reported here.
    pub(super) fn transmit(self: &Arc<Self>, data: &[u8], to: usize, tag: i32, mode: Mode) -> Result<State> {
        let peer = self.peer(to)?;
        if pml::active() {
            let (dest, bytes) = (to as u32, data.len() as u64);
            pml::sent(&pml::Send { comm: self.id, dest, to: peer, bytes, tag, mode });
        }
        let receipt = (mode == Mode::Synchronous).then(|| self.engine().expect_word_of(peer));
        let state = match receipt {
            Some(number) => State::begun(number, self),
            None => State::Over(Status::EMPTY),
        };
        let envelope = Envelope { context: self.context, source: self.rank as u32, tag };
        self.process.send(peer, envelope, data, receipt)?;
        Ok(state)
    }
}
