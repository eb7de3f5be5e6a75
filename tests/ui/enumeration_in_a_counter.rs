use mpit::cell::Counter;
use mpit::{MpitEnum, pvar};

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase {
    Idle,
}

#[pvar(class = "COUNTER")]
static LOST: Counter<Phase> = Counter::new();

fn main() {}

// Proves C10.
