//! One-sided communication: accesses to the memory of other processes.

use std::sync::atomic::AtomicU32;

use super::{Lifecycle, WindowId};

kinds! {
    /// The kind of access. Request-based forms (`MPI_Rput` and so on) have the same kind.
    Put "MPI_Put";
    Get "MPI_Get";
    Accumulate "MPI_Accumulate";
    GetAccumulate "MPI_Get_accumulate";
    FetchAndOp "MPI_Fetch_and_op";
    CompareAndSwap "MPI_Compare_and_swap";
}

/// An access to the memory of a process, reported by the process that starts it. Accesses to `MPI_PROC_NULL` and synchronization
/// calls are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The window.
    pub window: WindowId,
    /// The target's rank in the group of the window.
    pub rank: u32,
    /// The target's rank in `MPI_COMM_WORLD`, or [`OUTSIDE`](crate::object::OUTSIDE).
    pub target: u32,
    /// The kind of access.
    pub kind: Kind,
    /// Bytes transferred to the target; 0 for a get.
    pub sent: u64,
    /// Bytes transferred back; 0 for a put and an accumulate.
    pub received: u64,
}

impl Access {
    /// Creates an access, for MPI libraries and for tests of components.
    #[inline]
    pub const fn new(window: WindowId, rank: u32, target: u32, kind: Kind, sent: u64, received: u64) -> Self {
        Self { window, rank, target, kind, sent, received }
    }
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// Handles an access. Runs in the thread that makes it, and adds to the cost of every access: take no locks here.
    fn accessed(&self, access: &Access);
}

/// The number of listeners to accesses: active components, and others that the MPI library counts. Nothing is reported while it
/// is 0.
#[doc(hidden)]
pub static LISTENING: AtomicU32 = AtomicU32::new(0);
