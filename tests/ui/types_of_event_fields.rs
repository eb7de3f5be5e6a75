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

type Rank = i32;

#[event(source = Clock)]
struct Sent {
    #[mpit(datatype = "UINT64_T")]
    peer: i32,
    #[mpit(datatype = "UINT64")]
    bytes: u64,
    #[mpit(datatype)]
    tag: i32,
    #[mpit(unit = "bytes")]
    length: u64,
    #[mpit]
    last: u64,
}

#[event(source = Clock)]
struct Received {
    #[mpit(datatype = "UINT64_T")]
    peer: Rank,
}

fn main() {}

// Proves C31.
