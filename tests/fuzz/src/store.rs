//! Files of stores that processes left.

use mpit_components::store;

use crate::reports::report;

/// The upper half of the number of processes of the world. Large worlds are a matter of time and memory, for which there
/// is another test.
const LARGE: std::ops::Range<usize> = 22..24;

/// Reads bytes as the file of a store. The text of a file that is understood is understood as well.
pub fn target(data: &[u8]) {
    let mut bytes = data.to_vec();
    if let Some(large) = bytes.get_mut(LARGE) {
        large.fill(0);
    }
    let begins_well = store::is_store(&bytes[..bytes.len().min(8)]);
    let Ok(left) = store::read(&bytes) else { return };
    assert!(begins_well, "a store is known by its beginning");
    let text = left.text();
    let job = report(&[(&format!("run.{}.prof", left.world.rank), &text)]);
    assert!(job.problems.is_empty(), "{:?}\n{}", job.problems, String::from_utf8_lossy(&text));
}
