//! A rank as a process: its connection to the launcher, and the messages that arrived.

use std::io::BufReader;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{process, thread};

use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::pml::{self, Mode};

use super::engine::{Engine, Pattern, WORLD};
use super::wire::{self, FINALIZED, Message, Writer};
use super::{Error, Result, error};

pub(crate) struct Process {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) id: CommId,
    pub(crate) engine: Arc<Engine>,
    stream: UnixStream,
    writer: Writer,
    next_context: AtomicU32,
}

impl Process {
    pub(crate) fn new(stream: UnixStream, rank: usize, size: usize) -> Result<Self> {
        let id = comms::created(Description::new(Ranks::World(size as u32), "MPI_COMM_WORLD"));
        // No operation uses this communicator. The files list it, as Open MPI's do.
        comms::created(Description::new(Ranks::List([rank as u32].into()), "MPI_COMM_SELF"));
        let engine = Arc::new(Engine::new(id));
        let doing = "share a connection";
        let writer = wire::writer(&stream).map_err(error::system(doing))?;
        let reader = stream.try_clone().map_err(error::system(doing))?;
        let delivering = Arc::clone(&engine);
        let receive = move || {
            let mut reader = BufReader::with_capacity(1 << 16, reader);
            while let Ok(message) = wire::read(&mut reader) {
                delivering.deliver(message);
            }
            // The launcher has ended, so this rank does, too.
            process::exit(1);
        };
        thread::Builder::new()
            .name("launcher".into())
            .spawn(receive)
            .map_err(error::system("start a thread"))?;
        Ok(Self { rank, size, id, engine, stream, writer, next_context: AtomicU32::new(WORLD + 1) })
    }

    pub(crate) fn check_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size { Ok(()) } else { Err(Error::NoSuchRank { rank, size: self.size }) }
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.size).filter(move |rank| *rank != own)
    }

    /// Sends a message and reports it, also an internal one. Returns when the data has been copied.
    pub(crate) fn send(&self, context: u32, data: &[u8], to: usize, tag: i32) -> Result<()> {
        self.check_rank(to)?;
        if pml::active() {
            let (to, bytes) = (to as u32, data.len() as u64);
            pml::sent(&pml::Send::new(self.id, to, to, bytes, tag, Mode::Standard));
        }
        if to == self.rank {
            self.engine.deliver(Message { peer: to, context, tag, data: data.to_vec() });
            return Ok(());
        }
        self.engine.check_alive(to)?;
        wire::write(&self.writer, to, context, tag, data).map_err(error::system("send a message"))
    }

    pub(crate) fn receive(&self, context: u32, source: usize, tag: i32) -> Result<Vec<u8>> {
        Ok(self.engine.receive(&Pattern { context, source, tag })?.data)
    }

    /// Returns the context of a new window. All processes create windows in the same order, so it is equal in all.
    pub(crate) fn new_context(&self) -> u32 {
        self.next_context.fetch_add(1, Relaxed)
    }

    /// Announces that this process sends no more messages, and waits for the other processes to do the same.
    pub(crate) fn finalize(&self) {
        for to in self.others() {
            // If the launcher has ended, the thread that reads ends this process.
            let _ = wire::write(&self.writer, to, WORLD, FINALIZED, &[]);
        }
        self.engine.wait_for_ends(self.size - 1);
    }

    /// Ends the connection: to the other processes, this process has crashed.
    pub(crate) fn disconnect(&self) {
        // The connection may be closed already.
        let _ = self.stream.shutdown(Shutdown::Write);
    }
}
