//! The frameworks that observe the traffic of an MPI library, and what a host reports to them.
//!
//! A [`Runtime`] has the state of one host. The host says when MPI is initialized and finalized, registers its communicators
//! ([`comms`]) and [`windows`], and reports each operation to one of three *frameworks*, as in Open MPI: [`pml`] (point to
//! point), [`osc`] (one-sided) and [`coll`] (collectives). A framework notifies its *components*, of which several can be open
//! at once. The control variables `pml_components`, `osc_components` and `coll_components` select them. Tools can also
//! register callbacks for the events of each framework and for those of [`events`].
//!
//! # API boundary
//!
//! For the monitoring component, which owns the runtime of a process, and for `mpit-components`, which hosts use. The
//! owner of a runtime implements [`Observer`]. Third-party components implement the traits of [`mod@mpit::component`].
//!
//! # Invariants
//!
//! * All state of a host is in its [`Runtime`]. The process has only the cells of variables, the flags that hosts read before
//!   they report anything, and a cache of equal lists of ranks.
//! * A report to frameworks without listeners costs one load and one branch. No lock is held while a component or a host runs.
//! * This crate names no component.

#![forbid(unsafe_code)]

pub mod calls;
pub mod coll;
pub mod comms;
pub mod diagnostics;
pub mod events;
mod framework;
pub mod ids;
pub mod osc;
pub mod pml;
mod runtime;
mod selection;
pub mod windows;

pub use mpit::component::{Lifecycle, Lines, Subscription, World};
pub use runtime::{Observer, Runtime};
