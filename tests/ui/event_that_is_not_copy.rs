use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[derive(Clone, Copy)]
#[event(source = Clock)]
struct DerivedAbove {
    peer: i32,
}

#[event(source = Clock)]
struct Dropped {
    peer: i32,
}

impl Drop for Dropped {
    fn drop(&mut self) {}
}

fn main() {}

// Proves C31.
