//! The append-only list.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::at_once;
use crate::log::Log;
use std::harness::Model;

pub(super) const MODELS: &[Model] =
    &[Model::new("log::items_are_whole", items_are_whole), Model::new("log::one_writer", one_writer)];

/// Returns an item whose content was stored without order.
fn item(content: u64) -> AtomicU64 {
    let item = AtomicU64::new(0);
    item.store(content, Relaxed);
    item
}

/// A reader that sees an item sees its content and all earlier items, also of a new chunk.
fn items_are_whole() {
    const FIRST_CHUNK: u64 = 16;
    let log = Rc::new(Log::new());
    for content in 1..FIRST_CHUNK {
        log.push(item(content)).unwrap();
    }
    at_once(
        &log,
        [
            |log| {
                log.push(item(FIRST_CHUNK)).unwrap();
                log.push(item(FIRST_CHUNK + 1)).unwrap();
            },
            |log| {
                for index in [FIRST_CHUNK, FIRST_CHUNK - 1] {
                    let content = log.get(index as usize).map(|item| item.load(Relaxed));
                    assert!(content.is_none_or(|content| content == index + 1), "{content:?} at {index}");
                }
            },
        ],
    );
}

/// At least one of several writers appends, and no item is lost or at two places.
fn one_writer() {
    fn push(log: &(Log<AtomicU64>, AtomicU64), content: u64) {
        match log.0.push(item(content)) {
            Ok(index) => {
                assert_eq!(log.0.get(index).map(|item| item.load(Relaxed)), Some(content));
                log.1.fetch_add(1, Relaxed);
            }
            Err(item) => assert_eq!(item.load(Relaxed), content),
        }
    }
    let shared = Rc::new((Log::new(), AtomicU64::new(0)));
    at_once(&shared, [|log| push(log, 1), |log| push(log, 2), |log| push(log, 3)]);
    let (log, pushed) = &*shared;
    assert!(!log.is_empty());
    assert_eq!(log.len() as u64, pushed.load(Relaxed));
    push(&shared, 4);
    assert_eq!(shared.0.len() as u64, shared.1.load(Relaxed), "the list is not locked");
}
