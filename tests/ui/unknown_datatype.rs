use mpit::cell::Counter;
use mpit::pvar;

#[pvar(class = "COUNTER", datatype = "UNSIGNED LONG")]
static LOST: Counter<u64> = Counter::new();

fn main() {}

// Proves C4.
