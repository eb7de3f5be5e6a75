//! A rank as a process: its engine, its connections, and the threads between them.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::engine::Engine;
use super::frame::{Envelope, Frame};
use super::links::{self, Links, Reply};
use super::matching::{Message, Receipt};
use super::window::Request;
use super::{Result, error};

/// One rank of the world.
pub(super) struct Process {
    /// Its rank in the world.
    pub(super) rank: u32,
    /// The number of ranks in the world.
    pub(super) size: u32,
    /// The lowest context that this process has not used yet.
    next_context: AtomicU32,
    engine: Arc<Engine>,
    links: Arc<Links>,
    replies: Sender<Option<Reply>>,
    reply_thread: Mutex<Option<JoinHandle<()>>>,
}

/// The contexts of the communicators that exist from the start. As in Open MPI, 2 is the null communicator.
pub(super) const WORLD: u32 = 0;
pub(super) const SELF: u32 = 1;
const FIRST_FREE: u32 = 3;

impl Process {
    /// A process with connections to all others, by world rank.
    pub(super) fn new(rank: u32, streams: Vec<Option<UnixStream>>) -> Result<Self> {
        let (replies, due) = mpsc::channel();
        let engine = Arc::new(Engine::new(rank, replies.clone()));
        let size = streams.len() as u32;
        for (peer, stream) in (0..).zip(&streams) {
            if let Some(stream) = stream {
                let stream = stream.try_clone().map_err(error::system("share a connection"))?;
                let engine = Arc::clone(&engine);
                spawn(format!("from rank {peer}"), move || links::listen(peer, stream, &engine))?;
            }
        }
        let links = Arc::new(Links::new(streams));
        let sender = Arc::clone(&links);
        let reply_thread = spawn("replies".into(), move || sender.send_replies(&due))?;
        Ok(Self {
            rank,
            size,
            next_context: AtomicU32::new(FIRST_FREE),
            engine,
            links,
            replies,
            reply_thread: Mutex::new(Some(reply_thread)),
        })
    }

    /// Where messages meet receives.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Moves a message to a process of the world. Returns when the data is out of the caller's hands.
    pub(super) fn send(&self, to: u32, envelope: Envelope, data: &[u8], receipt: Option<u64>) -> Result<()> {
        if to == self.rank {
            let receipt = receipt.map(|number| Receipt { to, number });
            self.engine.deliver(Message { envelope, data: data.to_vec(), receipt });
            return Ok(());
        }
        let frame = Frame::Message { envelope, receipt, bytes: data.len() as u64 };
        self.links.send(to, frame, data).map_err(|_| self.engine.lock().unreachable(to))
    }

    /// Accesses the memory of a process. Returns when the data is out of the caller's hands.
    pub(super) fn access(&self, to: u32, request: Request, data: &[u8]) -> Result<()> {
        if to == self.rank {
            self.engine.access(to, &request, data);
            return Ok(());
        }
        self.links.send(to, Frame::Access(request), data).map_err(|_| self.engine.lock().unreachable(to))
    }

    /// A context that this process has not used yet.
    pub(super) fn proposal(&self) -> u32 {
        self.next_context.load(Relaxed)
    }

    /// Takes note that a context is in use.
    pub(super) fn use_context(&self, context: u32) {
        self.next_context.fetch_max(context + 1, Relaxed);
    }

    /// Says goodbye to the others and waits until they did.
    pub(super) fn finalize(&self) {
        // The thread is gone only if this was called before.
        let _ = self.replies.send(None);
        let thread = self.reply_thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        let others = self.size as usize - 1;
        self.engine.wait(|state| (state.departed() == others).then_some(()));
    }

    /// Leaves without a goodbye.
    pub(super) fn abandon(&self) {
        self.links.cut();
    }
}

fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    thread::Builder::new().name(name).spawn(body).map_err(error::system("start a thread"))
}
