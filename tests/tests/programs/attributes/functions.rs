//! Functions: their permitted parameters and results, and the values that tools read.

use std::ffi::c_char;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use mpit::cell::Value;
use mpit::object::{Bind, Comm, Object};
use mpit::pvar;
use mpit::tool::{Class, Datatype, EnumItem, Tool};

use crate::attributes::classes::Weather;

fn read<T: Value>(name: &str, class: Class, object: Option<&Object<'_>>) -> mpit::Result<Vec<T>> {
    let tool = Tool::new();
    let session = tool.session()?;
    let handle = session.handle(name, class, object)?;
    handle.start()?;
    handle.read()
}

const WORLD: Object<'static> = Object::world(7, 3);

/// One value.
#[pvar(class = "SIZE")]
fn plain() -> u64 {
    11
}

/// One value or none.
#[pvar(class = "LEVEL")]
fn fallible() -> mpit::Result<f64> {
    Err(mpit::Error::NotAccessible)
}

/// A share.
#[pvar(class = "PERCENTAGE")]
fn share() -> f64 {
    0.5
}

/// The weather.
#[pvar(class = "STATE")]
fn outlook() -> Weather {
    Weather::Foul
}

/// The weather, if there is any.
#[pvar(class = "STATE")]
fn outlook_or_not() -> mpit::Result<Weather> {
    <Weather as mpit::MpitEnum>::from_value(0).ok_or(mpit::Error::NotAccessible)
}

/// Its size.
#[pvar(class = "SIZE", bind = "COMM")]
fn comm_size(comm: &Comm<'_>) -> u32 {
    u32::try_from(comm.size()).unwrap_or(u32::MAX)
}

/// Its number.
#[pvar(class = "SIZE", bind = "WIN")]
fn window(object: &Object<'_>) -> mpit::Result<u64> {
    if object.id() == 0 { Err(mpit::Error::NotAccessible) } else { Ok(object.id()) }
}

/// Ranks in order.
#[pvar(class = "SIZE", bind = "COMM")]
fn ranks(_: &Comm<'_>, out: &mut [u64]) {
    for (rank, out) in out.iter_mut().enumerate() {
        *out = rank as u64;
    }
}

/// Two for each rank.
#[pvar(class = "SIZE", bind = "COMM", count = |comm| 2 * comm.size(), datatype = "UNSIGNED_LONG")]
fn pairs(comm: &Comm<'_>, out: &mut [u64]) -> mpit::Result<()> {
    let id = u8::try_from(comm.id()).map_err(|_| mpit::Error::NotAccessible)?;
    out.fill(u64::from(id));
    Ok(())
}

/// A few.
#[pvar(class = "SIZE", count = 2 + 1)]
fn few(out: &mut [u64]) {
    out[2] = 5;
}

/// Some of a file.
#[pvar(class = "GENERIC", bind = "FILE", count = |file| if file.id() > 1 { 2 } else { 1 })]
fn some(_: &Object<'_>, out: &mut [i64]) {
    out.fill(-1);
}

/// A word.
#[pvar(class = "GENERIC", count = 8)]
fn word(out: &mut [c_char]) {
    for (out, byte) in out.iter_mut().zip(b"so") {
        *out = c_char::from_ne_bytes([*byte]);
    }
}

#[test]
fn functions_are_called_at_reads() {
    assert_eq!(read("plain", Class::Size, None), Ok(vec![11_u64]));
    assert_eq!(read::<f64>("fallible", Class::Level, None), Err(mpit::Error::NotAccessible));
    assert_eq!(read("share", Class::Percentage, None), Ok(vec![0.5]));
    assert_eq!(read("few", Class::Size, None), Ok(vec![0_u64, 0, 5]));
}

#[test]
fn states_are_numbers_with_names() {
    assert_eq!(read("outlook", Class::State, None), Ok(vec![7]));
    assert_eq!(read("outlook_or_not", Class::State, None), Ok(vec![0]));
    let enumeration = crate::attributes::pvar("outlook", Class::State).enumeration().expect("one");
    assert_eq!(enumeration.item(7).map(EnumItem::name), Some("foul"));
}

#[test]
fn functions_receive_the_handles_object() {
    assert_eq!(read("comm_size", Class::Size, Some(&WORLD)), Ok(vec![3_u32]));
    assert_eq!(read("ranks", Class::Size, Some(&WORLD)), Ok(vec![0_u64, 1, 2]));
    assert_eq!(read("pairs", Class::Size, Some(&WORLD)), Ok(vec![7_u64; 6]));
    assert_eq!(read("window", Class::Size, Some(&Object::new(Bind::Win, 40))), Ok(vec![40_u64]));
    assert_eq!(read("some", Class::Generic, Some(&Object::new(Bind::File, 2))), Ok(vec![-1_i64; 2]));
    assert_eq!(crate::attributes::pvar("pairs", Class::Size).datatype(), Datatype::UnsignedLong);
}

#[test]
fn text_is_an_array_of_char() {
    assert_eq!(crate::attributes::pvar("word", Class::Generic).datatype(), Datatype::Char);
    let tool = Tool::new();
    let session = tool.session().unwrap();
    assert_eq!(session.handle("word", Class::Generic, None).unwrap().read_text().unwrap(), "so");
}

/// The number of started handles on `watched`.
static WATCHING: AtomicI32 = AtomicI32::new(0);

fn begin() {
    WATCHING.fetch_add(1, SeqCst);
}

fn end() {
    WATCHING.fetch_sub(1, SeqCst);
}

/// The number of watched steps.
#[pvar(class = "COUNTER", on_start = begin, on_stop = end)]
fn watched() -> u64 {
    0
}

/// The number of watched steps, from the start only.
#[pvar(class = "SIZE", cumulative, writable, on_start = begin)]
fn watched_once() -> u64 {
    0
}

#[test]
fn hooks_run_at_start_and_stop() {
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let handle = session.handle("watched", Class::Counter, None).unwrap();
    for _ in 0..2 {
        handle.start().unwrap();
        assert_eq!(WATCHING.load(SeqCst), 1);
        handle.stop().unwrap();
        assert_eq!(WATCHING.load(SeqCst), 0);
    }
    let once = session.handle("watched_once", Class::Size, None).unwrap();
    once.start().unwrap();
    once.stop().unwrap();
    assert_eq!(WATCHING.load(SeqCst), 1);
}
