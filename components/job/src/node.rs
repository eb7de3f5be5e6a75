//! The machine on which this process runs.

use std::fs;

/// Returns the name of this machine, as the files of its processes have it; empty if it is not known.
#[must_use]
pub fn this_node() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}
