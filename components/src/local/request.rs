//! Requests: operations that were begun and will end.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;

use super::comm::Shared;
use super::matching::{self, Message, Outcome};
use super::timed::timed;
use super::{Error, Result, Status};
use crate::calls::Area;
use crate::pml::Mode;

/// An operation that was begun and will end: a nonblocking send, receive, collective operation or access to a window,
/// or a persistent send or receive that is started again and again.
///
/// It borrows the buffer that data comes to until it is dropped or waited for the last time. A request that ended is
/// inactive, like a persistent one that was not started yet: waiting for it returns at once with
/// [`Status::EMPTY`]. Dropping an active receive cancels it; a collective operation goes on without its request.
#[must_use = "an operation is known to be complete only when it was waited for"]
pub struct Request<'a> {
    pub(super) state: State,
    buffer: Option<&'a mut [u8]>,
    /// How to start it again, if it is persistent.
    origin: Option<Origin>,
}

pub(super) enum State {
    Inactive,
    /// It was over at once, and somebody has yet to ask about it.
    Over(Status),
    Begun(Ticket),
}

/// A place in the matching engine, given up when dropped.
pub(super) struct Ticket {
    number: u64,
    /// Keeps the communicator's queues alive. Must not be dropped while the engine is locked.
    comm: Arc<Shared>,
    /// How the operation ended, once the engine has told.
    outcome: Option<Outcome>,
    settled: bool,
}

/// What a persistent request does.
struct Origin {
    comm: Arc<Shared>,
    peer: usize,
    tag: i32,
    action: Action,
}

#[derive(Clone, Copy)]
enum Action {
    Send(Mode),
    Receive,
}

impl<'a> Request<'a> {
    pub(super) fn send(state: State) -> Self {
        Self { state, buffer: None, origin: None }
    }

    pub(super) fn receive(state: State, buffer: &'a mut [u8]) -> Self {
        Self { state, buffer: Some(buffer), origin: None }
    }

    pub(super) fn send_init(
        comm: &Arc<Shared>,
        buffer: &'a mut [u8],
        peer: usize,
        tag: i32,
        mode: Mode,
    ) -> Result<Self> {
        comm.check_send(peer, tag)?;
        let origin = Origin { comm: Arc::clone(comm), peer, tag, action: Action::Send(mode) };
        Ok(Self { state: State::Inactive, buffer: Some(buffer), origin: Some(origin) })
    }

    pub(super) fn recv_init(comm: &Arc<Shared>, buffer: &'a mut [u8], peer: usize, tag: i32) -> Result<Self> {
        comm.check_receive(peer, tag)?;
        let origin = Origin { comm: Arc::clone(comm), peer, tag, action: Action::Receive };
        Ok(Self { state: State::Inactive, buffer: Some(buffer), origin: Some(origin) })
    }

    /// Whether it was begun and not waited for since.
    #[must_use]
    pub fn is_active(&self) -> bool {
        !matches!(self.state, State::Inactive)
    }

    /// Starts a persistent operation.
    ///
    /// # Errors
    ///
    /// The request must be persistent and inactive. A send fails when its receiver is gone.
    pub fn start(&mut self) -> Result<()> {
        timed(Area::PointToPoint, || self.begin())
    }

    fn begin(&mut self) -> Result<()> {
        let origin = self.origin.as_ref().ok_or(Error::NotPersistent)?;
        if !matches!(self.state, State::Inactive) {
            return Err(Error::Active);
        }
        self.state = match origin.action {
            Action::Send(mode) => {
                let data = self.buffer.as_deref().unwrap_or_default();
                origin.comm.send(data, origin.peer, origin.tag, mode)?
            }
            Action::Receive => origin.comm.post(origin.peer, origin.tag)?,
        };
        Ok(())
    }

    /// Starts several persistent operations, in order.
    ///
    /// # Errors
    ///
    /// As of [`start`](Self::start); the requests behind the one that failed are not started.
    pub fn start_all(requests: &mut [Self]) -> Result<()> {
        timed(Area::PointToPoint, || requests.iter_mut().try_for_each(Self::begin))
    }

