use mpit::cell::Counter;
use mpit::{category, pvar};

#[category(name = "net", name = "network")]
struct Net;

#[pvar(class = "COUNTER", readonly, class = "SIZE", readonly, category = [Net, Net])]
static LOST: Counter<u64> = Counter::new();

fn main() {}

// Proves C5.
