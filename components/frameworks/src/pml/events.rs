//! Events of point-to-point communication.

use mpit::component::CommId;
use mpit::event;
use mpit::event::{Context, Event};

use super::{LISTENING, Mode, Pml, Send};
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
pub(super) fn have_listeners() -> bool {
    MessageSent::DESC.has_listeners()
}

#[inline]
pub(super) fn sent(send: &Send) {
    MessageSent::raise(about(send.comm), || MessageSent {
        dest: send.dest.cast_signed(),
        world_dest: send.to.cast_signed(),
        tag: send.tag,
        mode: match send.mode {
            Mode::Standard => 0,
            Mode::Buffered => 1,
            Mode::Synchronous => 2,
            Mode::Ready => 3,
        },
        bytes: send.bytes,
        communicator: send.comm.get(),
    });
}

/// Returns the context of an event. Hosts report from the call that the user made, where callbacks may call any function.
fn about(comm: CommId) -> Context {
    Context::ANYWHERE.about(comm.get())
}
