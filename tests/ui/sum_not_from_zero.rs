use mpit::cell::Counter;
use mpit::pvar;

#[pvar(class = "COUNTER")]
static LOST: Counter<u64> = Counter::new(1);

fn main() {}

// Proves C16.
