//! A small host that needs no MPI: the ranks are processes of one program on one machine.
//!
//! ```
//! use mpit_components::local;
//!
//! fn main() -> std::process::ExitCode {
//!     local::launch(2, |world| {
//!         let mut greeting = [0; 5];
//!         match world.rank() {
//!             0 => world.send(b"hello", 1, 7)?,
//!             _ => drop(world.recv(&mut greeting, 0, local::ANY_TAG)?),
//!         }
//!         Ok(())
//!     })
//! }
//! ```
//!
//! [`launch`] starts the program again once for each rank and gives each a communicator, [`Comm`]. It has the
//! operations of MPI under their names: sends in all modes, receives and probes, [`Request`]s, new communicators, also
//! with topologies, the collective operations, and [`Window`]s. Collective operations are built on messages with
//! negative tags, so a host of this kind has internal traffic as a real one has. All messages are reported to
//! [`crate::pml`], all collective operations to [`crate::coll`], all accesses to windows to [`crate::osc`], and the
//! program's calls, as they begin and end, to [`crate::calls`].
//!
//! For each communicator there are two queues whose lengths tools see, with the longest they ever were:
//! `unexpected_queue_length`, of messages that wait for a receive, and `posted_queue_length`, of receives that wait for
//! a message.
//!
//! Messages go over Unix sockets, a connection for each pair of ranks. They are always sent at once and kept by
//! the receiver, so no send but a synchronous one waits for its receive. A process that is gone makes every
//! operation fail that waits for it.

mod collectives;
mod comm;
mod data;
mod engine;
mod error;
mod frame;
mod job;
mod launch;
mod links;
mod matching;
mod process;
mod queues;
mod recv;
mod request;
mod seat;
mod send;
mod status;
mod timed;
mod topology;
mod waits;
mod window;

pub use comm::{Color, Comm};
pub use data::Data;
pub use error::{Error, Result};
pub use launch::{Outcome, launch, test};
pub use recv::Message;
pub use request::Request;
pub use status::{ANY_SOURCE, ANY_TAG, PROC_NULL, Status};
pub use window::{Lock, Number, Op, Window};
