//! A rank as a process: its engine, its connections, and the threads that read from them.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::pml::{self, Mode};

use super::connections::{self, Connections};
use super::engine::{Engine, Message, Pattern};
use super::{Error, Result, error, queue};

/// One rank of the world.
pub(crate) struct Process {
    pub(crate) rank: usize,
    /// The number of ranks in the world.
    pub(crate) size: usize,
    /// The identity of the world communicator in the frameworks.
    pub(crate) id: CommId,
    pub(crate) engine: Arc<Engine>,
    pub(crate) connections: Connections,
    /// The context of the next window.
    next_context: AtomicU32,
}

/// The context of the world communicator.
pub(crate) const WORLD: u32 = 0;

impl Process {
    /// Creates the process from its connections to all others, by rank, and registers its communicators.
    pub(crate) fn new(rank: usize, streams: Vec<Option<UnixStream>>) -> Result<Self> {
        let size = streams.len();
        let id = comms::created(Description::new(Ranks::World(size as u32), "MPI_COMM_WORLD"));
        // No operation uses it, but files list it as Open MPI's do.
        comms::created(Description::new(Ranks::List([rank as u32].into()), "MPI_COMM_SELF"));
        let engine = Arc::new(Engine::new(queue::length_of(id)));
        for (peer, stream) in streams.iter().enumerate() {
            if let Some(stream) = stream {
                let stream = stream.try_clone().map_err(error::system("share a connection"))?;
                let engine = Arc::clone(&engine);
                thread::Builder::new()
                    .name(format!("from rank {peer}"))
                    .spawn(move || connections::read_messages(peer, stream, &engine))
                    .map_err(error::system("start a thread"))?;
            }
        }
        let (connections, next_context) = (Connections::new(streams), AtomicU32::new(WORLD + 1));
        Ok(Self { rank, size, id, engine, connections, next_context })
    }

    /// Fails if there is no such rank.
    pub(crate) fn check_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size { Ok(()) } else { Err(Error::NoSuchRank { rank, size: self.size }) }
    }

    /// Sends a message. Returns when the data has been copied. All messages that leave this process pass through this
    /// function, which reports them.
    pub(crate) fn send(&self, context: u32, data: &[u8], to: usize, tag: i32) -> Result<()> {
        self.check_rank(to)?;
        if pml::active() {
            let (to, bytes) = (to as u32, data.len() as u64);
            pml::sent(&pml::Send::new(self.id, to, to, bytes, tag, Mode::Standard));
        }
        if to == self.rank {
            self.engine.deliver(Message { context, source: to, tag, data: data.to_vec() });
            return Ok(());
        }
        self.connections.send(to, context, tag, data).map_err(|_| self.engine.lock().unreachable(to))
    }

    /// Receives an internal message.
    pub(crate) fn receive(&self, context: u32, source: usize, tag: i32) -> Result<Vec<u8>> {
        Ok(self.engine.receive(&Pattern { context, source, tag })?.data)
    }

    /// Returns the context of a new window. All processes create windows in the same order, so it is equal in all.
    pub(crate) fn new_context(&self) -> u32 {
        self.next_context.fetch_add(1, Relaxed)
    }

    /// Ends the connections and waits for the other processes to do the same.
    pub(crate) fn finalize(&self) {
        self.connections.finish();
        self.engine.wait(|state| if state.ended.len() == self.size - 1 { Some(()) } else { None });
    }
}
