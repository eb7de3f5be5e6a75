use std::sync::atomic::AtomicU64;

use mpit::{event, source};

static LISTENERS: AtomicU64 = AtomicU64::new(0);

/// A clock.
#[source(ordered)]
struct Clock;

/// It ticks.
#[event(source = Clock, listeners = LISTENERS)]
struct Tick {
    number: u64,
}

fn main() {
    let _ = Tick { number: 1 }.number;
}

// Proves C50.
