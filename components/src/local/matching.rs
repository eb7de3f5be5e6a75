//! Which message meets which receive.
//!
//! Every communicator has two queues: receives that were posted and wait for a message, and messages that arrived
//! unexpectedly and wait for a receive. Both are searched from their front, and the messages of one sender arrive
//! in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::frame::Envelope;
use super::queues::Lengths;
use super::{ANY_SOURCE, ANY_TAG, Error, Result, Status};

/// A message that arrived.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) envelope: Envelope,
    pub(super) data: Vec<u8>,
    /// What its sender waits for, if it was sent synchronously.
    pub(super) receipt: Option<Receipt>,
}

impl Message {
    pub(super) fn status(&self) -> Status {
        if self.envelope == Envelope::NONE {
            return Status::EMPTY;
        }
        Status { source: self.envelope.source as usize, tag: self.envelope.tag, bytes: self.data.len() }
    }
}

/// Tells the process `to` that its synchronous message has met its receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receipt {
    pub(super) to: u32,
    pub(super) number: u64,
}

/// What a receive or a probe is after.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) context: u32,
    /// A rank of the communicator, or [`ANY_SOURCE`].
    pub(super) source: usize,
    /// A tag, or [`ANY_TAG`]: any tag of a user, that is.
    pub(super) tag: i32,
    /// The world ranks of the communicator.
    pub(super) members: Arc<[u32]>,
}

impl Pattern {
    pub(super) fn matches(&self, envelope: Envelope) -> bool {
        (self.source == ANY_SOURCE || self.source == envelope.source as usize)
            && (self.tag == envelope.tag || (self.tag == ANY_TAG && envelope.tag >= 0))
    }

    /// Why no message can come any more, if so. Any member can still be the source of a message from anybody,
    /// the process itself for one; but when one died, the message may have died with it.
    pub(super) fn hopeless(&self, departed: &HashMap<u32, Departure>) -> Option<Error> {
        match self.members.get(self.source) {
            Some(peer) => departed.get(peer).map(|departure| departure.error(*peer)),
            None => self
                .members
                .iter()
                .find(|peer| departed.get(peer) == Some(&Departure::Died))
                .map(|peer| Error::Died(*peer)),
        }
    }
}

/// How a process left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    Finalized,
    Died,
}

impl Departure {
    pub(super) fn error(self, peer: u32) -> Error {
        match self {
            Self::Finalized => Error::Finalized(peer),
            Self::Died => Error::Died(peer),
        }
    }
}

/// How an operation ended: with the message that was received, or without one when it was a send.
pub(super) type Outcome = Result<Option<Message>>;

pub(super) struct Posted {
    pub(super) ticket: u64,
    pub(super) pattern: Pattern,
}

#[derive(Default)]
pub(super) struct Queues {
    pub(super) posted: VecDeque<Posted>,
    pub(super) unexpected: VecDeque<Message>,
    /// What tools see, of a communicator that the program knows.
    pub(super) lengths: Option<Lengths>,
}

impl Queues {
    /// Called after each change.
    pub(super) fn changed(&self) {
        if let Some(lengths) = &self.lengths {
            lengths.set(self.unexpected.len(), self.posted.len());
        }
    }
}

/// All that is on its way to somebody in this process.
#[derive(Default)]
pub(super) struct State {
    pub(super) queues: HashMap<u32, Queues>,
    /// What waits for a word of another process, and of which: synchronous sends, and accesses to memory.
    pub(super) unanswered: HashMap<u64, u32>,
    /// Operations that ended and were not yet asked about.
    pub(super) ended: HashMap<u64, Outcome>,
    pub(super) departed: HashMap<u32, Departure>,
    tickets: u64,
}

impl State {
    /// The outcome of an operation, once.
    pub(super) fn take(&mut self, ticket: u64) -> Option<Outcome> {
        self.ended.remove(&ticket)
    }

    /// How many processes left.
    pub(super) fn departed(&self) -> usize {
        self.departed.len()
    }

    /// Why nothing can be sent to a process.
    pub(super) fn unreachable(&self, peer: u32) -> Error {
        self.departed.get(&peer).map_or(Error::Died(peer), |departure| departure.error(peer))
    }

    /// The first unexpected message that matches, or why there will never be one.
    pub(super) fn find(&self, pattern: &Pattern) -> Option<Result<Status>> {
        let mut unexpected = self.queues.get(&pattern.context).into_iter().flat_map(|all| &all.unexpected);
        match unexpected.find(|message| pattern.matches(message.envelope)) {
            Some(message) => Some(Ok(message.status())),
            None => pattern.hopeless(&self.departed).map(Err),
        }
    }

    /// Like [`find`](Self::find), but takes the message out.
    pub(super) fn extract(&mut self, pattern: &Pattern) -> Option<Result<Message>> {
        let queues = self.queues.entry(pattern.context).or_default();
        let at = queues.unexpected.iter().position(|message| pattern.matches(message.envelope));
        match at.and_then(|at| queues.unexpected.remove(at)) {
            Some(message) => {
                queues.changed();
                Some(Ok(message))
            }
            None => pattern.hopeless(&self.departed).map(Err),
        }
    }

    pub(super) fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}
