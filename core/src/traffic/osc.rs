//! One-sided communication: each access to memory of another process.

use std::sync::atomic::AtomicU32;

use super::{Lifecycle, Switch, WindowId};

/// What an access does. The request-based forms (`MPI_Rput` and so on) do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// `MPI_Put`.
    Put,
    /// `MPI_Get`.
    Get,
    /// `MPI_Accumulate`.
    Accumulate,
    /// `MPI_Get_accumulate`.
    GetAccumulate,
    /// `MPI_Fetch_and_op`.
    FetchAndOp,
    /// `MPI_Compare_and_swap`.
    CompareAndSwap,
}

impl Kind {
    /// All of them, each at its number in C.
    pub const ALL: [Self; 6] =
        [Self::Put, Self::Get, Self::Accumulate, Self::GetAccumulate, Self::FetchAndOp, Self::CompareAndSwap];
}

/// An access to memory of a process, reported by the one that starts it. Nothing is reported for
/// `MPI_PROC_NULL`, nor for synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The window.
    pub window: WindowId,
    /// The target's rank in the group of the window.
    pub rank: u32,
    /// The rank in the world of the process whose memory it is, or [`OUTSIDE`](crate::object::OUTSIDE).
    pub target: u32,
    /// What it does.
    pub kind: Kind,
    /// Bytes that go to the target; 0 for a get.
    pub sent: u64,
    /// Bytes that come back; 0 for a put and an accumulate.
    pub received: u64,
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// Memory is accessed. Called by whatever thread does it, at the cost of every access: no locks here.
    fn accessed(&self, access: &Access);
}

/// How many listen to accesses: components that are awake, and whoever else the host counts. While it is 0, hosts report
/// nothing.
pub static LISTENING: AtomicU32 = AtomicU32::new(0);

/// The switch of a component of this framework: a static beside the component.
#[must_use]
pub const fn switch() -> Switch {
    Switch::new(&LISTENING)
}
