//! The connections to the other ranks.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Engine;
use super::frame::Frame;
use super::matching::{Departure, Message, Receipt};
use super::window::Answer;

/// What is due to another process and does not come from a call of the program's.
pub(super) enum Reply {
    Receipt(Receipt),
    Answer(Answer),
}

/// What goes out to the other ranks, by world rank. There is no connection to the process itself.
pub(super) struct Links(Vec<Option<Mutex<BufWriter<UnixStream>>>>);

impl Links {
    pub(super) fn new(streams: impl IntoIterator<Item = Option<UnixStream>>) -> Self {
        Self(
            streams
                .into_iter()
                .map(|stream| stream.map(|stream| Mutex::new(BufWriter::new(stream))))
                .collect(),
        )
    }

    fn link(&self, peer: u32) -> io::Result<MutexGuard<'_, BufWriter<UnixStream>>> {
        let link = self.0.get(peer as usize).and_then(Option::as_ref).ok_or(io::ErrorKind::NotConnected)?;
        Ok(link.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a frame and what follows it. Waits while the connection is full; the peer always reads on.
    pub(super) fn send(&self, peer: u32, frame: Frame, data: &[u8]) -> io::Result<()> {
        let mut link = self.link(peer)?;
        link.write_all(bytemuck::bytes_of(&frame.encode()))?;
        link.write_all(data)?;
        link.flush()
    }

    fn peers(&self) -> impl Iterator<Item = u32> {
        (0..self.0.len() as u32).filter(|peer| self.0[*peer as usize].is_some())
    }

    /// Sends replies as they fall due, then says goodbye. A thread of its own does this, because the threads
    /// that read must never wait for a connection: two processes could then wait for each other.
    pub(super) fn send_replies(&self, due: &Receiver<Option<Reply>>) {
        while let Ok(Some(reply)) = due.recv() {
            // A peer that is gone needs no reply.
            let _ = match reply {
                Reply::Receipt(Receipt { to, number }) => {
                    self.send(to, Frame::Matched { receipt: number }, &[])
                }
                Reply::Answer(Answer { to, ticket, data }) => {
                    let bytes = data.as_ref().map(|data| data.len() as u64);
                    self.send(to, Frame::Answer { ticket, bytes }, &data.unwrap_or_default())
                }
            };
        }
        for peer in self.peers() {
            let _ = self.send(peer, Frame::Goodbye, &[]);
        }
    }

    /// Closes the connections without a goodbye: for the others, the process has died.
    pub(super) fn cut(&self) {
        for peer in self.peers() {
            if let Ok(link) = self.link(peer) {
                // One that is closed already is as good.
                let _ = link.get_ref().shutdown(Shutdown::Both);
            }
        }
    }
}

/// Feeds the engine with what comes from a peer, until that says goodbye or dies.
pub(super) fn listen(peer: u32, stream: UnixStream, engine: &Engine) {
    let departure = match feed(peer, &mut BufReader::with_capacity(1 << 16, stream), engine) {
        Ok(()) => Departure::Finalized,
        Err(_) => Departure::Died,
    };
    engine.depart(peer, departure);
}

fn feed(peer: u32, stream: &mut impl Read, engine: &Engine) -> io::Result<()> {
    loop {
        match Frame::read(stream)? {
            Frame::Message { envelope, receipt, bytes } => {
                let data = read(stream, bytes)?;
                let receipt = receipt.map(|number| Receipt { to: peer, number });
                engine.deliver(Message { envelope, data, receipt });
            }
            Frame::Matched { receipt } => engine.receipt(receipt),
            Frame::Access(request) => {
                let data = read(stream, request.payload())?;
                engine.access(peer, &request, &data);
            }
            Frame::Answer { ticket, bytes } => {
                let data = bytes.map(|bytes| read(stream, bytes)).transpose()?;
                engine.answered(ticket, data);
            }
            Frame::Goodbye => return Ok(()),
        }
    }
}

/// The data behind a header.
fn read(stream: &mut impl Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::with_capacity(bytes as usize);
    if stream.by_ref().take(bytes).read_to_end(&mut data)? as u64 != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(data)
}
