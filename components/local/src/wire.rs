//! The connection of a rank to the launcher: first a handshake, then messages to and from the other ranks.
//!
//! The launcher passes its socket and a rank in the environment. The rank connects and sends its rank and process ID. A
//! process with another ID is refused: a program that a rank starts inherits the environment. The socket is removed before
//! the first rank begins, so a program that is started later finds no launcher. The answer to a rank is the number of ranks.

use std::io::{self, BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{self, Command};
use std::sync::{Mutex, PoisonError};

use mpit::internal::os::environment;

use super::{Result, error};

const SOCKET: &str = "MPIT_LOCAL_SOCKET";
const RANK: &str = "MPIT_LOCAL_RANK";

/// The tag of the last message to each other rank, from a rank that finalizes.
pub(crate) const FINALIZED: i32 = i32::MIN;
/// The tag of the launcher's message about a rank that ended.
pub(crate) const ENDED: i32 = i32::MIN + 1;

#[derive(Debug)]
pub(crate) struct Message {
    /// The sender; on the way to the launcher, the receiver.
    pub(crate) peer: usize,
    /// The number that separates the messages of the world communicator and of each window.
    pub(crate) context: u32,
    /// 0 or more for messages of the program, negative for internal ones.
    pub(crate) tag: i32,
    pub(crate) data: Vec<u8>,
}

pub(crate) type Writer = Mutex<BufWriter<UnixStream>>;

pub(crate) fn writer(stream: &UnixStream) -> io::Result<Writer> {
    Ok(Mutex::new(BufWriter::new(stream.try_clone()?)))
}

/// Writes a message. Waits while the connection is full; the other side reads without pause.
pub(crate) fn write(to: &Writer, peer: usize, context: u32, tag: i32, data: &[u8]) -> io::Result<()> {
    let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
    let header = [peer as u64, u64::from(context) << 32 | u64::from(tag.cast_unsigned()), data.len() as u64];
    to.write_all(bytemuck::bytes_of(&header))?;
    to.write_all(data)?;
    to.flush()
}

pub(crate) fn read(from: &mut impl Read) -> io::Result<Message> {
    let mut header = [0_u64; 3];
    from.read_exact(bytemuck::bytes_of_mut(&mut header))?;
    let [peer, label, bytes] = header;
    let mut data = Vec::new();
    if from.take(bytes).read_to_end(&mut data)? as u64 != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Message { peer: peer as usize, context: (label >> 32) as u32, tag: label as i32, data })
}

/// Passes the socket and a rank to a process to be started.
pub(crate) fn assign(command: &mut Command, socket: &Path, rank: usize) {
    command.env(SOCKET, socket).env(RANK, rank.to_string());
}

/// Connects to the launcher if this process is a rank, and waits until all have joined. Returns connection, rank and size.
pub(crate) fn join() -> Result<Option<(UnixStream, usize, usize)>> {
    let rank = environment::var(RANK).and_then(|rank| rank.parse().ok());
    let (Some(socket), Some(rank)) = (environment::var_os(SOCKET), rank) else { return Ok(None) };
    let mut stream = match UnixStream::connect(socket) {
        Ok(stream) => stream,
        // Removed: this program was started by a rank, after the job had begun.
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(error::system("reach the launcher")(cause)),
    };
    let size = exchange(&mut stream, rank).map_err(error::system("join the job"))?;
    Ok(if size == 0 { None } else { Some((stream, rank as usize, size as usize)) })
}

/// Sends the identity of this process. Returns the number of ranks; 0 if the launcher refuses this process.
fn exchange(stream: &mut UnixStream, rank: u32) -> io::Result<u32> {
    stream.write_all(&rank.to_ne_bytes())?;
    stream.write_all(&process::id().to_ne_bytes())?;
    read_u32(stream)
}

/// Reads the rank of a process that has connected. Refuses a process that is not one of the job's.
pub(crate) fn identify(stream: &mut UnixStream, process_ids: &[u32]) -> io::Result<Option<usize>> {
    let (rank, id) = (read_u32(stream)? as usize, read_u32(stream)?);
    if process_ids.get(rank) == Some(&id) {
        return Ok(Some(rank));
    }
    answer(stream, 0)?;
    Ok(None)
}

/// Answers a process: with the number of ranks, or 0 if it is refused.
pub(crate) fn answer(mut stream: &UnixStream, size: u32) -> io::Result<()> {
    stream.write_all(&size.to_ne_bytes())
}

fn read_u32(stream: &mut UnixStream) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    use super::{read, write, writer};

    #[test]
    fn messages_survive_the_connection() {
        let (mut stream, other) = UnixStream::pair().unwrap();
        let to = writer(&other).unwrap();
        write(&to, 4, u32::MAX, -16, b"abc").unwrap();
        write(&to, 0, 0, 0, b"").unwrap();
        other.shutdown(Shutdown::Write).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let mut stream = bytes.as_slice();
        let first = read(&mut stream).unwrap();
        assert_eq!((first.peer, first.context, first.tag), (4, u32::MAX, -16));
        assert_eq!(first.data, b"abc");
        let second = read(&mut stream).unwrap();
        assert_eq!((second.context, second.tag, second.data.len()), (0, 0, 0));
        for length in [0, 1, 23, 26] {
            assert!(read(&mut &bytes[..length]).is_err());
        }
    }
}
