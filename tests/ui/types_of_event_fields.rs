use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[event(source = Clock)]
struct Seen {
    flag: bool,
    bytes: usize,
    ratio: f32,
    name: &'static str,
    start: *const u8,
    ranks: [i32; 4],
    pair: (i32, i32),
}

struct Inner {
    peer: i32,
}

type Flag = bool;

#[event(source = Clock)]
struct Hidden {
    inner: Inner,
    flag: Flag,
}

fn main() {}

// Proves C31.
