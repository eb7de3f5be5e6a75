//! The engine of a process: where its threads and those of the program meet.

use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::frame::Envelope;
use super::links::Reply;
use super::matching::{Departure, Message, Pattern, Posted, Receipt, State};
use super::queues::Lengths;
use super::window::{Answer, Request, Targets};
use super::{Error, Result};

/// What is on its way to this process, and what it waits for. Its threads that read from the other ranks feed it; they never wait for
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
    pub(super) fn access(&self, from: u32, request: &Request, data: &[u8]) {
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
