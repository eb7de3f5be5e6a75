//! Sources and event types: R217 to R246 as far as this crate has them.

use std::time::Instant;

use mpit::event::{Context, Event as _, Safety};
use mpit::internal::desc::{Element, LARGEST_EVENT};
use mpit::internal::registry::Image;
use mpit::internal::session::{Interface, Limits};
use mpit::internal::vocabulary::SourceOrder;
use mpit::object::Bind;
use mpit::tool::{Datatype, EnumDesc, EventDesc, Registry, Tool, Verbosity};

use super::fixture::{Delivered, EventFixture, Payload};
use crate::support::metadata::variable;
use crate::support::{assert_refusals, enumeration, event, leak, refusals, source};

fn image(events: impl IntoIterator<Item = EventDesc>) -> Image {
    let mut image = Image::new("test");
    image.events = events.into_iter().map(|desc| leak(desc) as &_).collect();
    image
}

/// Proves R217, R226, R229, R230.
#[test]
fn indices_and_names_stay() {
    let registry = Registry::new();
    let (beta, alpha) = (source("beta"), source("alpha"));
    let first = image([event("sent", &[], beta), event("arrived", &[], alpha)]);
    assert!(registry.add(&first, &[]).is_empty());
    let names = || (0..registry.source_count()).map(|index| registry.source(index).unwrap().name());
    assert!(names().eq(["alpha", "beta"]));
    let event_names = || (0..registry.event_count()).map(|index| registry.event(index).unwrap().name());
    assert!(event_names().eq(["arrived", "sent"]));
    let second = image([event("Sent", &[], source("Alpha")), event("a", &[], alpha)]);
    assert!(registry.add(&second, &[]).is_empty());
    assert!(names().eq(["alpha", "beta", "Alpha"]));
    assert!(event_names().eq(["arrived", "sent", "Sent", "a"]));
    for (index, name) in (0..).zip(event_names()) {
        assert_eq!(registry.event_index(name), Some(index));
    }
    for (index, name) in (0..).zip(names()) {
        assert_eq!(registry.source_index(name), Some(index));
    }
    assert_eq!((registry.event_index("none"), registry.source_index("none")), (None, None));
}

/// Proves R220, R231.
#[test]
fn indices_out_of_range_have_no_answer() {
    let fixture = EventFixture::new();
    let registry = fixture.bench.registry();
    assert!(registry.source(1).is_none() && registry.source(u32::MAX).is_none());
    assert!(registry.event(2).is_none() && registry.event(u32::MAX).is_none());
}

/// Proves R226, R229.
#[test]
fn names_are_unique_and_not_empty() {
    let registry = Registry::new();
    let clock = source("clock");
    assert!(registry.add(&image([event("sent", &[], clock)]), &[]).is_empty());
    for (events, what) in [
        (event("sent", &[], clock), "event `sent`"),
        (event("", &[], clock), "event ``"),
        (event("late", &[], source("clock")), "source `clock`"),
        (event("early", &[], source("")), "source ``"),
    ] {
        let messages = refusals(&registry, &image([events]));
        assert!(messages.first().is_some_and(|line| line.contains(what)), "{messages:?}");
    }
    assert_eq!((registry.event_count(), registry.source_count()), (1, 1));
}

/// Proves R218, R232, R241, R244.
#[test]
fn descriptors_answer_as_written() {
    let names: &'static EnumDesc =
        enumeration("parts", &[(0, "number"), (1, "peer"), (2, "share"), (3, "letter")]);
    let clock = source(variable("clock").with_description("ticks"));
    let sent = variable("sent").with_description("a message").with_enumeration(names);
    let desc = event(sent, Payload::ELEMENTS, clock).with_bind(Bind::Comm);
    let registry = Registry::new();
    let desc = desc.with_verbosity(Verbosity::UserBasic);
    assert!(registry.add(&image([desc, event("bare", &[], clock)]), &[]).is_empty());
    let desc = registry.event(registry.event_index("sent").unwrap()).unwrap();
    assert_eq!(
        (desc.bind(), desc.verbosity(), desc.description()),
        (Bind::Comm, Verbosity::UserBasic, "a message")
    );
    assert_eq!(desc.element_names().map(EnumDesc::name), Some("parts"));
    assert_eq!(desc.extent(), 25);
    let bare = registry.event(registry.event_index("bare").unwrap()).unwrap();
    assert!(bare.element_names().is_none());
    assert_eq!((bare.bind(), bare.extent()), (Bind::NoObject, 0));
    assert_eq!((clock.order(), clock.description()), (SourceOrder::Unordered, "ticks"));
}

