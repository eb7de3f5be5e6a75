//! The variables of `osc monitoring`, through the interface that tools use.

use std::sync::atomic::AtomicU32;

use mpit::object::{Bind, OUTSIDE, Object};
use mpit::tool::{Class, Handle, Session};
use mpit_components::osc::{self, Access, Kind};
use mpit_components::windows::{self, WindowId};

use super::alone;
use super::support::access;

const ARRAYS: [&str; 4] =
    ["messages_sent_count", "messages_sent_size", "messages_recv_count", "messages_recv_size"];

const TOTALS: [(&str, Class); 4] = [
    ("messages_sent", Class::Counter),
    ("bytes_sent", Class::Aggregate),
    ("messages_recv", Class::Counter),
    ("bytes_recv", Class::Aggregate),
];

fn arrays<'s>(session: &'s Session<'_>, comm: &Object<'_>) -> [Handle<'s>; 4] {
    ARRAYS.map(|what| session.handle(&format!("osc_monitoring_{what}"), Class::Size, Some(comm)).unwrap())
}

/// Returns handles of all totals: with a window, of the variables that are bound to the window.
fn totals<'s>(session: &'s Session<'_>, window: Option<WindowId>) -> [Handle<'s>; 4] {
    let object = window.map(|window| Object::new(Bind::Win, window.get()));
    let infix = if window.is_some() { "window_" } else { "" };
    TOTALS.map(|(what, class)| {
        session.handle(&format!("osc_monitoring_{infix}{what}_total"), class, object.as_ref()).unwrap()
    })
}

fn first(handle: &Handle<'_>) -> u64 {
    handle.read::<u64>().unwrap()[0]
}

/// Each kind of access of 12 bytes, with what it counts: messages and bytes sent, messages and bytes received.
const KINDS: [(Kind, u64, u64, [u64; 4]); 8] = [
    (Kind::Put, 12, 0, [1, 12, 0, 0]),
    (Kind::Put, 0, 0, [1, 0, 0, 0]),
    (Kind::Get, 0, 12, [1, 0, 1, 12]),
    (Kind::Accumulate, 12, 0, [1, 12, 0, 0]),
    (Kind::GetAccumulate, 12, 12, [1, 12, 1, 12]),
    // With MPI_NO_OP.
    (Kind::GetAccumulate, 0, 12, [1, 0, 1, 12]),
    (Kind::FetchAndOp, 12, 12, [1, 12, 1, 12]),
    (Kind::CompareAndSwap, 12, 12, [1, 12, 1, 12]),
];

#[test]
fn each_kind_of_access_counts_what_it_moves() {
    let (_alone, tool) = alone();
    let window = windows::created(2);
    for (kind, sent, received, expected) in KINDS {
        let session = tool.session().unwrap();
        let handles = arrays(&session, &Object::world(1, 4));
        session.start_all().unwrap();
        osc::accessed(&Access::new(window, 0, 3, kind, sent, received));
        let shown = handles.map(|handle| handle.read::<u64>().unwrap());
        assert_eq!(shown, expected.map(|value| [0, 0, 0, value]), "{kind:?}");
    }
    windows::freed(window);
}

#[test]
fn arrays_show_members_and_totals_show_all() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let members: Vec<AtomicU32> = [3, OUTSIDE, 1].map(AtomicU32::new).into();
    let arrays = arrays(&session, &Object::comm(7, &members));
    let totals = totals(&session, None);
    let window = windows::created(4);
    access(window, 3, Kind::Put, 1000, 0);
    session.start_all().unwrap();
    // Also to the process itself.
    for (target, kind, sent, received) in [
        (3, Kind::Put, 1, 0),
        (3, Kind::Get, 0, 2),
        (1, Kind::FetchAndOp, 4, 4),
        (0, Kind::Put, 8, 0),
        (OUTSIDE, Kind::Get, 0, 16),
    ] {
        access(window, target, kind, sent, received);
    }
    let shown = arrays.map(|handle| handle.read::<u64>().unwrap());
    assert_eq!(shown, [[2, 0, 1], [1, 0, 4], [1, 0, 1], [2, 0, 4]]);
    assert_eq!(totals.each_ref().map(first), [5, 13, 3, 22]);
}

/// Each of many windows has its own sums. Slots are reused.
#[test]
fn windows_have_totals_of_their_own() {
    let (_alone, tool) = alone();
    let other = windows::created(4);
    let (kept, session) = (windows::created(4), tool.session().unwrap());
    windows::pin(kept);
    let of_kept = totals(&session, Some(kept));
    session.start_all().unwrap();
    let access = |window| access(window, 3, Kind::GetAccumulate, 8, 12);
    access(kept);
    windows::freed(kept);
    let mut numbers = std::collections::BTreeSet::from([kept, other]);
    for _ in 0..100 {
        let window = windows::created(4);
        assert!(numbers.insert(window));
        windows::pin(window);
        let handles = totals(&session, Some(window));
        session.start_all().unwrap();
        for window in [window, other, window] {
            access(window);
        }
        assert_eq!(handles.each_ref().map(first), [2, 16, 2, 24]);
        windows::freed(window);
    }
    assert_eq!(of_kept.each_ref().map(first), [1, 8, 1, 12]);
    let reused = numbers.iter().filter(|window| window.get() >> 40 != 0);
    assert!(reused.count() > 50, "{numbers:?}");
    windows::freed(other);
}

/// A tool's thread binds a handle to a window that another thread frees: the slot is that of a new window already.
#[test]
fn a_freed_window_has_no_new_totals() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    // Slots are used again, the one freed last first.
    let freed = windows::created(4);
    windows::freed(freed);
    let new = windows::created(4);
    windows::pin(new);
    windows::pin(freed);
    let [handle, ..] = totals(&session, Some(new));
    session.start_all().unwrap();
    access(new, 3, Kind::Put, 8, 0);
    assert_eq!(first(&handle), 1);
    windows::freed(new);
}
