//! Events of point-to-point communication.

use mpit::event;
use mpit::event::{Context, Event};

use super::{LISTENING, Pml, Send};
use crate::events::Clock;

/// A message was sent. Raised after the sending call has succeeded, or before it if the call cannot fail; for a persistent
/// message, at each start. Not raised for messages to MPI_PROC_NULL. mode: 0 standard, 1 buffered, 2 synchronous, 3 ready.
/// Bound to the communicator of the message.
#[event(
    name = "pml_message_sent", bind = "COMM", source = Clock, category = Pml, listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct MessageSent {
    /// The receiver's rank in the communicator.
    pub dest: i32,
    /// The receiver's rank in the world; -1 outside of it.
    pub world_dest: i32,
    /// The tag; negative for messages that the library sends for its own purposes.
    pub tag: i32,
    /// 0 standard, 1 buffered, 2 synchronous, 3 ready.
    pub mode: i32,
    /// Bytes of payload.
    pub bytes: u64,
    /// The number of the communicator, unique within the process.
    pub communicator: u64,
}

#[inline]
pub(super) fn sent(send: &Send) {
    // Hosts report from the call that the user made, where callbacks may call any function.
    MessageSent::raise(Context::ANYWHERE.about(send.comm.get()), || MessageSent {
        dest: send.dest.cast_signed(),
        world_dest: send.to.cast_signed(),
        tag: send.tag,
        // Tools rely on these numbers, which are those of the C interface.
        mode: send.mode as i32,
        bytes: send.bytes,
        communicator: send.comm.get(),
    });
}
