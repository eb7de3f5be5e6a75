//! Definitions as tools of the same program use them: by the static or the type.

use std::sync::{Mutex, atomic::AtomicU32};

use mpit::object::Object;
use mpit::prelude::*;
use mpit::{Error, MpitEnum};

/// A counter.
#[pvar(class = "COUNTER")]
static TYPED_COUNT: Counter<u32> = Counter::new();

/// A level with both watermarks.
#[pvar(class = "LEVEL", highwatermark, lowwatermark)]
static TYPED_LEVEL: Level<u64> = Level::new();

/// A watermark alone.
#[pvar(class = "HIGHWATERMARK")]
static TYPED_MOST: HighWatermark<f64> = HighWatermark::new();

/// A number for each peer.
#[pvar(class = "AGGREGATE", bind = "COMM")]
static TYPED_PEERS: PeerArray<u64> = PeerArray::new();

static UNKNOWN: Counter<u64> = Counter::new();

static UNKNOWN_SETTING: Cvar<i32> = Cvar::new(1);

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, MpitEnum)]
#[repr(i32)]
enum TypedMode {
    Eager,
    Late,
}

/// A mode.
#[cvar(scope = "LOCAL")]
static TYPED_MODE: Cvar<TypedMode> = Cvar::new(TypedMode::Eager);

/// A number with a range.
#[cvar(scope = "LOCAL")]
static TYPED_LIMIT: Cvar<u32> = Cvar::new(7).range(0..=9);

/// A text.
#[cvar(scope = "LOCAL")]
static TYPED_TEXT: Cvar<Text<8>> = Cvar::new(Text::new("abc"));

/// A source.
#[source(ordered)]
struct TypedLine;

/// An event with elements of several sizes.
#[event(source = TypedLine)]
#[derive(Debug, PartialEq)]
struct TypedPacket {
    to: i32,
    bytes: u64,
    seconds: f64,
}

/// Another event of the source.
#[event(source = TypedLine)]
#[derive(Debug, PartialEq)]
struct TypedBell {
    number: u32,
}

#[test]
fn handles_by_static_read_values() -> mpit::Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    let (count, level) = (session.handle_of(&TYPED_COUNT)?, session.handle_of(&TYPED_LEVEL)?);
    let high = session.handle_of_class(&TYPED_LEVEL, Class::HighWatermark, None)?;
    let low = session.handle_of_class(&TYPED_LEVEL, Class::LowWatermark, None)?;
    let most = session.handle_of(&TYPED_MOST)?;
    assert_eq!(level.desc().class(), Class::Level);
    assert_eq!(most.desc().class(), Class::HighWatermark);
    TYPED_LEVEL.set(5);
    session.start_all()?;
    TYPED_COUNT.add(3);
    TYPED_LEVEL.set(9);
    TYPED_LEVEL.set(2);
    TYPED_LEVEL.set(4);
    TYPED_MOST.set(1.5);
    assert_eq!((count.get()?, level.get()?, high.get()?, low.get()?), (3, 4, 9, 2));
    assert!((most.get()? - 1.5).abs() < f64::EPSILON);
    assert_eq!(count.elements()?, [3]);
    assert_eq!((count.value::<u32>()?, count.value::<i64>()), (3, Err(Error::Invalid)));
    count.stop()?;
    TYPED_COUNT.increment();
    assert_eq!(count.get()?, 3);
    Ok(())
}

/// Proves C54.
#[test]
fn handles_by_static_are_bound() -> mpit::Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    assert!(session.handle_of(&TYPED_PEERS).is_err());
    let ranks = [2, 0, 1].map(AtomicU32::new);
    let comm = Object::comm(1 << 40, &ranks);
    let peers = session.handle_of_class(&TYPED_PEERS, Class::Aggregate, Some(&comm))?;
    peers.start()?;
    TYPED_PEERS.add(1, 5);
    assert_eq!(peers.elements()?, [0, 0, 5]);
    assert_eq!(peers.get().unwrap_err(), Error::Invalid);
    assert_eq!(peers.take().unwrap_err(), Error::Invalid);
    assert_eq!(peers.elements()?, [0, 0, 5]);
    Ok(())
}

#[test]
fn other_statics_are_refused() -> mpit::Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    assert_eq!(session.handle_of(&UNKNOWN).unwrap_err(), Error::InvalidName);
    let high = session.handle_of_class(&TYPED_COUNT, Class::HighWatermark, None);
    assert_eq!(high.unwrap_err(), Error::InvalidName);
    assert_eq!(tool.setting_of(&UNKNOWN_SETTING).unwrap_err(), Error::InvalidName);
    UNKNOWN.increment();
    assert_eq!(UNKNOWN_SETTING.get(), 1);
    Ok(())
}

#[test]
fn settings_by_static_have_their_types() -> mpit::Result<()> {
    let tool = Tool::new();
    let mode = tool.setting_of(&TYPED_MODE)?;
    mode.set(TypedMode::Late)?;
    assert_eq!((mode.get()?, TYPED_MODE.get()), (TypedMode::Late, TypedMode::Late));
    let limit = tool.setting_of(&TYPED_LIMIT)?;
    assert_eq!(limit.set(10).unwrap_err(), Error::Invalid);
    assert_eq!((limit.get()?, TYPED_LIMIT.get()), (7, 7));
    assert_eq!(tool.cvar("typed_limit")?.value::<u32>()?, 7);
    let text = tool.setting_of(&TYPED_TEXT)?;
    assert_eq!(text.get()?.as_str(), "abc");
    text.set(Text::new("longer"))?;
    assert_eq!((text.get()?.as_str(), TYPED_TEXT.get().as_str()), ("longer", "longer"));
    assert_eq!(text.read_text()?, "longer");
    Ok(())
}

#[test]
fn listeners_by_type_get_the_payload() -> mpit::Result<()> {
    static RECEIVED: Mutex<Vec<TypedPacket>> = Mutex::new(Vec::new());
    let tool = Tool::new();
    let listener = tool.on(|packet: &TypedPacket| RECEIVED.lock().unwrap().push(*packet))?;
    let bells = tool.on(|bell: &TypedBell| assert_eq!(bell.number, 3))?;
    let packet = TypedPacket { to: -1, bytes: u64::MAX, seconds: 0.25 };
    TypedPacket::raise(Context::ANYWHERE, || packet);
    TypedBell::raise(Context::ANYWHERE, || TypedBell { number: 3 });
    drop((listener, bells));
    TypedPacket::raise(Context::ANYWHERE, || packet);
    assert_eq!(*RECEIVED.lock().unwrap(), [packet]);
    Ok(())
}
