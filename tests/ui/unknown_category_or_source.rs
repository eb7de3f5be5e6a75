use mpit::cell::Counter;
use mpit::{category, event, pvar};

struct Plain;

#[pvar(class = "COUNTER", category = Plain)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", category = Nowhere)]
static LATE: Counter<u64> = Counter::new();

#[category(name = "net", parent = Plain)]
struct Net;

#[event(source = Nowhere)]
struct Received {
    peer: i32,
}

fn main() {}

// Proves C35, C44.
