//! Files of stores, as killed processes leave them.

use mpit_format::store;

use crate::reports::report;

/// The upper half of the size of the world. Large worlds need much time and memory, which another test measures.
const LARGE: std::ops::Range<usize> = 22..24;

/// Reads bytes as the file of a store. If it is valid, so must be the text made of it.
pub fn target(data: &[u8]) {
    let mut bytes = data.to_vec();
    if let Some(large) = bytes.get_mut(LARGE) {
        large.fill(0);
    }
    let has_header = store::is_store(&bytes[..bytes.len().min(8)]);
    let _ = store::current::read(&bytes);
    let Ok(left) = store::read(&bytes, None) else { return };
    assert!(has_header, "a valid store must have the header of one");
    let text = left.file_text();
    let job = report(&[(&format!("run.{}.prof", left.rank), &text)]);
    assert!(job.problems.is_empty(), "{:?}\n{}", job.problems, String::from_utf8_lossy(&text));
}