    /// The buffer of a persistent operation between its uses: what was received last, or will be sent next.
    ///
    /// # Errors
    ///
    /// The request must be persistent and inactive, and the buffer must hold values of type `T`.
    pub fn values<T: Pod>(&mut self) -> Result<&mut [T]> {
        if self.is_active() {
            return Err(Error::Active);
        }
        let buffer = self.buffer.as_deref_mut().filter(|_| self.origin.is_some());
        bytemuck::try_cast_slice_mut(buffer.ok_or(Error::NotPersistent)?)
            .map_err(|_| Error::WrongType(type_name::<T>()))
    }

    /// Waits until the operation ended.
    ///
    /// # Errors
    ///
    /// Fails when the message does not fit into the buffer, or when the process that should send or receive it
    /// is gone. The request is inactive then.
    pub fn wait(&mut self) -> Result<Status> {
        timed(Area::Waiting, || self.finish())
    }

    /// The work of [`wait`](Self::wait).
    pub(super) fn finish(&mut self) -> Result<Status> {
        if let Some(comm) = self.pending() {
            comm.engine().wait(|engine| self.settle(engine).then_some(()));
        }
        self.complete().map(|status| status.unwrap_or(Status::EMPTY))
    }

    /// Asks whether the operation ended: `None` if it did not.
    ///
    /// # Errors
    ///
    /// As of [`wait`](Self::wait).
    pub fn test(&mut self) -> Result<Option<Status>> {
        timed(Area::Waiting, || {
            if let Some(comm) = self.pending()
                && !self.settle(&mut comm.engine().lock())
            {
                return Ok(None);
            }
            self.complete().map(|status| status.or(Some(Status::EMPTY)))
        })
    }

    /// Whether the operation was begun and is not known to have ended.
    pub(super) fn is_pending(&self) -> bool {
        matches!(&self.state, State::Begun(ticket) if !ticket.settled)
    }

    /// The communicator of an operation that is pending.
    pub(super) fn pending(&self) -> Option<Arc<Shared>> {
        match &self.state {
            State::Begun(ticket) if !ticket.settled => Some(Arc::clone(&ticket.comm)),
            _ => None,
        }
    }

    /// Asks the engine. Whether nothing is left to wait for.
    pub(super) fn settle(&mut self, engine: &mut matching::State) -> bool {
        let State::Begun(ticket) = &mut self.state else { return true };
        if !ticket.settled {
            ticket.outcome = engine.take(ticket.number);
            ticket.settled = ticket.outcome.is_some();
        }
        ticket.settled
    }

    /// Makes an operation that has ended inactive and says how it ended; `None` if it was not active or has not.
    pub(super) fn complete(&mut self) -> Result<Option<Status>> {
        if self.is_pending() {
            return Ok(None);
        }
        match std::mem::replace(&mut self.state, State::Inactive) {
            State::Inactive => Ok(None),
            State::Over(status) => Ok(Some(status)),
            State::Begun(mut ticket) => match ticket.outcome.take().transpose()?.flatten() {
                Some(message) => message.copy_to(self.buffer.as_deref_mut().unwrap_or_default()).map(Some),
                None => Ok(Some(Status::EMPTY)),
            },
        }
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (active, persistent) = (self.is_active(), self.origin.is_some());
        f.debug_struct("Request").field("active", &active).field("persistent", &persistent).finish()
    }
}

impl State {
    pub(super) fn begun(number: u64, comm: &Arc<Shared>) -> Self {
        Self::Begun(Ticket { number, comm: Arc::clone(comm), outcome: None, settled: false })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.settled {
            self.comm.engine().withdraw(self.number);
        }
    }
}

impl Message {
    /// Copies the data to the front of a buffer.
    pub(super) fn copy_to(&self, buffer: &mut [u8]) -> Result<Status> {
        let (message, room) = (self.data.len(), buffer.len());
        let front = buffer.get_mut(..message).ok_or(Error::Truncated { message, buffer: room })?;
        front.copy_from_slice(&self.data);
        Ok(self.status())
    }
}
