//! Instances: R288 to R296, R297 as far as this crate has the calls, and the data of events that `#[mpit::event]` defines: R239,
//! R246.

use std::ffi::c_char;

use mpit::Error;
use mpit::event::{Context, Delivery, Event as _, InstanceId, Safety, instance};
use mpit::internal::desc::Element;
use mpit::internal::session::Interface;
use mpit::tool::{Datatype, Tool};

use super::fixture::{CallbackData, Delivered, EventFixture, LEVELS, Payload, number_of};

const EXTENT: usize = std::mem::offset_of!(Payload, letter) + 1;

fn copy_of(id: InstanceId) -> [u8; EXTENT + 8] {
    let mut bytes = [0xee; EXTENT + 8];
    // SAFETY: `bytes` is 8 bytes longer than the extent.
    unsafe { instance::copy(id, bytes.as_mut_ptr()) }.unwrap();
    bytes
}

fn read(id: InstanceId, element: i32) -> Result<[u8; 16], Error> {
    let mut bytes = [0xee; 16];
    // SAFETY: no element is larger than 8 bytes, and the buffer has 16.
    unsafe { instance::read(id, element, bytes.as_mut_ptr()) }.map(|()| bytes)
}

/// Proves R288.
#[test]
fn instance_ends_with_the_raise() {
    let fixture = EventFixture::new();
    fixture.listen('a').on(Safety::None);
    fixture.send(1, Safety::None);
    fixture.send(2, Safety::None);
    let deliveries = fixture.log.deliveries.lock().unwrap().clone();
    let forged =
        [0, u64::MAX, deliveries[1].0.0 + 1, deliveries[1].0.0 ^ (1 << 32), deliveries[1].0.0 ^ (1 << 60)];
    for id in deliveries.iter().map(|delivery| delivery.0).chain(forged.map(InstanceId)) {
        let mut untouched = [0xee_u8; EXTENT];
        assert_eq!(read(id, 0), Err(Error::InvalidHandle));
        // SAFETY: `untouched` is as long as the extent.
        assert_eq!(unsafe { instance::copy(id, untouched.as_mut_ptr()) }, Err(Error::InvalidHandle));
        assert_eq!(untouched, [0xee; EXTENT]);
        assert_eq!(instance::timestamp(id), Err(Error::InvalidHandle));
        assert_eq!(instance::source_index(id), Err(Error::InvalidHandle));
    }
}

fn check_payload(delivery: &Delivery, callback_data: &CallbackData) {
    let id = delivery.instance;
    let bytes = copy_of(id);
    assert_eq!(bytes[EXTENT..], [0xee; 8], "R290: nothing is written beyond the extent");
    let mut covered = [false; EXTENT];
    for (at, element) in (0..).zip(Payload::ELEMENTS) {
        let (start, size) = (element.displacement(), element.datatype().size());
        let value = read(id, at).unwrap();
        assert_eq!(value[..size], bytes[start..][..size], "R289: element {at}");
        assert_eq!(value[size..], [0xee; 16][size..], "R290: element {at}");
        assert_eq!(read(id, at), Ok(value), "R296: element {at}");
        covered[start..start + size].fill(true);
    }
    let between = covered.iter().zip(&bytes).filter(|(covered, _)| !**covered);
    assert_eq!(between.clone().count(), 4);
    assert!(between.into_iter().all(|(_, byte)| *byte == 0), "R291");
    for element in [-1, 4, i32::MIN, i32::MAX] {
        assert_eq!(read(id, element), Err(Error::InvalidIndex), "R292");
    }
    // SAFETY: the call checks for null before any access.
    assert_eq!(unsafe { instance::read(id, 0, std::ptr::null_mut()) }, Err(Error::Invalid));
    // SAFETY: the call checks for null before any access.
    assert_eq!(unsafe { instance::copy(id, std::ptr::null_mut()) }, Err(Error::Invalid));
    let source = instance::source_index(id).unwrap();
    assert_eq!(callback_data.fixture.bench.registry().source(source).unwrap().name(), "clock", "R294");
    assert!(instance::timestamp(id).unwrap() <= callback_data.fixture.source.timestamp(), "R293");
}

/// Proves R289, R290, R291, R292, R294, R296.
#[test]
fn instance_is_read_whole_and_by_element() {
    let fixture = EventFixture::new();
    fixture.listen('a').on_with(Safety::None, check_payload);
    fixture.send(0x0123_4567_89ab_cdef, Safety::None);
    assert_eq!(fixture.log.take_deliveries().len(), 1);
}

/// Proves R293.
#[test]
fn time_stamp_is_that_of_the_raise() {
    let fixture = EventFixture::new();
    fixture.listen('a').on_with(Safety::None, |delivery, callback_data| {
        let raised = instance::timestamp(delivery.instance).unwrap();
        while callback_data.fixture.source.timestamp() == raised {}
    });
    // Its callback begins after that of `a`.
    fixture.listen('b').on(Safety::None);
    let before = fixture.source.timestamp();
    fixture.send(1, Safety::None);
    let after = fixture.source.timestamp();
    let deliveries = fixture.log.deliveries.lock().unwrap();
    let [a, b] = deliveries.iter().map(|(_, _, time)| *time).collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(a, b);
    assert!((before..after).contains(&a), "{before} {a} {after}");
}

