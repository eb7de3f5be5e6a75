use mpit::cell::{Counter, PeerArray};
use mpit::object::{Comm, Object};
use mpit::pvar;

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

fn main() {}

// Proves C29.
