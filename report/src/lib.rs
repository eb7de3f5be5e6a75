//! What monitoring wrote, read again: summaries, matrices and pictures of who sent how much to whom.
//!
//! [`input`] finds the files of one run, [`parse`] reads their text, and a [`Job`] is the sum of them: sparse, so that
//! memory grows with the pairs of processes that spoke to each other. [`summary`], [`matrix`], [`picture`] and
//! [`html`] make something of it. No MPI is needed here, and files of Open MPI's own monitoring are read as well.

#![forbid(unsafe_code)]

pub mod html;
pub mod input;
mod job;
pub mod matrix;
pub mod parse;
pub mod picture;
mod problem;
pub mod summary;
mod units;

pub use job::{Collectives, CommGroup, Job, Missing, Sum};
pub use matrix::{Cell, Kind, Matrix};
pub use problem::Problem;

/// How many bins a histogram of message sizes has: one for empty messages, then one for each power of two.
pub const BINS: usize = 66;
