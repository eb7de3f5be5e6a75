//! Matching of messages and receives.
//!
//! The messages of a context wait in one queue, in order of arrival, which a receive searches from the front. The messages
//! of one sender arrive in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use mpit::cell::{Level, ObjectValue, PerObject};
use mpit_components::comms::CommId;

use super::wire::{ENDED, FINALIZED, Message};
use super::{Error, Result};

pub(crate) const WORLD: u32 = 0;

/// The source of a receive that accepts messages from any rank.
pub const ANY_SOURCE: usize = usize::MAX;

/// The tag of a receive that accepts any tag.
pub const ANY_TAG: i32 = -1;

/// The status of a message that was received or found by a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The rank that sent it.
    pub source: usize,
    /// Its tag.
    pub tag: i32,
    /// Its length in bytes.
    pub bytes: usize,
}

impl Status {
    pub(crate) fn of(message: &Message) -> Self {
        Self { source: message.peer, tag: message.tag, bytes: message.data.len() }
    }
}

/// Messages of the communicator that arrived and wait for a receive, those of the host itself included.
#[mpit::pvar(class = "LEVEL", bind = "COMM", highwatermark, verbosity = "USER_DETAIL")]
static UNEXPECTED_QUEUE_LENGTH: PerObject<Level<u64>> = PerObject::new();

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
        (self.source == ANY_SOURCE || self.source == message.peer)
            && (self.tag == message.tag || (self.tag == ANY_TAG && message.tag >= 0))
    }
}

/// The messages on the way to this process, and the processes that ended.
#[derive(Default)]
struct State {
    queues: HashMap<u32, VecDeque<Message>>,
    /// The processes that ended; true if the process finalized.
    ended: HashMap<usize, bool>,
}

impl State {
    /// Returns the reason why no matching message can arrive any more, if there is one. With [`ANY_SOURCE`], any process can
    /// still send, including this one; but if a process crashed, its message may be lost.
    fn hopeless(&self, pattern: &Pattern) -> Option<Error> {
        if pattern.source == ANY_SOURCE {
            let crashed = self.ended.iter().find(|(_, finalized)| !**finalized);
            return crashed.map(|(peer, _)| Error::Crashed(*peer));
        }
        let finalized = *self.ended.get(&pattern.source)?;
        Some(if finalized { Error::Finalized(pattern.source) } else { Error::Crashed(pattern.source) })
    }

    /// Returns the queue of a context and the place of the first message that matches, or the reason why there will be none.
    fn find(&mut self, pattern: &Pattern) -> Option<Result<(&mut VecDeque<Message>, usize)>> {
        let hopeless = self.hopeless(pattern);
        let queue = self.queues.entry(pattern.context).or_default();
        match queue.iter().position(|message| pattern.matches(message)) {
            Some(at) => Some(Ok((queue, at))),
            None => hopeless.map(Err),
        }
    }
}

/// The state shared by the thread that reads from the launcher and the threads of the program. The reading thread waits for
/// nothing but its lock, so messages always make progress.
pub(crate) struct Engine {
    state: Mutex<State>,
    changed: Condvar,
    length: ObjectValue<Level<u64>>,
}

impl Engine {
    pub(crate) fn new(world: CommId) -> Self {
        let length = UNEXPECTED_QUEUE_LENGTH.of(world.get());
        Self { state: Mutex::default(), changed: Condvar::new(), length }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<R>(&self, mut look: impl FnMut(&mut State) -> Option<R>) -> R {
        let mut state = self.lock();
        loop {
            if let Some(seen) = look(&mut state) {
                return seen;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn receive(&self, pattern: &Pattern) -> Result<Message> {
        self.wait(|state| {
            let message = state.find(pattern)?.map(|(queue, at)| queue.remove(at)).transpose()?;
            self.update_length(state);
            Some(message)
        })
    }

    pub(crate) fn probe(&self, pattern: &Pattern) -> Result<Status> {
        self.wait(|state| Some(state.find(pattern)?.map(|(queue, at)| Status::of(&queue[at]))))
    }

    /// Delivers a message that arrived. After the end of a process, operations that wait for it fail.
    pub(crate) fn deliver(&self, message: Message) {
        let mut state = self.lock();
        if let FINALIZED | ENDED = message.tag {
            state.ended.entry(message.peer).or_insert(message.tag == FINALIZED);
        } else {
            state.queues.entry(message.context).or_default().push_back(message);
            self.update_length(&state);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Fails if a process has crashed. One that finalized still takes messages, which it never receives.
    pub(crate) fn check_alive(&self, peer: usize) -> Result<()> {
        match self.lock().ended.get(&peer) {
            Some(false) => Err(Error::Crashed(peer)),
            _ => Ok(()),
        }
    }

    pub(crate) fn wait_for_ends(&self, count: usize) {
        self.wait(|state| if state.ended.len() == count { Some(()) } else { None });
    }

    pub(crate) fn remove(&self, context: u32) {
        self.lock().queues.remove(&context);
    }

    /// Updates the length of the world's queue. The caller holds the lock, so changes appear in their order.
    fn update_length(&self, state: &State) {
        self.length.set(state.queues.get(&WORLD).map_or(0, VecDeque::len) as u64);
    }
}
