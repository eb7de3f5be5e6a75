use mpit::cell::Counter;
use mpit::pvar;

fn begin() {}

#[pvar(class = "COUNTER", on_start = begin)]
static LOST: Counter<u64> = Counter::new();

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

// Proves C20.
