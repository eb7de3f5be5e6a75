//! The files that monitoring writes: `.prof` files, the file of a whole job, and the store of a process.
//!
//! A *row* counts the traffic between two processes; [`rows`] is the table of their kinds. [`profile`] writes the text of a
//! process, [`parse`] reads it. [`container`] writes and reads the file of a job, [`store`] defines the file that survives
//! its process, and reads it. [`times`] has the rows about time in MPI, and [`summary`] is a small extract of a job. [`names`] has the
//! names of all these files, and [`identity`] the line that says which run a
//! file belongs to.
//!
//! # API boundary
//!
//! For monitoring, which writes the files, for `mpit-report` and the command `mpit`, which read them, and for tests. The
//! crate knows neither MPI nor MPI_T.
//!
//! # Invariants
//!
//! * Each rule of the format is in one place, which writer and reader share.
//! * No input causes a panic, and no small input takes much memory.

#![forbid(unsafe_code)]

mod block_kinds;
pub mod calls;
pub mod container;
mod content;
pub mod files;
pub mod identity;
pub mod messages;
pub mod names;
pub mod parse;
pub mod profile;
pub mod rows;
pub mod store;
mod sum;
pub mod summary;
pub mod times;
pub mod values;

pub use identity::Identity;
pub use sum::TrafficSum;

/// The rank in the world of a process outside of it.
pub const OUTSIDE: u32 = u32::MAX;
