//! Slot tables.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::at_once;
use crate::slots::Slots;
use std::harness::Model;

pub(super) const MODELS: &[Model] = &[
    Model::new("slots::owners_are_alone", owners_are_alone),
    Model::new("slots::kept_slots_have_one_owner", kept_slots_have_one_owner),
    Model::new("slots::free_list_has_no_aba", free_list_has_no_aba),
    Model::new("slots::old_identifiers_read_nothing", old_identifiers_read_nothing),
    Model::new("slots::taken_slots_have_new_identifiers", taken_slots_have_new_identifiers),
    Model::new("slots::items_end_once", items_end_once),
    Model::new("slots::items_are_filled", items_are_filled),
    Model::new("slots::limit_holds", limit_holds),
];

type Table<const KEEPS: bool = false> = Slots<(), AtomicU64, KEEPS>;

fn table(limit: usize) -> Table {
    Slots::new(0x4d, limit)
}

/// Takes a slot for an owner. The slot must be as the last owner left it.
fn take<const KEEPS: bool>(table: &Table<KEEPS>, owner: u64) -> Option<u64> {
    let fill = |item: &AtomicU64, _| {
        assert_eq!(item.load(Relaxed), 0, "the slot has another owner");
        item.store(owner, Relaxed);
    };
    table.take((), AtomicU64::default, fill)
}

/// Frees a slot of an owner.
fn end<const KEEPS: bool>(table: &Table<KEEPS>, id: u64, owner: u64) {
    let retire = |item: &AtomicU64| {
        assert_eq!(item.load(Relaxed), owner, "the slot has another owner");
        item.store(0, Relaxed);
    };
    assert!(table.end(id, retire));
}

/// Takes a slot and frees it.
fn turn<const KEEPS: bool>(table: &Table<KEEPS>, owner: u64) {
    if let Some(id) = take(table, owner) {
        assert_eq!(table.get(id).map(|item| item.load(Relaxed)), Some(owner));
        end(table, id, owner);
    }
}

/// No other thread takes the slot that is kept for the first one.
fn kept_slots_have_one_owner() {
    let table = Rc::new(Table::<true>::new(0x4d, 2));
    turn(&table, 1);
    at_once(&table, [|table| turn(table, 2), |table| turn(table, 3)]);
}

/// A slot belongs to one thread at a time, which sees what the last one left.
fn owners_are_alone() {
    let table = Rc::new(table(1));
    let id = take(&table, 1).unwrap();
    end(&table, id, 1);
    at_once(&table, [|table| turn(table, 2), |table| turn(table, 3)]);
    assert!(take(&table, 4).is_some(), "the slot is lost");
}

/// A slot that was taken and freed while another thread takes it is still on the free list once.
fn free_list_has_no_aba() {
    let table = table(2);
    for id in [(); 2].map(|()| take(&table, 1).unwrap()) {
        end(&table, id, 1);
    }
    let shared = Rc::new((table, AtomicU64::new(0)));
    at_once(
        &shared,
        [
            |(table, taken)| {
                if take(table, 2).is_some() {
                    taken.fetch_add(1, Relaxed);
                }
            },
            |(table, _)| {
                let first = take(table, 3).expect("one of two slots");
                let second = take(table, 3);
                end(table, first, 3);
                if let Some(id) = second {
                    end(table, id, 3);
                }
            },
        ],
    );
    let (table, taken) = &*shared;
    let free = (0..3).filter_map(|_| take(table, 4)).count() as u64;
    assert_eq!(taken.load(Relaxed) + free, 2);
}

/// A table, and the identifier of the first owner of its slot.
struct Reused {
    table: Table,
    id: u64,
}

/// A read with the identifier of a freed item returns nothing or its own content, even while the slot is used again.
fn old_identifiers_read_nothing() {
    let table = table(1);
    let id = take(&table, 1).unwrap();
    at_once(
        &Rc::new(Reused { table, id }),
        [
            |reused| {
                end(&reused.table, reused.id, 1);
                take(&reused.table, 2).expect("the only slot is free");
            },
            |reused| {
                let content = reused.table.get_with(reused.id, |item| Some(item.load(Relaxed)));
                assert!(content.is_none_or(|content| content == 1), "{content:?}");
            },
        ],
    );
}

/// One of several threads that free an item succeeds, and retires it before the slot is used again.
fn items_end_once() {
    struct Ended {
        reused: Reused,
        times: AtomicU64,
    }
    fn end(ended: &Ended) {
        let retire = |item: &AtomicU64| item.store(0, Relaxed);
        if ended.reused.table.end(ended.reused.id, retire) {
            ended.times.fetch_add(1, Relaxed);
        }
    }
    let table = table(1);
    let id = take(&table, 1).unwrap();
    let ended = Rc::new(Ended { reused: Reused { table, id }, times: AtomicU64::new(0) });
    at_once(&ended, [end, end, |ended| _ = take(&ended.reused.table, 2)]);
    assert_eq!(ended.times.load(Relaxed), 1);
}

/// A reader with a valid identifier sees the item as it was filled.
fn items_are_filled() {
    let shared = Rc::new((table(1), AtomicU64::new(0)));
    at_once(
        &shared,
        [
            |(table, id)| id.store(take(table, 7).unwrap(), Relaxed),
            |(table, id)| {
                let content = table.get_with(id.load(Relaxed), |item| Some(item.load(Relaxed)));
                assert!(content.is_none_or(|content| content == 7), "{content:?}");
            },
        ],
    );
}

/// No more slots than the limit are in use.
fn limit_holds() {
    fn count((table, taken): &(Table, AtomicU64)) {
        if take(table, 1).is_some() {
            taken.fetch_add(1, Relaxed);
        }
    }
    let shared = Rc::new((table(1), AtomicU64::new(0)));
    at_once(&shared, [count, count]);
    assert_eq!(shared.1.load(Relaxed), 1);
}

/// A read with an identifier that was freed long ago returns nothing, even while another thread takes the slot.
fn taken_slots_have_new_identifiers() {
    let table = table(1);
    let id = take(&table, 1).unwrap();
    at_once(
        &Rc::new(Reused { table, id }),
        [
            |reused| end(&reused.table, reused.id, 1),
            |reused| _ = take(&reused.table, 2),
            |reused| {
                let content = reused.table.get_with(reused.id, |item| Some(item.load(Relaxed)));
                assert!(content.is_none_or(|content| content == 1), "{content:?}");
            },
        ],
    );
}
