use mpit::cell::{Counter, PeerArray, Size};
use mpit::pvar;

#[pvar(class = "COUNTER", atomic, readonly)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", bind = "COMM", atomic)]
static PER_PEER: PeerArray<u64> = PeerArray::new();

#[pvar(class = "SIZE", atomic)]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "COUNTER", atomic)]
fn computed() -> u64 {
    0
}

fn begin() {}
fn end() {}

#[pvar(class = "COUNTER", continuous, on_start = begin, on_stop = end)]
fn running() -> u64 {
    0
}

#[pvar(class = "COUNTER", on_start = begin)]
static COUNTED: Counter<u64> = Counter::new();

fn begin_with(_handle: u64) {}

#[pvar(class = "COUNTER", on_start = begin_with)]
fn late() -> u64 {
    0
}

#[pvar(class = "LEVEL", writable)]
fn queue() -> u64 {
    0
}

fn main() {}

// Proves C18, C20, C21, C22.
