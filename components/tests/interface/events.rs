//! The events of the frameworks and of communicators and windows, as callbacks see them.

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use mpit::event::Safety;
use mpit::object::{Bind, OUTSIDE, Object};
use mpit::tool::{Datatype, EnumItem, EventDesc, EventInstance, Listener, Registry, Tool, Verbosity};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::windows;

use super::alone;
use super::support::create_world;

const EVENTS: [(&str, Bind, &[&str]); 8] = [
    ("comm_created", Bind::NoObject, &["communicator", "size", "remote", "neighbors"]),
    ("comm_freed", Bind::NoObject, &["communicator"]),
    ("win_created", Bind::NoObject, &["window", "size"]),
    ("win_freed", Bind::NoObject, &["window"]),
    ("osc_accessed", Bind::Win, &["window", "target", "world_target", "kind", "sent", "received"]),
    ("coll_begin", Bind::Comm, &["kind", "root", "bytes", "communicator", "sequence"]),
    ("coll_end", Bind::Comm, &["kind", "root", "bytes", "communicator", "sequence"]),
    ("pml_message_sent", Bind::Comm, &["dest", "world_dest", "tag", "mode", "bytes", "communicator"]),
];

/// The received events: the place in [`EVENTS`], and the elements.
static RECEIVED: Mutex<Vec<(usize, Vec<i64>)>> = Mutex::new(Vec::new());

fn received() -> Vec<(usize, Vec<i64>)> {
    std::mem::take(&mut RECEIVED.lock().unwrap_or_else(PoisonError::into_inner))
}

fn desc(event: usize) -> &'static EventDesc {
    let registry = Registry::global();
    registry.event_index(EVENTS[event].0).and_then(|index| registry.event(index)).unwrap()
}

fn receive(event: usize, instance: &EventInstance) {
    let element = |at: usize| match desc(event).elements()[at].datatype() {
        Datatype::Int => i64::from(instance.read::<i32>(at).unwrap()),
        Datatype::Int64 | Datatype::Count => instance.read::<i64>(at).unwrap(),
        _ => instance.read::<u64>(at).unwrap().cast_signed(),
    };
    let elements = (0..EVENTS[event].2.len()).map(element).collect();
    RECEIVED.lock().unwrap_or_else(PoisonError::into_inner).push((event, elements));
}

fn listen<'t>(tool: &'t Tool, event: usize, object: Option<&Object<'_>>) -> Listener<'t> {
    let receive = move |instance: &EventInstance| receive(event, instance);
    tool.listen(EVENTS[event].0, object, Safety::None, receive).unwrap()
}

/// Checks that the description of an event lists these values with their numbers, which are their positions.
fn assert_documented(event: usize, values: impl IntoIterator<Item = impl Debug>) {
    let text = desc(event).description().replace('_', "");
    let listed: Vec<_> = text.split([',', '.', ':']).map(str::trim).collect();
    for (number, value) in values.into_iter().enumerate() {
        let wanted = format!("{number} {value:?}").to_lowercase();
        assert!(listed.contains(&wanted.as_str()), "{wanted} is not in: {text}");
    }
}

fn number(comm: CommId) -> i64 {
    comm.get().cast_signed()
}

#[test]
fn event_types_have_metadata() {
    let _alone = alone();
    for (event, (name, bind, elements)) in EVENTS.into_iter().enumerate() {
        let desc = desc(event);
        assert_eq!((desc.name(), desc.bind(), desc.verbosity()), (name, bind, Verbosity::UserDetail));
        let names: Vec<_> = desc.element_names().unwrap().items().iter().map(EnumItem::name).collect();
        assert_eq!(names, elements, "{name}");
        assert_eq!(desc.source().name(), "mpit", "{name}");
        assert!(!desc.description().is_empty() && desc.categories().len() == 1, "{name}");
    }
}

#[test]
fn object_creation_and_release_are_events() {
    let (_alone, tool) = alone();
    let listeners = [0, 1, 2, 3].map(|event| listen(&tool, event, None));
    let world = create_world(5);
    let bridge = Description::new(Ranks::List([3, 1].into()), "bridge");
    let remote = comms::created(Description { remote: true, neighbors: [1, 1, 3].into(), ..bridge });
    comms::freed(world);
    // Only once.
    comms::freed(world);
    let window = windows::created(3);
    windows::freed(window);
    let window = window.get().cast_signed();
    assert_eq!(
        received(),
        [
            (0, vec![number(world), 5, 0, 0]),
            (0, vec![number(remote), 2, 1, 3]),
            (1, vec![number(world)]),
            (2, vec![window, 3]),
            (3, vec![window]),
        ]
    );
    drop(listeners);
    comms::freed(remote);
    assert!(received().is_empty());
}

