//! Evaluation of monitoring files: summaries, matrices and pictures of the traffic between ranks.
//!
//! [`input`] finds the files of a run and reads them by [`mpit_format`], and a [`Job`] is the sum of them. A job is sparse: its
//! memory grows with the number of pairs of processes that exchanged messages, and with that of processes for collective operations. [`summary`], [`data`], [`export`], [`matrix`],
//! [`picture`] and [`html`] write it in various forms. The crate needs no MPI library, and also reads files of Open MPI's own monitoring.
//!
//! # API boundary
//!
//! For the command `mpit` and for programs that evaluate files.
//!
//! # Invariants
//!
//! No input causes a panic. Invalid lines become [`Problem`]s with file and line; the rest is evaluated.

#![forbid(unsafe_code)]

mod columns;
mod comm_calls;
mod comm_groups;
pub mod data;
pub mod export;
pub mod html;
pub mod input;
mod job;
mod job_part;
pub mod json;
pub mod matrix;
mod missing;
mod node_list;
mod nodes;
mod origins;
pub mod pack;
mod parquet_file;
pub mod picture;
mod problem;
mod program_parts;
mod rank_times;
mod ranks;
pub mod records;
pub mod screen;
pub mod series;
pub mod summary;
mod text_view;
#[doc(hidden)]
pub mod units;
mod variables;

pub use comm_calls::{CallTimes, CommCalls};
pub use comm_groups::{Collectives, CommGroup};
pub use job::Job;
pub use missing::Missing;
pub use mpit_format::rows::Kind;
pub use mpit_format::summary::Traffic;
pub use mpit_placement::{Cell, CellRange, Matrix};
pub use nodes::{NodePair, Nodes};
pub use problem::Problem;
pub use program_parts::ProgramParts;
pub use rank_times::RankTime;
pub use variables::Variables;
