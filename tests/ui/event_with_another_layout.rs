use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[event(source = Clock)]
#[repr(C, packed)]
struct Packed {
    peer: i32,
    bytes: u64,
}

#[event(source = Clock)]
#[repr(align(64))]
struct Aligned {
    peer: i32,
}

#[event(source = Clock)]
#[repr(transparent)]
struct Same {
    peer: i32,
}

fn main() {}

// Proves C31.
