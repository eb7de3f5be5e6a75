//! The component `monitoring` of the frameworks `pml`, `osc` and `coll`: records traffic, for variables and `.prof` files.
//!
//! [`pml`], [`osc`] and [`coll`] record into [`record`]s in the [`store`], and have the variables. A phase is the difference of
//! two snapshots of all records. At the end of the run, or of a phase that a tool marks, it becomes the text of a file
//! ([`mpit_format`]); [`times`] has the time in MPI; [`gather`] brings the texts of all processes to one.
//!
//! # API boundary
//!
//! For `mpit-components`, which hosts use. [`RUNTIME`] is the runtime of the process, which this crate observes.
//!
//! # Invariants
//!
//! * The components implement the public traits of [`mpit`], as third-party components do.
//! * Recording takes no lock and allocates nothing, except for the first operation of a thread with a process.
//! * Memory grows with the processes that a process communicates with, not with the size of the job.
//! * A file is complete or does not exist.

#![forbid(unsafe_code)]

pub mod about;
mod categories;
pub mod coll;
mod describe;
mod flush;
pub mod gather;
mod job_store;
pub mod live;
mod observer;
pub mod osc;
pub mod output;
mod output_directory;
mod per_thread;
mod phase;
pub mod pml;
pub mod record;
mod runtime;
pub mod settings;
pub mod store;
pub mod times;
pub mod values;
mod versions;
mod whole_run;

pub use runtime::RUNTIME;
