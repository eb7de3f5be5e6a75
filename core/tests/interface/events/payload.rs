//! Rules R239, R242, R289: what is raised is what a tool reads, element by element and as a whole.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;

use mpit::event::{Abi, Context, Delivery, DropReport, Event, FreeNotice, Safety, instance};
use mpit::internal::desc::Element;
use mpit::internal::session::Interface;
use mpit::tool::{EnumItem, Tool};
use mpit::{Error, Result};

/// The happenings of this test.
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

/// An event without elements.
#[mpit::event(source = Here)]
struct Bare;

/// The values that a callback read: each element, the read beyond the last one, and the whole.
#[derive(Debug, PartialEq)]
struct Seen {
    elements: Vec<Vec<u8>>,
    beyond: Result<()>,
    whole: Vec<u8>,
}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

/// Reads an element of an instance into a buffer that is full of ones.
fn element(delivery: &Delivery, number: i32, size: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0xff; 8];
    // SAFETY: no element is larger than 8 bytes, the length of the buffer.
    unsafe { instance::read(delivery.instance, number, bytes.as_mut_ptr()) }?;
    assert!(bytes[size..].iter().all(|byte| *byte == 0xff), "nothing is written beyond an element");
    bytes.truncate(size);
    Ok(bytes)
}

unsafe extern "C" fn deliver(function: *mut c_void, delivery: &Delivery) {
    let desc = if function.addr() == 1 { Mixed::DESC } else { Bare::DESC };
    let sizes: Vec<usize> = desc.elements().iter().map(|element| element.datatype().size()).collect();
    let elements = sizes.iter().zip(0..).map(|(size, at)| element(delivery, at, *size).expect("an element"));
    let elements: Vec<_> = elements.collect();
    let beyond = element(delivery, sizes.len() as i32, 8).map(drop);
    let mut whole = vec![0xff; desc.extent() + 8];
    // SAFETY: the buffer is larger than the event.
    unsafe { instance::copy(delivery.instance, whole.as_mut_ptr()) }.expect("a copy");
    assert!(whole[desc.extent()..].iter().all(|byte| *byte == 0xff), "nothing is written beyond an event");
    whole.truncate(desc.extent());
    SEEN.lock().expect("no panic before").push(Seen { elements, beyond, whole });
}

unsafe extern "C" fn report(_: *mut c_void, _: &DropReport) {}

unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

// SAFETY: the functions use no pointer: `function` is a number, and the `user_data` is ignored.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

/// Listens to an event; the callback receives its number.
fn listen(name: &str, number: usize) {
    let interface = Interface::global();
    let index = interface.registry().event_index(name).expect("registered");
    let id = interface.event_handle_alloc(index, None, &ABI).expect("a registration");
    let function = ptr::without_provenance_mut(number);
    // SAFETY: `ABI` ignores the function.
    unsafe { interface.event_register_callback(id, Safety::None, function, ptr::null_mut()) }
        .expect("a callback");
}

/// Proves R289.
#[test]
fn raised_payload_is_read_back() {
    let _tool = Tool::new();
    listen("mixed", 1);
    listen("bare", 2);
    let (letter, peer, tag, bytes) = (c_char::from_ne_bytes(*b"m"), -7_i32, 9_u32, u64::MAX - 1);
    let (count, share, last) = (i64::MIN, 0.25_f64, 0xdead_beef_u32);
    Mixed::raise(Context::ANYWHERE, || Mixed { letter, peer, tag, bytes, count, share, last });
    Bare::raise(Context::ANYWHERE, || Bare);

    let elements = vec![
        letter.to_ne_bytes().to_vec(),
        peer.to_ne_bytes().to_vec(),
        tag.to_ne_bytes().to_vec(),
        bytes.to_ne_bytes().to_vec(),
        count.to_ne_bytes().to_vec(),
        share.to_ne_bytes().to_vec(),
        last.to_ne_bytes().to_vec(),
    ];
    let mut whole = vec![0; Mixed::DESC.extent()];
    for (element, bytes) in Mixed::DESC.elements().iter().zip(&elements) {
        whole[element.displacement()..element.end()].copy_from_slice(bytes);
    }
    let mixed = Seen { elements, beyond: Err(Error::InvalidIndex), whole };
    let bare = Seen { elements: vec![], beyond: Err(Error::InvalidIndex), whole: vec![] };
    assert_eq!(*SEEN.lock().expect("no panic in a callback"), [mixed, bare]);
}

/// Proves R239.
#[test]
fn displacements_ascend_from_zero() {
    let starts: Vec<_> = Mixed::DESC.elements().iter().map(Element::displacement).collect();
    assert_eq!(starts, [0, 4, 8, 16, 24, 32, 40]);
    assert_eq!((Mixed::DESC.extent(), size_of::<Mixed>()), (44, 48));
}

/// Proves R242.
#[test]
fn items_are_elements() {
    let list = Mixed::DESC.element_names().expect("names");
    assert_eq!(list.name(), "mixed_elements");
    let names: Vec<_> = list.items().iter().map(EnumItem::name).collect();
    assert_eq!(names, ["letter", "peer", "tag", "bytes", "count", "share", "last"]);
    assert!(list.items().iter().zip(0..).all(|(item, at)| item.value() == at));
    assert!(Bare::DESC.element_names().is_none());
}
