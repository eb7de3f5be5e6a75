//! A small host that needs no MPI library: the ranks are processes of one program on one machine.
//!
//! ```
//! fn main() -> std::process::ExitCode {
//!     mpit_local::launch(2, |world| {
//!         let mut greeting = [0; 5];
//!         match world.rank() {
//!             0 => world.send(b"hello", 1, 7)?,
//!             _ => drop(world.recv(&mut greeting, 0, 7)?),
//!         }
//!         Ok(())
//!     })
//! }
//! ```
//!
//! [`launch`] starts the program again once for each rank and gives each its world communicator, [`Comm`]. This is not an
//! MPI library: it has the few operations that examples and tests of monitoring need, under the names of MPI.
//!
//! # API boundary
//!
//! The crate reports to [`mpit_components`] like any host and uses its public interface only: messages to [`pml`],
//! collective operations to [`coll`], and the program's calls, as they begin and end, to [`calls`]. Collective operations are built
//! on messages with negative tags, so this host has internal traffic like a real one. The number of messages that wait for a receive
//! is the performance variable `unexpected_queue_length`.
//!
//! [`pml`]: mpit_components::pml
//! [`coll`]: mpit_components::coll
//! [`calls`]: mpit_components::calls
//!
//! # Invariants
//!
//! * Each rank has one connection, to the launcher, which forwards messages; messages do not overtake each other.
//! * A thread of each rank reads without pause, so a send waits only for the operating system.
//! * When a process ends, every operation that waits for it fails.

#![forbid(unsafe_code)]

mod comm;
mod data;
mod error;
mod launch;
mod process;
mod wire;

pub use comm::Comm;
pub use data::Data;
pub use error::{Error, Result};
pub use launch::{Outcome, launch};

use mpit_components::calls::{self, Area};

/// Performs a call of the program and reports its duration. Calls that the host makes internally are not reported.
fn timed<R>(area: Area, call: impl FnOnce() -> R) -> R {
    let watch = calls::begin(area);
    let result = call();
    watch.end();
    result
}
