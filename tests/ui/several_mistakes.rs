use mpit::cell::Counter;
use mpit::pvar;

#[pvar(clas = "COUNTER", class = "COUNTERS", bind = "COM", name = "lost messages", verbosity = "user", readonly, atomic)]
static LOST: Counter<u64> = Counter::new();

// The item is there all the same.
fn main() {
    LOST.increment();
}

// Proves C5.
