//! What the tests that cross mpit's crates have in common: the MPI libraries of this machine ([`stacks`]), programs built
//! and run on them ([`build`], [`launch`]), and readers of what those programs write ([`prof`], [`inventory`]).
//!
//! A test on real MPI libraries is one call of [`stacks::for_each`]: nothing is skipped in silence, since every stack that
//! could not be had is named, with the reason, in the summary that `cargo xtask test` prints last.

pub mod build;
pub mod failure;
pub mod inventory;
pub mod launch;
pub mod paths;
pub mod plugins;
pub mod prof;
pub mod record;
pub mod rust_plugins;
pub mod stacks;
pub mod stubs;

pub use failure::{Context, Failure, Outcome};
