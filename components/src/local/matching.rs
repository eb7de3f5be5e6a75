//! Which message meets which receive.
//!
//! Every communicator has two queues: receives that were posted and wait for a message, and messages that arrived
//! unexpectedly and wait for a receive. Both are searched from their front, and the messages of one sender arrive
//! in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::frame::Envelope;
use super::links::Reply;
use super::queues::Lengths;
use super::window::{self, Answer, Targets};
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
    fn matches(&self, envelope: Envelope) -> bool {
        (self.source == ANY_SOURCE || self.source == envelope.source as usize)
            && (self.tag == envelope.tag || (self.tag == ANY_TAG && envelope.tag >= 0))
    }

    /// Why no message can come any more, if so. Any member can still be the source of a message from anybody,
    /// the process itself for one; but when one died, the message may have died with it.
    fn hopeless(&self, departed: &HashMap<u32, Departure>) -> Option<Error> {
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
    fn error(self, peer: u32) -> Error {
        match self {
            Self::Finalized => Error::Finalized(peer),
            Self::Died => Error::Died(peer),
        }
    }
}

/// How an operation ended: with the message that was received, or without one when it was a send.
pub(super) type Outcome = Result<Option<Message>>;

struct Posted {
    ticket: u64,
    pattern: Pattern,
}

#[derive(Default)]
struct Queues {
    posted: VecDeque<Posted>,
    unexpected: VecDeque<Message>,
    /// What tools see, of a communicator that the program knows.
    lengths: Option<Lengths>,
}

impl Queues {
    /// Called after each change.
    fn changed(&self) {
        if let Some(lengths) = &self.lengths {
            lengths.set(self.unexpected.len(), self.posted.len());
        }
    }
}

/// All that is on its way to somebody in this process.
#[derive(Default)]
pub(super) struct State {
    queues: HashMap<u32, Queues>,
    /// What waits for a word of another process, and of which: synchronous sends, and accesses to memory.
    unanswered: HashMap<u64, u32>,
    /// Operations that ended and were not yet asked about.
    ended: HashMap<u64, Outcome>,
    departed: HashMap<u32, Departure>,
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

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}

/// The matching engine of a process. Its threads that read from the other ranks feed it; they never wait for
/// anything but its lock, so messages always find their way in.
pub(super) struct Engine {
    rank: u32,
    state: Mutex<State>,
    changed: Condvar,
    /// The memory that this process exposes.
    windows: Targets,
    /// Where replies go that are due to others; `None`, from the process, ends them.
    replies: Sender<Option<Reply>>,
}

impl Engine {
    /// The engine of a process with this world rank, which hands over the replies that are due to others.
    pub(super) fn new(rank: u32, replies: Sender<Option<Reply>>) -> Self {
        let (state, changed, windows) = (Mutex::default(), Condvar::new(), Targets::default());
        Self { rank, state, changed, windows, replies }
    }

