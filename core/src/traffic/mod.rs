//! Traffic: what components of the frameworks are told, whoever moves the bytes and whoever listens.
//!
//! A host reports each operation to one of three frameworks: [`pml`] (point to point), [`osc`] (one-sided) and [`coll`]
//! (collectives). A component implements the framework's trait and is registered with [`mpit::component`](crate::component);
//! a [`Switch`] beside it says whether it wants to hear anything:
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
//!
//! use mpit::component;
//! use mpit::traffic::{Lifecycle, Switch, World, pml};
//!
//! /// Bytes that went to the next process.
//! static TO_THE_NEXT: AtomicU64 = AtomicU64::new(0);
//! static LISTENING: Switch = pml::switch();
//!
//! struct Neighbor;
//!
//! impl Lifecycle for Neighbor {
//!     fn switch(&self) -> &'static Switch {
//!         &LISTENING
//!     }
//!
//!     fn open(&self, world: World) -> bool {
//!         // Alone in the world, there is nothing to hear.
//!         if world.size > 1 {
//!             LISTENING.on();
//!         }
//!         world.size > 1
//!     }
//! }
//!
//! /// Hears of messages.
//! #[component(framework = "pml", name = "neighbor")]
//! impl pml::Component for Neighbor {
//!     fn sent(&self, send: &pml::Send) {
//!         if send.dest == 1 {
//!             TO_THE_NEXT.fetch_add(send.bytes, Relaxed);
//!         }
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! Here are the words only. Who reports, and who tells the components, is `mpit-components`.

pub mod coll;
mod lines;
pub mod osc;
pub mod pml;
mod switch;

pub use lines::Lines;
pub use switch::Switch;

/// What a component listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// Messages: [`pml`].
    Pml,
    /// One-sided accesses: [`osc`].
    Osc,
    /// Collective operations: [`coll`].
    Coll,
}

impl Framework {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pml, Self::Osc, Self::Coll];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pml => "pml",
            Self::Osc => "osc",
            Self::Coll => "coll",
        }
    }

    /// A switch for one of its components.
    #[must_use]
    pub const fn switch(self) -> Switch {
        match self {
            Self::Pml => pml::switch(),
            Self::Osc => osc::switch(),
            Self::Coll => coll::switch(),
        }
    }
}

/// This process among those that were started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    /// The rank of this process in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// The number of processes in `MPI_COMM_WORLD`.
    pub size: u32,
}

/// Which communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommId(u64);

impl CommId {
    /// The communicator of a number, as some process counts them.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number behind it: never 0, and never that of another communicator of the process.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Which window: never reused, whatever the address of the host's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(u64);

impl WindowId {
    /// The window of a number, as some process counts them.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number behind it: never 0, and never that of another window of the process.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// What every component does, whatever its framework.
pub trait Lifecycle: Send + Sync {
    /// Whether the component wants to hear of traffic; made by the framework's `switch()`.
    fn switch(&self) -> &'static Switch;

    /// MPI is up. Returns whether the component takes part; one that does not hears of nothing.
    fn open(&self, world: World) -> bool;

    /// Handles `MPI_Pcontrol` of the program. Open components are notified of every level, whether they listen or not; by
    /// convention 0 pauses, 1 resumes, and 2 asks for output.
    fn pcontrol(&self, level: i32) {
        let _ = level;
    }

    /// Called while the record is being written, at the end of MPI or for `MPI_Pcontrol(2)`: adds lines of the component's
    /// own to the file of this process. The component is open.
    fn report(&self, lines: &mut Lines) {
        let _ = lines;
    }

    /// MPI is about to be finalized. Components are closed in the reverse order of their opening, after the output was
    /// written.
    fn close(&self) {}
}
