//! The frameworks that observe the traffic of an MPI library, and the components that record it.
//!
//! A *host* moves the bytes: a real MPI library observed through the preload library, an implementation that embeds this
//! crate, or `mpit-local`, a small host for examples and tests. The host announces that MPI is initialized ([`host`]),
//! registers its communicators ([`comms`]), and reports each operation to one of three *frameworks*, as in Open MPI: [`pml`]
//! (point to point), [`osc`] (one-sided) and [`coll`] (collectives). A framework notifies its *components*, of which several
//! can be open at once. The control variables `pml_components`, `osc_components` and `coll_components` select them. Tools can
//! also register callbacks for the events of each framework and for those of [`events`].
//!
//! # API boundary
//!
//! Hosts report traffic through [`comms`], [`windows`], [`pml`], [`osc`], [`coll`] and [`calls`]. [`prof`] and [`store`] define the
//! files, which `mpit` (the command) and `mpit-report` read. A third-party component does not need this crate: the traits
//! are in [`mod@mpit::component`].
//!
//! # Invariants
//!
//! * The monitoring components implement the public traits of [`mpit`], as third-party components do. Locks, lists and files come
//!   from `mpit::internal`. This crate contains no unsafe code and no C.
//! * Recording takes no lock and allocates nothing, except for the first operation with a process.
//! * No lock is held while a component or a host runs.
//! * Memory grows with the processes that a process communicates with, not with the size of the job.
//! * A file is complete or does not exist.

#![forbid(unsafe_code)]

pub mod calls;
pub mod coll;
pub mod comms;
pub mod control;
mod describe;
mod diagnostics;
pub mod events;
mod framework;
pub mod gather;
pub mod host;
pub mod monitoring;
pub mod osc;
pub mod output;
pub mod pml;
pub mod record;
pub mod run;
mod selection;
pub mod store;
pub mod windows;

pub use mpit::component::{Lifecycle, Subscription};
pub use mpit_format::profile as prof;
