//! Definitions where the names that expansions could mean have other meanings, or none: without the prelude, beside types named like
//! primitive ones, and on deprecated items.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types, reason = "the types only occupy names")]

use ::core::primitive::{i32 as int, u64};
use ::core::{assert, assert_eq, option::Option::Some};
use ::mpit::cell::Counter;
use ::mpit::cvar::Cvar;
use ::mpit::object::{Comm, Object};
use ::mpit::tool::Class;

use super::{event, pvar};

struct i32;
struct usize;
struct bool;
struct str;
struct Result;
struct Option;

/// The network.
#[::mpit::category(name = "hygiene")]
struct Net;

/// The phase of the network.
#[deprecated]
#[derive(::core::clone::Clone, ::core::marker::Copy, ::mpit::MpitEnum)]
#[mpit(name = "hygiene_phase")]
#[repr(i32)]
enum Phase {
    Idle,
    #[deprecated]
    Busy,
}

/// Messages sent.
#[::mpit::pvar(class = "COUNTER", category = Net)]
#[deprecated = "counted elsewhere"]
static HYGIENE_SENT: Counter<u64> = Counter::new();

/// The phase.
#[::mpit::pvar(class = "STATE")]
#[expect(deprecated, reason = "a deprecated type is still published")]
fn hygiene_phase() -> Phase {
    Phase::Busy
}

/// Bytes of each rank.
#[::mpit::pvar(class = "SIZE", bind = "COMM", count = |comm| 2 * comm.size())]
fn hygiene_bytes(_: &Comm<'_>, out: &mut [u64]) {
    out.fill(3);
}

/// Links of a window.
#[::mpit::pvar(class = "SIZE", bind = "WIN", count = 2, on_start = watch, on_stop = watch)]
#[allow(clippy::unnecessary_wraps, reason = "a variable may fail")]
fn hygiene_links(_: &Object<'_>, out: &mut [u64]) -> ::mpit::Result<()> {
    out.fill(4);
    ::core::result::Result::Ok(())
}

fn watch() {}

/// Largest packet.
#[::mpit::cvar(scope = "LOCAL")]
#[deprecated]
static HYGIENE_LIMIT: Cvar<u64> = Cvar::new(8).range(1..=9);

/// The source of events.
#[::mpit::source(ordered)]
#[deprecated]
struct HygieneClock;

/// A message was sent.
#[::mpit::event(source = HygieneClock, category = Net)]
#[deprecated]
struct HygienePacket {
    #[deprecated]
    bytes: u64,
    to: int,
}

// Names that differ only in a character that no identifier has.

/// A name with a dot.
#[::mpit::pvar(class = "COUNTER", name = "hygiene.sent")]
static DOT: Counter<u64> = Counter::new();

/// A name with the number of a dot.
#[::mpit::pvar(class = "COUNTER", name = "hygiene_x2e_sent")]
static NUMBER: Counter<u64> = Counter::new();

#[test]
fn names_keep_their_meaning() {
    for name in ["hygiene_sent", "hygiene.sent", "hygiene_x2e_sent"] {
        assert_eq!(pvar(name, Class::Counter).name(), name);
    }
    let Some(phases) = pvar("hygiene_phase", Class::State).enumeration() else {
        ::core::panic!("a state without an enumeration")
    };
    assert_eq!(phases.items().len(), 2);
    assert_eq!(event("hygiene_packet").source().name(), "hygiene_clock");
    let tool = ::mpit::tool::Tool::new();
    assert!(tool.registry().cvar_index("hygiene_limit").is_some());
}