    /// The memory that this process exposes.
    pub(super) fn windows(&self) -> &Targets {
        &self.windows
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `look` sees what it looks for.
    pub(super) fn wait<R>(&self, mut look: impl FnMut(&mut State) -> Option<R>) -> R {
        let mut state = self.lock();
        loop {
            if let Some(seen) = look(&mut state) {
                return seen;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Posts a receive.
    pub(super) fn post(&self, pattern: Pattern) -> u64 {
        let mut state = self.lock();
        let ticket = state.ticket();
        match state.extract(&pattern) {
            Some(Ok(message)) => {
                self.acknowledge(&mut state, message.receipt);
                state.ended.insert(ticket, Ok(Some(message)));
            }
            Some(Err(hopeless)) => {
                state.ended.insert(ticket, Err(hopeless));
            }
            None => {
                let queues = state.queues.entry(pattern.context).or_default();
                queues.posted.push_back(Posted { ticket, pattern });
                queues.changed();
            }
        }
        ticket
    }

    /// A message arrived.
    pub(super) fn deliver(&self, message: Message) {
        let mut state = self.lock();
        let queues = state.queues.entry(message.envelope.context).or_default();
        let at = queues.posted.iter().position(|posted| posted.pattern.matches(message.envelope));
        if let Some(posted) = at.and_then(|at| queues.posted.remove(at)) {
            queues.changed();
            self.acknowledge(&mut state, message.receipt);
            state.ended.insert(posted.ticket, Ok(Some(message)));
        } else {
            queues.unexpected.push_back(message);
            queues.changed();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A message that was taken out is being received.
    pub(super) fn accept(&self, message: &Message) {
        self.acknowledge(&mut self.lock(), message.receipt);
        self.changed.notify_all();
    }

    /// Tells the sender of a synchronous message that it has met its receive.
    fn acknowledge(&self, state: &mut State, receipt: Option<Receipt>) {
        match receipt {
            Some(receipt) if receipt.to == self.rank => Self::matched(state, receipt.number),
            // Nobody takes receipts any more: the process is on its way out.
            Some(receipt) => drop(self.replies.send(Some(Reply::Receipt(receipt)))),
            None => {}
        }
    }

    /// A ticket for what ends with a word of another process: a receipt, or an answer.
    pub(super) fn expect_word_of(&self, peer: u32) -> u64 {
        let mut state = self.lock();
        let ticket = state.ticket();
        match state.departed.get(&peer).copied() {
            Some(departure) => drop(state.ended.insert(ticket, Err(departure.error(peer)))),
            None => drop(state.unanswered.insert(ticket, peer)),
        }
        ticket
    }

    /// A receipt arrived.
    pub(super) fn receipt(&self, number: u64) {
        Self::matched(&mut self.lock(), number);
        self.changed.notify_all();
    }

    fn matched(state: &mut State, number: u64) {
        if state.unanswered.remove(&number).is_some() {
            state.ended.insert(number, Ok(None));
        }
    }

    /// A process left: whatever waits for it waits in vain.
    pub(super) fn depart(&self, peer: u32, departure: Departure) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.departed.insert(peer, departure);
        for queues in state.queues.values_mut() {
            queues.posted.retain(|posted| {
                let hopeless = posted.pattern.hopeless(&state.departed);
                let keep = hopeless.is_none();
                state.ended.extend(hopeless.map(|error| (posted.ticket, Err(error))));
                keep
            });
            queues.changed();
        }
        for (ticket, _) in state.unanswered.extract_if(|_, to| *to == peer) {
            state.ended.insert(ticket, Err(departure.error(peer)));
        }
        drop(guard);
        self.deliver_answers(self.windows.depart(peer));
        self.changed.notify_all();
    }

    /// A process accesses memory of this one.
    pub(super) fn access(&self, from: u32, request: &window::Request, data: &[u8]) {
        self.deliver_answers(self.windows.serve(from, request, data));
    }

    /// Hands over what the owner of memory has to say, also to this process itself.
    pub(super) fn deliver_answers(&self, answers: Vec<Answer>) {
        for answer in answers {
            if answer.to == self.rank {
                self.answered(answer.ticket, answer.data);
            } else {
                // Nobody takes replies any more: the process is on its way out.
                let _ = self.replies.send(Some(Reply::Answer(answer)));
            }
        }
    }

    /// A ticket for what another thread of this process does.
    pub(super) fn expect_own(&self) -> u64 {
        self.expect_word_of(self.rank)
    }

    /// An answer arrived: the data, or the news that the window is gone.
    pub(super) fn answered(&self, ticket: u64, data: Option<Vec<u8>>) {
        self.end(ticket, |peer| data.ok_or(Error::WindowGone(peer)));
    }

    /// Another thread of this process has done its work.
    pub(super) fn done(&self, ticket: u64, result: Result<Vec<u8>>) {
        self.end(ticket, |_| result);
    }

    /// Ends what waits for a word of another process, unless nobody asks about it any more.
    fn end(&self, ticket: u64, result: impl FnOnce(u32) -> Result<Vec<u8>>) {
        let mut state = self.lock();
        if let Some(peer) = state.unanswered.remove(&ticket) {
            let message = |data| Some(Message { envelope: Envelope::NONE, data, receipt: None });
            state.ended.insert(ticket, result(peer).map(message));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Nobody will ask about an operation any more.
    pub(super) fn withdraw(&self, ticket: u64) {
        let mut state = self.lock();
        if state.ended.remove(&ticket).is_none() && state.unanswered.remove(&ticket).is_none() {
            for queues in state.queues.values_mut() {
                queues.posted.retain(|posted| posted.ticket != ticket);
                queues.changed();
            }
        }
    }

    /// Shows tools the queues of a communicator, whose first messages may be there already.
    pub(super) fn show(&self, context: u32, lengths: Lengths) {
        let mut state = self.lock();
        let queues = state.queues.entry(context).or_default();
        queues.lengths = Some(lengths);
        queues.changed();
    }

    /// A communicator is gone, with everything that was never received.
    pub(super) fn forget(&self, context: u32) {
        self.lock().queues.remove(&context);
    }
}
