use mpit::cell::Counter;
use mpit::pvar;

#[pvar(class = COUNTER)]
static LOST: Counter<u64> = Counter::new();

fn main() {}

// Proves C4.
