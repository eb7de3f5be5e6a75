use mpit::cell::{Counter, PeerArray};
use mpit::cvar::{Cvar, ObjectCvar};
use mpit::object::{Comm, Object};
use mpit::{cvar, pvar};

#[pvar(class = "COUNTER", bind = "COMM")]
fn takes_nothing() -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "WIN")]
fn takes_no_window() -> u64 {
    0
}

#[pvar(class = "COUNTER")]
fn takes_a_communicator(_: &Comm<'_>) -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "NO_OBJECT")]
fn takes_an_object(_: &Object<'_>) -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "FILE")]
fn takes_the_wrong_one(_: &Comm<'_>) -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "COMM")]
static SINGLE: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", bind = "NO_OBJECT")]
static PER_PEER: PeerArray<u64> = PeerArray::new();

#[pvar(class = "COUNTER", bind = "FILE")]
static PER_FILE: PeerArray<u64> = PeerArray::new();

type Single = Cvar<u32>;
type Each = ObjectCvar<u32>;

#[cvar(bind = "COMM")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar]
static EACH: ObjectCvar<u32> = ObjectCvar::new(1);

#[cvar(bind = "NO_OBJECT")]
static NONE: ObjectCvar<bool> = ObjectCvar::new(false);

#[cvar(bind = "WIN")]
static ALIAS_OF_SINGLE: Single = Cvar::new(1);

#[cvar]
static ALIAS_OF_EACH: Each = ObjectCvar::new(1);

#[cvar(bind = "WINDOW")]
static WINDOW: ObjectCvar<u32> = ObjectCvar::new(1);

#[pvar(class = "COUNTER")]
fn takes_a_number(_rank: u32) -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "COMM")]
fn takes_too_much(_: &Comm<'_>, _: &Comm<'_>) -> u64 {
    0
}

#[pvar(class = "COUNTER")]
fn returns_nothing() {}

#[pvar(class = "COUNTER", count = 2)]
fn returns_and_fills(out: &mut [u64]) -> u64 {
    out.fill(0);
    0
}

#[pvar(class = "COUNTER")]
fn returns_only_success() -> mpit::Result<()> {
    Ok(())
}

fn main() {}

// Proves C29.
