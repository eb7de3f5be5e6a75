//! Components, which are notified of messages, accesses and collective operations.
//!
//! The MPI library, or the library that observes it, reports each operation to one of three frameworks: [`pml`] (point to point),
//! [`osc`] (one-sided) and [`coll`] (collectives). A component implements the framework's trait, with the attribute
//! `component`. Its [`Subscription`] says if it currently listens:
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
//!
//! use mpit::component;
//! use mpit::component::{Lifecycle, Subscription, World, pml};
//!
//! /// Bytes that went to the next process.
//! static TO_THE_NEXT: AtomicU64 = AtomicU64::new(0);
//! static LISTENING: Subscription = Subscription::pml();
//!
//! struct Neighbor;
//!
//! impl Lifecycle for Neighbor {
//!     fn subscription(&self) -> &'static Subscription {
//!         &LISTENING
//!     }
//!
//!     fn open(&self, world: World) -> bool {
//!         // With a single process there are no messages.
//!         if world.size > 1 {
//!             LISTENING.add();
//!         }
//!         world.size > 1
//!     }
//! }
//!
//! /// Counts messages.
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
//! This module has the types and traits only. The crate `mpit-components` reports the operations and notifies the components, of
//! which several can be open at once.

/// Declares the kinds of calls of a framework, by the names of their functions.
macro_rules! kinds {
    ($(#[$doc:meta])* $($kind:ident $function:literal;)*) => {
        $(#[$doc])*
        // The order must not change: it gives the numbers of the C interface and of the element `kind` of events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Kind {
            $(#[doc = concat!("`", $function, "`.")] $kind,)*
        }

        impl Kind {
            /// All kinds; the index is the number in C.
            pub const ALL: [Self; [$($function),*].len()] = [$(Self::$kind),*];
        }
    };
}

pub mod coll;
mod desc;
mod lines;
pub mod osc;
pub mod pml;
mod subscription;

pub use desc::ComponentDesc;
pub use lines::Lines;
pub use subscription::Subscription;

/// The kind of traffic that a component listens to.
#[doc(hidden)]
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
    /// All frameworks.
    pub const ALL: [Self; 3] = [Self::Pml, Self::Osc, Self::Coll];

    /// Returns the framework's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pml => "pml",
            Self::Osc => "osc",
            Self::Coll => "coll",
        }
    }

    /// Creates a subscription for a component of the framework.
    pub const fn subscription(self) -> Subscription {
        match self {
            Self::Pml => Subscription::pml(),
            Self::Osc => Subscription::osc(),
            Self::Coll => Subscription::coll(),
        }
    }
}

/// The position of this process in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct World {
    /// The rank of this process in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// The number of processes in `MPI_COMM_WORLD`.
    pub size: u32,
}

impl World {
    /// Creates a position, for MPI libraries and for tests of components.
    #[inline]
    pub const fn new(rank: u32, size: u32) -> Self {
        Self { rank, size }
    }
}

/// Declares the identity of objects of a kind.
macro_rules! identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// Returns the object with a number of this process.
            pub const fn from_number(number: u64) -> Self {
                Self(number)
            }

            /// Returns the number, which is never 0 and never reused in the process.
            pub const fn get(self) -> u64 {
                self.0
            }
        }
    };
}
identity! {
    /// The identity of a communicator.
    CommId
}
identity! {
    /// The identity of a window. Never reused, unlike the handle of the MPI library's object.
    WindowId
}

/// The functions common to components of all frameworks.
#[diagnostic::on_unimplemented(
    message = "the component `{Self}` has no `impl Lifecycle`",
    label = "a component needs the functions that open and close it",
    note = "write `impl mpit::component::Lifecycle for {Self} {{}}`, with the functions that it needs"
)]
pub trait Lifecycle: Send + Sync {
    /// Returns the subscription that says if the component listens, made by [`Subscription::pml`], [`Subscription::osc`] or
    /// [`Subscription::coll`].
    fn subscription(&self) -> &'static Subscription;

    /// Opens the component: MPI is initialized. Returns true if it takes part; otherwise it is not notified of anything.
    fn open(&self, world: World) -> bool;

    /// Handles the program's `MPI_Pcontrol`. Open components are notified of every level, even if they do not listen; by
    /// convention 0 pauses, 1 resumes, and 2 requests output.
    fn pcontrol(&self, _level: i32) {}

    /// Adds the component's own lines to the file of this process. Called while the record is written, at the end of MPI or for
    /// `MPI_Pcontrol(2)`, if the component is open.
    fn report(&self, _lines: &mut Lines) {}

    /// Closes the component: MPI is about to be finalized. Components are closed in the reverse order of their opening, after the
    /// output was written.
    fn close(&self) {}
}
