//! Tests that need a process of their own: for the allocations or memory of a process, for all communicators of a process,
//! or for a setting that is read once.

#[path = "../../../core/tests/interface/support/process.rs"]
mod process;
#[path = "../support/mod.rs"]
mod support;

mod coll_model;
mod memory;
mod memory_coll;
mod phases;
mod sessions;
mod threads;
mod warm;

use process::in_own_process;

/// Returns the bytes of memory that this process has in use.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
