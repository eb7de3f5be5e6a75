//! Shared parts of the tests that involve several crates of mpit: the MPI libraries of this machine ([`stacks`]), building
//! and running programs on them ([`build`], [`launch`]), and readers of the programs' output ([`prof`], [`inventory`]). Jobs that never ran
//! are [`patterns`] of messages, and [`simulated`] files.
//!
//! A test on real MPI libraries is one call of [`stacks::for_each`]. No stack is skipped silently: the summary at the end
//! of `cargo xtask test` lists every stack that is not available, with the reason.
//!
//! # API boundary
//!
//! For the tests of this package and of others, and for `xtask`.
//!
//! # Invariants
//!
//! * As many jobs run at a time as the machine has processors, each under a time limit. A job whose times are compared runs alone.
//! * A test that cannot run says so in one line.

#![allow(clippy::missing_errors_doc, reason = "the text of a failure, which a test prints, says what failed")]

pub mod build;
pub mod cluster;
pub mod failure;
pub mod inventory;
pub mod landing_pads;
pub mod launch;
pub mod machine_lock;
pub mod paths;
pub mod patterns;
pub mod plugins;
pub mod prof;
pub mod record;
pub mod rust_plugins;
pub mod simulated;
pub mod site;
pub mod stacks;
pub mod stubs;

pub use failure::{Context, Failure, Outcome};
pub use launch::{Finished, Job};
pub use prof::Prof;
pub use stacks::{Stack, Vendor};

/// Compiles the Rust code of the project's README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
