//! The connection of a rank to the launcher: messages to and from the other ranks.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

/// The tag of the launcher's message about a rank that ended.
pub(crate) const ENDED: i32 = i32::MIN;

#[derive(Debug)]
pub(crate) struct Message {
    /// The sender; on the way to the launcher, the receiver, or the number of ranks if the sender finalizes.
    pub(crate) peer: usize,
    /// 0 or more for messages of the program, negative for internal ones.
    pub(crate) tag: i32,
    pub(crate) data: Vec<u8>,
}

/// Writes a message. Waits while the connection is full; the other side reads without pause.
pub(crate) fn write(to: &Mutex<UnixStream>, peer: usize, tag: i32, data: &[u8]) -> io::Result<()> {
    let header = [peer as u64, tag.cast_unsigned().into(), data.len() as u64];
    let bytes = [bytemuck::bytes_of(&header), data].concat();
    to.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes)
}

pub(crate) fn read(from: &mut impl Read) -> io::Result<Message> {
    let mut header = [0_u64; 3];
    from.read_exact(bytemuck::bytes_of_mut(&mut header))?;
    let [peer, tag, bytes] = header;
    let mut data = Vec::new();
    if from.take(bytes).read_to_end(&mut data)? as u64 != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Message { peer: peer as usize, tag: tag as i32, data })
}
