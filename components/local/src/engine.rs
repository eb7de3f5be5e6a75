//! Matching of messages and receives.
//!
//! The messages of a context wait in one queue, in order of arrival, which a receive searches from the front. The messages
//! of one sender arrive in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use mpit::cell::CommLevel;

use super::{ANY_SOURCE, ANY_TAG, Error, Result, Status};

/// A message that arrived.
#[derive(Debug)]
pub(crate) struct Message {
    /// The number that separates the messages of the world communicator and of each window.
    pub(crate) context: u32,
    pub(crate) source: usize,
    /// 0 or more for messages of the program, negative for internal ones.
    pub(crate) tag: i32,
    pub(crate) data: Vec<u8>,
}

impl Message {
    pub(crate) fn status(&self) -> Status {
        Status { source: self.source, tag: self.tag, bytes: self.data.len() }
    }
}

/// The messages that a receive or a probe matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) context: u32,
    /// A rank, or [`ANY_SOURCE`].
    pub(crate) source: usize,
    /// A tag, or [`ANY_TAG`], which matches all tags of the program.
    pub(crate) tag: i32,
}

impl Pattern {
    fn matches(&self, message: &Message) -> bool {
        (self.source == ANY_SOURCE || self.source == message.source)
            && (self.tag == message.tag || (self.tag == ANY_TAG && message.tag >= 0))
    }
}

/// The way in which another process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Finalized,
    Crashed,
}

/// The messages on the way to this process, and the processes that ended.
#[derive(Default)]
pub(crate) struct State {
    /// Unexpected messages, by context.
    queues: HashMap<u32, VecDeque<Message>>,
    pub(crate) ended: HashMap<usize, End>,
}

impl State {
    /// Returns the error of an operation with a process whose connection is closed.
    pub(crate) fn unreachable(&self, peer: usize) -> Error {
        match self.ended.get(&peer) {
            Some(End::Finalized) => Error::Finalized(peer),
            Some(End::Crashed) | None => Error::Crashed(peer),
        }
    }

    /// Returns the reason why no matching message can arrive any more, if there is one. With [`ANY_SOURCE`], any process can
    /// still send, including this one; but if a process crashed, its message may be lost.
    fn hopeless(&self, pattern: &Pattern) -> Option<Error> {
        if pattern.source == ANY_SOURCE {
            let crashed = self.ended.iter().find(|(_, end)| **end == End::Crashed);
            return crashed.map(|(peer, _)| Error::Crashed(*peer));
        }
        self.ended.get(&pattern.source).map(|_| self.unreachable(pattern.source))
    }

    /// Returns the status of the first message that matches, or the reason why there will be none.
    pub(crate) fn find(&self, pattern: &Pattern) -> Option<Result<Status>> {
        let mut messages = self.queues.get(&pattern.context).into_iter().flatten();
        match messages.find(|message| pattern.matches(message)) {
            Some(message) => Some(Ok(message.status())),
            None => self.hopeless(pattern).map(Err),
        }
    }

    /// Extracts the first message that matches, or returns the reason why there will be none.
    fn extract(&mut self, pattern: &Pattern) -> Option<Result<Message>> {
        let queue = self.queues.entry(pattern.context).or_default();
        let at = queue.iter().position(|message| pattern.matches(message));
        match at.and_then(|at| queue.remove(at)) {
            Some(message) => Some(Ok(message)),
            None => self.hopeless(pattern).map(Err),
        }
    }
}

/// The state shared by the threads that read from the other ranks and the threads of the program. The reading threads wait
/// for nothing but its lock, so messages always make progress.
pub(crate) struct Engine {
    state: Mutex<State>,
    changed: Condvar,
    /// The length of the world's queue that tools see.
    length: CommLevel<u64>,
}

impl Engine {
    pub(crate) fn new(length: CommLevel<u64>) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), length }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `look` returns a value.
    pub(crate) fn wait<R>(&self, mut look: impl FnMut(&mut State) -> Option<R>) -> R {
        let mut state = self.lock();
        loop {
            if let Some(seen) = look(&mut state) {
                return seen;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for a message that matches and extracts it.
    pub(crate) fn receive(&self, pattern: &Pattern) -> Result<Message> {
        self.wait(|state| {
            let message = state.extract(pattern)?;
            self.update_length(state);
            Some(message)
        })
    }

    /// Delivers a message that arrived.
    pub(crate) fn deliver(&self, message: Message) {
        let mut state = self.lock();
        state.queues.entry(message.context).or_default().push_back(message);
        self.update_length(&state);
        drop(state);
        self.changed.notify_all();
    }

    /// Handles the end of a process: operations that wait for it fail.
    pub(crate) fn peer_ended(&self, peer: usize, end: End) {
        self.lock().ended.insert(peer, end);
        self.changed.notify_all();
    }

    /// Removes the queue of a freed window.
    pub(crate) fn remove(&self, context: u32) {
        self.lock().queues.remove(&context);
    }

    /// Updates the length of the world's queue. The caller holds the lock, so changes appear in their order.
    fn update_length(&self, state: &State) {
        let waiting = state.queues.get(&super::process::WORLD).map_or(0, VecDeque::len);
        self.length.set(waiting as u64);
    }
}
