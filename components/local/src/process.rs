//! A rank as a process: its connection to the launcher, and the messages that arrived.
//!
//! The messages of a context wait in one queue, in order of arrival, which a receive searches from the front. The messages
//! of one sender arrive in the order in which they were sent, so messages do not overtake each other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::BufReader;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, process, thread};

use bytemuck::Pod;
use mpit::cell::{Level, ObjectValue, PerObject};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::pml::{self, Mode};

use super::wire::{self, ENDED, Message};
use super::{Data, Error, Result};

/// The context of messages on the world communicator.
pub(crate) const WORLD: u32 = 0;

/// Messages of the communicator that arrived and wait for a receive, those of the host itself included.
#[mpit::pvar(class = "LEVEL", bind = "COMM", highwatermark, verbosity = "USER_DETAIL")]
static UNEXPECTED_QUEUE_LENGTH: PerObject<Level<u64>> = PerObject::new();

/// The messages on the way to this process, and the processes that ended.
#[derive(Default)]
struct Arrived {
    queues: HashMap<u32, VecDeque<Message>>,
    ended: HashSet<usize>,
}

pub(crate) struct Process {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) id: CommId,
    stream: Mutex<UnixStream>,
    next_context: AtomicU32,
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
            next_context: AtomicU32::new(WORLD + 1),
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
            arrived.queues.entry(message.context).or_default().push_back(message);
            self.update_length(&arrived);
        }
        drop(arrived);
        self.changed.notify_all();
    }

    /// Updates the length of the world's queue. The caller holds the lock, so changes appear in their order.
    fn update_length(&self, arrived: &Arrived) {
        self.queue_length.set(arrived.queues.get(&WORLD).map_or(0, VecDeque::len) as u64);
    }

    /// Waits for the first message of a process with a tag.
    pub(crate) fn receive(&self, context: u32, source: usize, tag: i32) -> Result<Vec<u8>> {
        self.check_rank(source)?;
        let mut arrived = self.arrived();
        loop {
            let queue = arrived.queues.entry(context).or_default();
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
    pub(crate) fn send(&self, context: u32, data: &[u8], to: usize, tag: i32) -> Result<()> {
        self.check_rank(to)?;
        if pml::active() {
            let (to, bytes) = (to as u32, data.len() as u64);
            pml::sent(&pml::Send::new(self.id, to, to, bytes, tag, Mode::Standard));
        }
        if to == self.rank {
            self.deliver(Message { peer: to, context, tag, data: data.to_vec() });
            return Ok(());
        }
        wire::write(&self.stream, to, context, tag, data).map_err(Error::Send)
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.size).filter(move |rank| *rank != own)
    }

    pub(crate) fn bcast(&self, context: u32, data: &mut [u8], root: usize, tag: i32) -> Result<()> {
        if self.rank == root {
            return self.others().try_for_each(|to| self.send(context, data, to, tag));
        }
        copy(&self.receive(context, root, tag)?, data)
    }

    pub(crate) fn gather<T: Pod>(
        &self,
        context: u32,
        values: &[T],
        root: usize,
        tag: i32,
    ) -> Result<Option<Vec<T>>> {
        if self.rank != root {
            self.send(context, values.bytes(), root, tag)?;
            return Ok(None);
        }
        let mut all = values.repeat(self.size);
        for from in self.others() {
            let part = &mut all[from * values.len()..][..values.len()];
            copy(&self.receive(context, from, tag)?, part.bytes_mut())?;
        }
        Ok(Some(all))
    }

    /// Returns the context of a new window. All processes create windows in the same order, so it is equal in all.
    pub(crate) fn new_context(&self) -> u32 {
        self.next_context.fetch_add(1, Relaxed)
    }

    pub(crate) fn remove_context(&self, context: u32) {
        self.arrived().queues.remove(&context);
    }

    /// Ends the connection. A process that does not `finalize` has failed.
    pub(crate) fn end(&self, finalizes: bool) {
        // If the launcher has ended, the thread that reads ends this process.
        if finalizes {
            let _ = wire::write(&self.stream, self.size, WORLD, 0, &[]);
        }
        let _ = self.stream.lock().unwrap_or_else(PoisonError::into_inner).shutdown(Shutdown::Write);
    }
}

fn copy(received: &[u8], buffer: &mut [u8]) -> Result<()> {
    if received.len() != buffer.len() {
        return Err(Error::Disagreement { given: received.len(), needed: buffer.len() });
    }
    buffer.copy_from_slice(received);
    Ok(())
}
