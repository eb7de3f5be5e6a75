//! Point-to-point communication: the messages that a process sends.

use std::sync::atomic::AtomicU32;

use super::{CommId, Lifecycle};

/// The send mode of a message.
// The order must not change: it gives the numbers of the C interface and of the element `mode` of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Mode {
    /// `MPI_Send` and its variants, and the send of `MPI_Sendrecv`.
    #[default]
    Standard,
    /// `MPI_Bsend` and its variants.
    Buffered,
    /// `MPI_Ssend` and its variants.
    Synchronous,
    /// `MPI_Rsend` and its variants.
    Ready,
}

impl Mode {
    /// All modes; the index is the number in C.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Buffered, Self::Synchronous, Self::Ready];
}

/// A message that is sent. Reported once per message, when it is passed to the library, and for a persistent request at each
/// start. Messages to `MPI_PROC_NULL` are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Send {
    /// The communicator.
    pub comm: CommId,
    /// The receiver's rank in the communicator.
    pub dest: u32,
    /// The receiver's rank in `MPI_COMM_WORLD`, or [`OUTSIDE`](crate::object::OUTSIDE).
    pub to: u32,
    /// Bytes of payload: number of elements times the size of their datatype.
    pub bytes: u64,
    /// The tag; negative for messages of the library's own.
    pub tag: i32,
    /// The send mode.
    pub mode: Mode,
}

impl Send {
    /// Creates a message, for MPI libraries and for tests of components.
    #[inline]
    pub const fn new(comm: CommId, dest: u32, to: u32, bytes: u64, tag: i32, mode: Mode) -> Self {
        Self { comm, dest, to, bytes, tag, mode }
    }
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// Handles a message. Runs in the thread that sends it, and adds to the cost of every message: take no locks here.
    fn sent(&self, send: &Send);
}

/// The number of listeners to messages: active components, and others that the MPI library counts. Nothing is reported while it
/// is 0.
#[doc(hidden)]
pub static LISTENING: AtomicU32 = AtomicU32::new(0);
