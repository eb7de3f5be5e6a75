//! Files of one process.

use crate::reports::{assert_same, report};

/// Reads bytes as the file of rank 0, and as a file of several processes.
pub fn target(data: &[u8]) {
    let one = report(&[("run.0.prof", data)]);
    let several = report(&[("run.prof", data)]);
    if one.problems.is_empty() && several.problems.is_empty() {
        assert_same(&one, &several);
    }
}