/// Proves R295, R297.
#[test]
fn instances_are_read_at_every_level() {
    let fixture = EventFixture::new();
    let tool = LEVELS.iter().fold(fixture.listen('a'), |tool, level| tool.on_with(*level, check_payload));
    for level in LEVELS {
        fixture.send(1, level);
    }
    fixture.assert_delivered(&LEVELS.map(|level| ('a', Delivered::Event(1, level, level))));
    tool.free_without_callback().unwrap();
}

/// Proves R288.
#[test]
fn nested_instances_are_distinct() {
    let fixture = EventFixture::new();
    fixture.listen('a').on_with(Safety::None, |delivery, callback_data| {
        let number = number_of(delivery.instance).unwrap();
        if number < 5 {
            callback_data.fixture.send(number + 1, Safety::None);
        }
        assert_eq!(number_of(delivery.instance), Ok(number));
    });
    fixture.send(1, Safety::None);
    let mut ids: Vec<_> =
        fixture.log.deliveries.lock().unwrap().iter().map(|delivery| delivery.0.0).collect();
    assert_eq!(ids.len(), 5);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

/// The source of the events below.
#[mpit::source(ordered)]
struct Here;

/// With gaps between the elements, and one after them.
#[mpit::event(source = Here)]
struct Mixed {
    letter: c_char,
    peer: i32,
    tag: u32,
    bytes: u64,
    #[mpit(datatype = "COUNT")]
    count: i64,
    share: f64,
    last: u32,
}

const MIXED_EXTENT: usize = std::mem::offset_of!(Mixed, last) + size_of::<u32>();

const MIXED: Mixed = Mixed {
    letter: c_char::from_ne_bytes(*b"m"),
    peer: -7,
    tag: 9,
    bytes: u64::MAX - 1,
    count: i64::MIN,
    share: 0.25,
    last: 0xdead_beef,
};

fn check_mixed(delivery: &Delivery, _: &CallbackData) {
    let elements: &[&[u8]] = &[
        &MIXED.letter.to_ne_bytes(),
        &MIXED.peer.to_ne_bytes(),
        &MIXED.tag.to_ne_bytes(),
        &MIXED.bytes.to_ne_bytes(),
        &MIXED.count.to_ne_bytes(),
        &MIXED.share.to_ne_bytes(),
        &MIXED.last.to_ne_bytes(),
    ];
    let mut whole = [0; MIXED_EXTENT];
    for ((at, element), &bytes) in (0..).zip(Mixed::DESC.elements()).zip(elements) {
        let value = read(delivery.instance, at).unwrap();
        assert_eq!(value[..bytes.len()], *bytes, "element {at}");
        assert_eq!(value[bytes.len()..], [0xee; 16][bytes.len()..], "nothing is written beyond element {at}");
        whole[element.displacement()..element.end()].copy_from_slice(bytes);
    }
    let beyond = i32::try_from(elements.len()).unwrap();
    assert_eq!(read(delivery.instance, beyond), Err(Error::InvalidIndex));
    let mut copy = [0xee; MIXED_EXTENT + 8];
    // SAFETY: `copy` is 8 bytes longer than the extent.
    unsafe { instance::copy(delivery.instance, copy.as_mut_ptr()) }.unwrap();
    assert_eq!(copy, *[&whole[..], &[0xee; 8]].concat(), "zeros in the gaps, nothing beyond");
}

/// Raises an event of a type defined by `#[mpit::event]`. Asserts that the callback receives it once.
fn deliver_once(name: &str, callback: fn(&Delivery, &CallbackData), raise: impl FnOnce()) {
    let _tool = Tool::new();
    let fixture = EventFixture::new().on_interface(Interface::global());
    let tool = fixture.listen_to(name, 'a').on_with(Safety::None, callback);
    raise();
    assert_eq!(fixture.log.take_deliveries().len(), 1);
    tool.free_without_callback().unwrap();
}

/// Proves R239, R289.
#[test]
fn payload_of_an_attribute_is_read_back() {
    let starts: Vec<_> = Mixed::DESC.elements().iter().map(Element::displacement).collect();
    assert_eq!(starts, [0, 4, 8, 16, 24, 32, 40]);
    assert_eq!((Mixed::DESC.extent(), size_of::<Mixed>()), (MIXED_EXTENT, 48));
    deliver_once("mixed", check_mixed, || Mixed::raise(Context::ANYWHERE, || MIXED));
}

fn check_no_elements(delivery: &Delivery, _: &CallbackData) {
    assert_eq!(read(delivery.instance, 0), Err(Error::InvalidIndex));
    assert_eq!(copy_of(delivery.instance), [0xee; EXTENT + 8]);
}

/// An event without elements.
#[mpit::event(source = Here)]
struct Bare;

/// Proves R246.
#[test]
fn event_without_elements_has_no_data() {
    let fixture = EventFixture::without_elements();
    fixture.listen('a').on_with(Safety::None, check_no_elements);
    fixture.send(1, Safety::None);
    assert_eq!(fixture.log.take_deliveries().len(), 1);
    deliver_once("bare", check_no_elements, || Bare::raise(Context::ANYWHERE, || Bare));
    assert_eq!(
        Datatype::ALL.iter().map(|datatype| datatype.size()).max(),
        Some(8),
        "so there was room to read"
    );
}
