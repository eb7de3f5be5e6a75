//! Fuzz targets: functions that take any bytes, and panic if the code under test handles them wrongly.
//!
//! `cargo fuzz` (`fuzz/`) calls them, and so does the test `replay`, with the inputs in `seeds/` and mutations of these. The
//! sanitizer finds invalid memory accesses. No other crate uses the targets.

#![allow(clippy::missing_panics_doc, reason = "a target panics on a wrong result of the code under test")]

pub mod container;
pub mod interface;
pub mod parameters;
pub mod prof;
mod reports;
pub mod store;
pub mod tables;
