//! Point to point: each message that a process sends.

use std::sync::atomic::AtomicU32;

use super::{CommId, Lifecycle, Switch};

/// How a message is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Mode {
    /// `MPI_Send` and its relatives, also the sending half of `MPI_Sendrecv`.
    #[default]
    Standard,
    /// `MPI_Bsend` and its relatives.
    Buffered,
    /// `MPI_Ssend` and its relatives.
    Synchronous,
    /// `MPI_Rsend` and its relatives.
    Ready,
}

impl Mode {
    /// All of them, each at its number in C.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Buffered, Self::Synchronous, Self::Ready];
}

/// A message that is sent. Reported once per message, when it is handed to the library; for a persistent one
/// each time it is started. Nothing is reported for `MPI_PROC_NULL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The communicator it is sent on.
    pub comm: CommId,
    /// The receiver's rank in the communicator.
    pub dest: u32,
    /// The receiver's rank in the world, or [`OUTSIDE`](crate::object::OUTSIDE).
    pub to: u32,
    /// Bytes of payload: elements times the size of their type.
    pub bytes: u64,
    /// Its tag; negative for messages of the library's own.
    pub tag: i32,
    /// How it is sent.
    pub mode: Mode,
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// A message is sent. Called by whatever thread sends it, at the cost of every message: no locks here.
    fn sent(&self, send: &Send);
}

/// How many listen to messages: components that are awake, and whoever else the host counts. While it is 0, hosts report
/// nothing.
pub static LISTENING: AtomicU32 = AtomicU32::new(0);

/// The switch of a component of this framework: a static beside the component.
#[must_use]
pub const fn switch() -> Switch {
    Switch::new(&LISTENING)
}
