//! A rank as a process: its connection to the launcher, and the messages that arrived.
//!
//! The messages of the program wait in one queue, in order of arrival, which a receive searches from the front, and those of the host
//! itself in another one. The messages of one sender arrive in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashSet, VecDeque};
use std::io::BufReader;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, process, thread};

use bytemuck::Pod;
use mpit::cell::{Level, ObjectValue, PerObject};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::pml::{self, Mode};

use super::wire::{self, ENDED, Message};
use super::{Data, Error, Result};

/// Messages of the communicator that arrived and wait for a receive, without those of the host itself.
#[mpit::pvar(class = "LEVEL", bind = "COMM", highwatermark, verbosity = "USER_DETAIL")]
static UNEXPECTED_QUEUE_LENGTH: PerObject<Level<u64>> = PerObject::new();

/// The messages on the way to this process, and the processes that ended.
#[derive(Default)]
struct Arrived {
    program: VecDeque<Message>,
    internal: VecDeque<Message>,
    ended: HashSet<usize>,
}

impl Arrived {
    fn queue(&mut self, tag: i32) -> &mut VecDeque<Message> {
        if tag < 0 { &mut self.internal } else { &mut self.program }
    }
}

pub(crate) struct Process {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) id: CommId,
    stream: Mutex<UnixStream>,
    arrived: Mutex<Arrived>,
    changed: Condvar,
    queue_length: ObjectValue<Level<u64>>,
}

impl Process {
    pub(crate) fn new(stream: UnixStream, rank: usize, size: usize) -> io::Result<Arc<Self>> {
        let id = comms::created(Description::new(Ranks::World(size as u32), "MPI_COMM_WORLD"));
        // No operation uses this communicator. The files list it, as Open MPI's do.
        comms::created(Description::new(Ranks::List([rank as u32].into()), "MPI_COMM_SELF"));
        let mut reader = BufReader::with_capacity(1 << 16, stream.try_clone()?);
        let process = Arc::new(Self {
            rank,
            size,
            id,
            stream: Mutex::new(stream),
            arrived: Mutex::default(),
            changed: Condvar::new(),
            queue_length: UNEXPECTED_QUEUE_LENGTH.of(id.get()),
        });
        let delivering = Arc::clone(&process);
        thread::Builder::new().name("launcher".into()).spawn(move || {
            while let Ok(message) = wire::read(&mut reader) {
                delivering.deliver(message);
            }
            // The launcher has ended, so this rank does, too.
            process::exit(1);
        })?;
        Ok(process)
    }

    fn arrived(&self) -> MutexGuard<'_, Arrived> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a message that arrived. After the end of a process, operations that wait for it fail.
    fn deliver(&self, message: Message) {
        let mut arrived = self.arrived();
        if message.tag == ENDED {
            arrived.ended.insert(message.peer);
        } else {
            arrived.queue(message.tag).push_back(message);
            self.update_length(&arrived);
        }
        drop(arrived);
        self.changed.notify_all();
    }

    /// Updates the length of the queue. The caller holds the lock, so changes appear in their order.
    fn update_length(&self, arrived: &Arrived) {
        self.queue_length.set(arrived.program.len() as u64);
    }

    /// Waits for the first message of a process with a tag.
    pub(crate) fn receive(&self, source: usize, tag: i32) -> Result<Vec<u8>> {
        self.check_rank(source)?;
        let mut arrived = self.arrived();
        loop {
            let queue = arrived.queue(tag);
            let at = queue.iter().position(|message| message.peer == source && message.tag == tag);
            if let Some(message) = at.and_then(|at| queue.remove(at)) {
                self.update_length(&arrived);
                return Ok(message.data);
            }
            if arrived.ended.contains(&source) {
                return Err(Error::Ended(source));
            }
            arrived = self.changed.wait(arrived).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn check_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size { Ok(()) } else { Err(Error::NoSuchRank { rank, size: self.size }) }
    }

    /// Sends a message and reports it, also an internal one. Returns when the data has been copied.
    pub(crate) fn send(&self, data: &[u8], to: usize, tag: i32) -> Result<()> {
        self.check_rank(to)?;
        if pml::active() {
            let (to, bytes) = (to as u32, data.len() as u64);
            pml::sent(&pml::Send::new(self.id, to, to, bytes, tag, Mode::Standard));
        }
        if to == self.rank {
            self.deliver(Message { peer: to, tag, data: data.to_vec() });
            return Ok(());
        }
        wire::write(&self.stream, to, tag, data).map_err(Error::Send)
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.size).filter(move |rank| *rank != own)
    }

    pub(crate) fn gather<T: Pod>(&self, values: &[T], root: usize, tag: i32) -> Result<Option<Vec<T>>> {
        if self.rank != root {
            self.send(values.bytes(), root, tag)?;
            return Ok(None);
        }
        let mut all = values.repeat(self.size);
        for from in self.others() {
            let received = self.receive(from, tag)?;
            let part = all[from * values.len()..][..values.len()].bytes_mut();
            if received.len() != part.len() {
                return Err(Error::Disagreement { given: received.len(), needed: part.len() });
            }
            part.copy_from_slice(&received);
        }
        Ok(Some(all))
    }

    /// Ends the connection. A process that does not `finalize` has failed.
    pub(crate) fn end(&self, finalizes: bool) {
        // If the launcher has ended, the thread that reads ends this process.
        if finalizes {
            let _ = wire::write(&self.stream, self.size, 0, &[]);
        }
        let _ = self.stream.lock().unwrap_or_else(PoisonError::into_inner).shutdown(Shutdown::Write);
    }
}
