//! Programs on real MPI libraries, with mpit preloaded: the records, the view of tools, and the absence of
//! side effects.
//!
//! Each test runs on every stack of this machine that it applies to; see `mpit_tests::stacks`.

mod bad_calls;
mod coll;
mod components;
mod doctor;
mod final_output;
mod foreign;
mod fortran;
mod harmless;
mod implementor;
mod init_to_finalize;
mod inventories;
mod killed;
mod languages;
mod library_detection;
mod lifecycle;
mod linked;
mod many_ranks;
mod middleware;
mod native;
mod native_off;
mod nested_calls;
mod pcontrol;
mod plugins;
mod reentrant;
mod report;
mod ring;
mod rows;
mod sends;
mod session_isolation;
mod signals;
mod soak;
mod symbols;
mod tools;
mod unaffected_programs;
mod unusual_messages;
mod vars;
mod workloads;
mod worlds;

use mpit_tests::{Context, Outcome, prof::Prof};
use std::path::Path;

/// The setting that enables monitoring.
const MONITORED: (&str, &str) = ("pml_monitoring_enable", "2");

/// Returns the settings that write the records to `stem.<rank>.prof` at the end of the run.
fn written_to(stem: &str) -> [(&str, &str); 3] {
    [MONITORED, ("pml_monitoring_enable_output", "3"), ("pml_monitoring_filename", stem)]
}

/// Reads the files that `ranks` processes wrote for the stem.
fn read_all(stem: &Path, ranks: u32) -> Outcome<Vec<Prof>> {
    (0..ranks).map(|rank| Prof::read(stem, rank)).collect::<Outcome<_>>().context("what monitoring wrote")
}
