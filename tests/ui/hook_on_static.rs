use mpit::cell::Counter;
use mpit::pvar;

fn begin() {}

#[pvar(class = "COUNTER", on_start = begin)]
static LOST: Counter<u64> = Counter::new();

fn main() {}

// Proves C20.