/// Proves R239.
#[test]
fn elements_are_consecutive_from_zero() {
    const WORD: Datatype = Datatype::Uint64;
    for (elements, why) in [
        (vec![Element::new(WORD, 8)], "does not lie at the start"),
        (vec![Element::new(WORD, 0), Element::new(WORD, 4)], "its elements overlap"),
        (vec![Element::new(WORD, 0), Element::new(WORD, 0)], "its elements overlap"),
        (vec![Element::new(WORD, 0), Element::new(WORD, LARGEST_EVENT)], "larger than"),
    ] {
        let image = image([event("sent", leak(elements), source("clock"))]);
        assert_refusals(&Registry::new(), &image, &[why]);
    }
}

/// Proves R242.
#[test]
fn enumeration_names_each_element() {
    for items in [&[(0, "number")][..], &[(0, "a"), (1, "b"), (2, "c"), (4, "d")]] {
        let sent = variable("sent").with_enumeration(enumeration("parts", items));
        let desc = event(sent, Payload::ELEMENTS, source("clock"));
        assert_refusals(&Registry::new(), &image([desc]), &["does not name its elements"]);
    }
}

/// Proves R219.
#[test]
fn ordered_time_stamps_never_fall() {
    let fixture = EventFixture::new();
    fixture.listen('a').on(Safety::None);
    fixture.listen_bound('b', 1).on(Safety::None);
    for number in 0..1000 {
        fixture.send(number, Safety::None);
        fixture.see(number, 1);
    }
    let deliveries = fixture.log.deliveries.lock().unwrap();
    assert_eq!(deliveries.len(), 2000);
    assert!(deliveries.is_sorted_by_key(|delivery| delivery.2));
}

/// Proves R221, R223.
#[test]
fn event_time_lies_between_clock_reads() {
    for order in [SourceOrder::Ordered, SourceOrder::Unordered] {
        let fixture = EventFixture::with(order, Limits::default());
        fixture.listen('a').on(Safety::None);
        let clock = fixture.source;
        for number in 0..1000 {
            let before = clock.timestamp();
            fixture.send(number, Safety::None);
            let after = clock.timestamp();
            let time = fixture.log.deliveries.lock().unwrap().pop().unwrap().2;
            assert!(before <= time && time <= after, "{before} {time} {after}");
            assert!(0 <= before && after <= clock.max_ticks());
        }
    }
}

/// Proves R222.
#[test]
fn ticks_have_the_declared_length() {
    let clock = source("clock");
    let rate = clock.ticks_per_second();
    assert!(rate >= 1);
    assert_eq!(clock.ticks_per_second(), rate);
    let outer = Instant::now();
    let first = clock.timestamp();
    let inner = Instant::now();
    while clock.timestamp() - first < rate / 20 {
        std::thread::yield_now();
    }
    let inner = inner.elapsed().as_secs_f64();
    let seconds = (clock.timestamp() - first) as f64 / rate as f64;
    let outer = outer.elapsed().as_secs_f64();
    // The rate of a counter of the processor is measured, with an error.
    assert!(inner * 0.9 < seconds && seconds < outer * 1.1, "{inner} s < {seconds} s by ticks < {outer} s");
}

/// The source of the event below.
#[mpit::source(unordered)]
struct Wire;

/// A message was sent.
#[mpit::event(source = Wire)]
struct SentByWire {
    number: u64,
    peer: i32,
}

/// Proves R247.
#[test]
fn payload_is_computed_only_for_listeners() {
    let _tool = Tool::new();
    SentByWire::raise(Context::ANYWHERE, || unreachable!("no listener is there"));
    let fixture = EventFixture::new().on_interface(Interface::global());
    let tool = fixture.listen_to("sent_by_wire", 'a').on(Safety::ThreadSafe);
    SentByWire::raise(Context::requiring(Safety::ThreadSafe), || SentByWire { number: 8, peer: 3 });
    fixture.assert_delivered(&[('a', Delivered::Event(8, Safety::ThreadSafe, Safety::ThreadSafe))]);
    tool.free_without_callback().unwrap();
    SentByWire::raise(Context::ANYWHERE, || unreachable!("no listener is left"));
}
