//! Events and sources: their descriptors.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::{ffi::c_char, ptr};

use mpit::event::{Context, Event, Safety, Source};
use mpit::internal::desc::Element;
use mpit::internal::vocabulary::SourceOrder;
use mpit::object::Bind;
use mpit::tool::{Datatype, EnumItem, EventDesc, SourceDesc, Tool, Verbosity};
use mpit::{category, event, source};

/// The progress of messages.
///
/// In one process.
#[source(ordered)]
pub(crate) struct MessageEngine;

/// All other events.
#[source(unordered, name = "acme.else", component = "acme")]
#[derive(Clone, Copy, Debug)]
struct Else;

/// Events of messages.
#[category(name = "event.messages")]
struct Messages;

/// A message was sent,
/// and will not come back.
#[event(source = MessageEngine, bind = "COMM", category = [Messages], verbosity = "USER_DETAIL")]
#[derive(Debug, PartialEq)]
pub(crate) struct MessageSent {
    pub(crate) peer: i32,
    pub(crate) bytes: u64,
}

/// The number of listeners to either of the two events below.
static LISTENERS: AtomicU32 = AtomicU32::new(0);

/// The door opens.
#[event(source = Else, name = "acme.open", component = "acme", listeners = LISTENERS)]
struct Open {}

/// The door closes.
#[event(source = Else, name = "acme.close", component = "acme", listeners = LISTENERS)]
struct Close {}

/// All that an element can be.
#[event(source = Else, name = "acme.all", component = "acme")]
#[derive(Clone)]
#[repr(C)]
struct All {
    letter: c_char,
    int: i32,
    #[mpit(datatype = "INT32_T")]
    int32: i32,
    unsigned: u32,
    #[mpit(datatype = "UINT32_T")]
    uint32: u32,
    int64: i64,
    #[mpit(datatype = "COUNT")]
    count: i64,
    long_long: u64,
    #[mpit(datatype = "UNSIGNED_LONG")]
    long: std::ffi::c_ulong,
    #[mpit(datatype = "UINT64_T")]
    uint64: u64,
    double: f64,
    r#type: u32,
}

/// Nothing more to say.
#[event(source = Else, name = "acme.unit")]
struct Unit;

/// Nothing more to say, either.
#[event(source = Else, name = "acme.empty")]
struct Empty {}

/// An element whose type is not to be seen.
#[event(source = Else, name = "acme.alias")]
struct Alias {
    a: f64,
    #[doc = "The rest."]
    rest: Last,
}

type Last = i64;

fn names(desc: &EventDesc) -> Vec<&'static str> {
    let list = desc.element_names().expect("names");
    assert_eq!(list.name(), format!("{}_elements", desc.name()));
    assert!(list.items().iter().zip(0..).all(|(item, at)| item.value() == at));
    list.items().iter().map(EnumItem::name).collect()
}

#[test]
fn sources_are_registered() {
    let registry = Tool::new().registry();
    let find = |name: &str| -> &SourceDesc {
        registry.source_index(name).and_then(|index| registry.source(index)).expect(name)
    };
    let engine = find("message_engine");
    assert!(ptr::eq(engine, MessageEngine::DESC));
    assert_eq!((engine.order(), engine.component()), (SourceOrder::Ordered, "mpit-tests"));
    assert_eq!(engine.description(), "The progress of messages.\nIn one process.");
    assert!(engine.origin().to_string().contains("events.rs:"), "{}", engine.origin());
    let other = find("acme.else");
    assert_eq!((other.order(), other.component()), (SourceOrder::Unordered, "acme"));
    // C36: the clock runs.
    assert!(engine.ticks_per_second() >= 1 && engine.max_ticks() >= 1);
}

#[test]
fn events_are_registered() {
    let sent = crate::attributes::event("message_sent");
    assert!(ptr::eq(sent, MessageSent::DESC));
    assert_eq!((sent.bind(), sent.verbosity()), (Bind::Comm, Verbosity::UserDetail));
    assert_eq!(sent.component(), "mpit-tests");
    assert_eq!(sent.description(), "A message was sent, and will not come back.");
    assert!(ptr::eq(sent.source(), MessageEngine::DESC));
    assert_eq!(sent.categories().iter().map(|desc| desc.name()).collect::<Vec<_>>(), ["event.messages"]);
    assert_eq!(names(sent), ["peer", "bytes"]);
    let unit = crate::attributes::event("acme.unit");
    assert_eq!((unit.bind(), unit.verbosity()), (Bind::NoObject, Verbosity::TunerDetail));
}

/// Proves C32, R239, R242.
#[test]
fn element_offsets_are_the_compilers() {
    use Datatype::{
        Char, Count, Double, Int, Int32, Int64, Uint32, Uint64, Unsigned, UnsignedLong, UnsignedLongLong,
    };
    let all = crate::attributes::event("acme.all");
    let datatypes: Vec<_> = all.elements().iter().map(Element::datatype).collect();
    let small = [Char, Int, Int32, Unsigned, Uint32];
    let large = [Int64, Count, UnsignedLongLong, UnsignedLong, Uint64, Double];
    assert_eq!(datatypes, [&small[..], &large, &[Unsigned]].concat());
    let starts: Vec<_> = all.elements().iter().map(Element::displacement).collect();
    assert_eq!(starts, [0, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72]);
    assert_eq!((all.extent(), size_of::<All>()), (76, 80));
    let expected = "letter int int32 unsigned uint32 int64 count long_long long uint64 double type";
    assert_eq!(names(all).join(" "), expected);
    assert_eq!(crate::attributes::event("acme.alias").elements()[1].datatype(), Int64);
}

/// Proves R246.
#[test]
fn event_may_have_no_elements() {
    for name in ["acme.unit", "acme.empty"] {
        let desc = crate::attributes::event(name);
        assert_eq!((desc.elements().len(), desc.extent()), (0, 0), "{name}");
        assert!(desc.element_names().is_none(), "{name}");
    }
    Unit::raise(Context::ANYWHERE, || Unit);
    Empty::raise(Context::ANYWHERE, || Empty {});
}

#[test]
fn one_word_counts_listeners_of_all_events() {
    let tool = Tool::new();
    let listen = |name| tool.listen(name, None, Safety::None, |_| ()).expect("a registration");
    assert_eq!(LISTENERS.load(SeqCst), 0);
    let listeners = ["acme.open", "acme.close", "acme.open"].map(listen);
    assert_eq!(LISTENERS.load(SeqCst), 3);
    assert!(Open::DESC.has_listeners() && Close::DESC.has_listeners());
    drop(listeners);
    assert_eq!(LISTENERS.load(SeqCst), 0);
}