/// A callback may query the object that it was just notified of.
#[test]
fn nothing_is_locked_while_callbacks_run() {
    let (_alone, tool) = alone();
    let query = |_: &EventInstance| {
        assert!(comms::live().iter().all(|comm| comms::get(comm.id).is_some()));
        windows::freed(windows::created(1));
        RECEIVED.lock().unwrap_or_else(PoisonError::into_inner).push((usize::MAX, Vec::new()));
    };
    let _listeners = [0, 1].map(|event| tool.listen(EVENTS[event].0, None, Safety::None, query).unwrap());
    comms::freed(create_world(5));
    assert_eq!(received().len(), 2);
}

#[test]
fn messages_are_delivered() {
    let (_alone, tool) = alone();
    let [comm, other] = [3, 3].map(create_world);
    let listener = listen(&tool, 7, Some(&Object::world(comm.get(), 3)));
    assert!(pml::active());
    pml::sent(&Send::new(other, 1, 1, 8, 0, Mode::Standard));
    for mode in Mode::ALL {
        pml::sent(&Send::new(comm, 1, OUTSIDE, 8, -5, mode));
    }
    assert_documented(7, Mode::ALL);
    let expected: Vec<_> = (0..4).map(|mode| (7, vec![1, -1, -5, mode, 8, number(comm)])).collect();
    assert_eq!(received(), expected);
    drop(listener);
    assert!(!pml::active());
}

#[test]
fn accesses_are_delivered() {
    let (_alone, tool) = alone();
    assert!(!osc::active());
    let [window, other] = [3, 3].map(windows::created);
    let listener = listen(&tool, 4, Some(&Object::new(Bind::Win, window.get())));
    assert!(osc::active());
    osc::accessed(&Access::new(other, 1, 1, osc::Kind::Put, 4, 0));
    for kind in osc::Kind::ALL {
        osc::accessed(&Access::new(window, 1, OUTSIDE, kind, 4, 8));
    }
    assert_documented(4, osc::Kind::ALL);
    let window = window.get().cast_signed();
    let expected: Vec<_> = (0..6).map(|kind| (4, vec![window, 1, -1, kind, 4, 8])).collect();
    assert_eq!(received(), expected);
    drop(listener);
    assert!(!osc::active());
}

#[test]
fn begin_and_end_share_a_sequence_number() {
    let (_alone, tool) = alone();
    let [one, other] = [3, 3].map(create_world);
    let object = Object::world(one.get(), 3);
    assert!(!coll::active());
    let begins = listen(&tool, 5, Some(&object));
    assert!(coll::active());
    let ends = listen(&tool, 6, Some(&object));
    let operation = |comm, kind, root, volume| Operation::new(comm, kind, 2, 3, root, volume, false);
    let bcast = operation(one, Kind::Bcast, Root::At(1), Volume::Each(8));
    let reduce = operation(one, Kind::Reduce, Root::Here, Volume::Each(0));
    let alltoallw = operation(one, Kind::NeighborAlltoallw, Root::None, Volume::By(&|_| 1));
    for operation in [&bcast, &operation(other, Kind::Barrier, Root::None, Volume::Each(0)), &alltoallw] {
        coll::begin(operation);
        coll::end(operation);
    }
    // An operation that fails has no end, and one whose beginning was not reported has no begin.
    coll::begin(&reduce);
    coll::begin(&bcast);
    coll::end(&bcast);
    coll::end(&reduce);
    drop(begins);
    coll::begin(&bcast);
    coll::end(&bcast);
    let id = number(one);
    assert_eq!(
        received(),
        [
            (5, vec![0, 1, 8, id, 1]),
            (6, vec![0, 1, 8, id, 1]),
            (5, vec![21, -1, -1, id, 2]),
            (6, vec![21, -1, -1, id, 2]),
            (5, vec![5, 2, 0, id, 3]),
            (5, vec![0, 1, 8, id, 4]),
            (6, vec![0, 1, 8, id, 4]),
            (6, vec![5, 2, 0, id, 5]),
            (6, vec![0, 1, 8, id, 6]),
        ]
    );
    drop(ends);
    assert!(!coll::active());
}

#[test]
fn kinds_have_their_documented_numbers() {
    let (_alone, tool) = alone();
    let comm = create_world(1);
    let _listener = listen(&tool, 6, Some(&Object::world(comm.get(), 1)));
    for kind in Kind::ALL {
        coll::end(&Operation::new(comm, kind, 0, 1, Root::None, Volume::Each(0), false));
    }
    let numbers: Vec<_> = received().iter().map(|(_, elements)| elements[0]).collect();
    assert!(numbers.into_iter().eq(0..22));
    assert_documented(5, Kind::ALL);
}
