//! The map of small integers.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::at_once;
use crate::sparse::Sparse;
use std::harness::Model;

pub(super) const MODELS: &[Model] = &[
    Model::new("sparse::values_are_made_once", values_are_made_once),
    Model::new("sparse::keys_stay_while_it_grows", keys_stay_while_it_grows),
];

/// Returns the value of a key, made with a content that is stored without order.
fn entry(map: &Sparse<AtomicU64>, key: u32) -> &AtomicU64 {
    let value = map.entry_with(key, || {
        let value = AtomicU64::new(0);
        value.store(u64::from(key) + 100, Relaxed);
        Some(value)
    });
    value.expect("there is memory")
}

/// Threads that use a key at once get the same value, whole.
fn values_are_made_once() {
    let map = Rc::new(Sparse::new());
    // Makes the table.
    entry(&map, 1);
    at_once(
        &map,
        [
            |map| _ = entry(map, 7).fetch_add(1000, Relaxed),
            |map| _ = entry(map, 7).fetch_add(1000, Relaxed),
            |map| {
                let value = map.get(7).map(|value| value.load(Relaxed));
                assert!(value.is_none_or(|value| value % 1000 == 107), "{value:?}");
            },
        ],
    );
    assert_eq!(map.len(), 2);
    assert_eq!(map.get(7).map(|value| value.load(Relaxed)), Some(2107));
}

/// Keys are found while another thread replaces the table by a larger one.
fn keys_stay_while_it_grows() {
    /// The number of keys that fill the first table.
    const FULL: u32 = 12;
    let map = Rc::new(Sparse::new());
    for key in 0..FULL {
        entry(&map, key);
    }
    at_once(
        &map,
        [
            |map| _ = entry(map, FULL),
            |map| {
                for key in [3, FULL, FULL - 1] {
                    let value = map.get(key).map(|value| value.load(Relaxed));
                    let is_right = value == Some(u64::from(key) + 100) || value.is_none() && key == FULL;
                    assert!(is_right, "{value:?} of {key}");
                }
            },
        ],
    );
    assert_eq!(map.len() as u32, FULL + 1);
}
