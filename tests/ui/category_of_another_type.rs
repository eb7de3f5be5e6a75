use mpit::cell::Counter;
use mpit::{category, pvar};

struct Plain;

#[pvar(class = "COUNTER", category = Plain)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", category = Nowhere)]
static LATE: Counter<u64> = Counter::new();

#[category(name = "net", parent = Plain)]
struct Net;

fn main() {}

// Proves C44.
