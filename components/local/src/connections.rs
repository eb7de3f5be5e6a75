//! Connections to the other ranks: headers of fixed size, each with the data of a message behind it.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::{End, Engine, Message};

/// The encoding of a header: context and tag, and the number of bytes that follow.
type Header = [u64; 2];

/// The last header on a connection: nothing follows. No message is as long.
const GOODBYE: Header = [0, u64::MAX];

fn header(context: u32, tag: i32, bytes: usize) -> Header {
    [u64::from(context) << 32 | u64::from(tag.cast_unsigned()), bytes as u64]
}

/// The outgoing connections by rank. There is none to the process itself.
pub(crate) struct Connections(Vec<Option<Mutex<BufWriter<UnixStream>>>>);

impl Connections {
    pub(crate) fn new(streams: Vec<Option<UnixStream>>) -> Self {
        let writer = |stream| Mutex::new(BufWriter::new(stream));
        Self(streams.into_iter().map(|stream| stream.map(writer)).collect())
    }

    /// Writes a message. Waits while the connection is full; the peer reads without pause.
    pub(crate) fn send(&self, peer: usize, context: u32, tag: i32, data: &[u8]) -> io::Result<()> {
        let connection = self.0.get(peer).and_then(Option::as_ref).ok_or(io::ErrorKind::NotConnected)?;
        write(&mut *lock(connection), header(context, tag, data.len()), data)
    }

    /// Writes the last header to all peers.
    pub(crate) fn finish(&self) {
        for connection in self.0.iter().flatten() {
            // A process that ended needs none.
            let _ = write(&mut *lock(connection), GOODBYE, &[]);
        }
    }

    /// Closes the connections without the last header: to the other processes, this process has crashed.
    pub(crate) fn cut(&self) {
        for connection in self.0.iter().flatten() {
            // The connection may be closed already.
            let _ = lock(connection).get_ref().shutdown(Shutdown::Both);
        }
    }
}

fn lock(connection: &Mutex<BufWriter<UnixStream>>) -> MutexGuard<'_, BufWriter<UnixStream>> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(connection: &mut impl Write, header: Header, data: &[u8]) -> io::Result<()> {
    connection.write_all(bytemuck::bytes_of(&header))?;
    connection.write_all(data)?;
    connection.flush()
}

/// Delivers the messages of a peer to the engine, until the peer finalizes or ends.
pub(crate) fn read_messages(peer: usize, stream: UnixStream, engine: &Engine) {
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    let end = loop {
        match read(peer, &mut stream) {
            Ok(Some(message)) => engine.deliver(message),
            Ok(None) => break End::Finalized,
            Err(_) => break End::Crashed,
        }
    };
    engine.peer_ended(peer, end);
}

/// Reads a message; `None` after the last one.
fn read(source: usize, stream: &mut impl Read) -> io::Result<Option<Message>> {
    let mut header: Header = [0; 2];
    stream.read_exact(bytemuck::bytes_of_mut(&mut header))?;
    if header == GOODBYE {
        return Ok(None);
    }
    let [label, bytes] = header;
    let mut data = Vec::new();
    if stream.take(bytes).read_to_end(&mut data)? as u64 != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(Message { context: (label >> 32) as u32, source, tag: label as i32, data }))
}

#[cfg(test)]
mod tests {
    use super::{GOODBYE, header, read, write};

    #[test]
    fn messages_survive_the_connection() {
        let mut bytes = Vec::new();
        write(&mut bytes, header(u32::MAX, -16, 3), b"abc").unwrap();
        write(&mut bytes, header(0, 0, 0), b"").unwrap();
        write(&mut bytes, GOODBYE, &[]).unwrap();
        let mut stream = bytes.as_slice();
        let first = read(4, &mut stream).unwrap().unwrap();
        assert_eq!((first.context, first.source, first.tag), (u32::MAX, 4, -16));
        assert_eq!(first.data, b"abc");
        let second = read(4, &mut stream).unwrap().unwrap();
        assert_eq!((second.context, second.tag, second.data.len()), (0, 0, 0));
        assert!(read(4, &mut stream).unwrap().is_none());
        for length in [1, 15, 18] {
            assert!(read(4, &mut &bytes[..length]).is_err());
        }
    }
}
