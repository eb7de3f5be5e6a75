use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[event(source = Clock)]
struct Seen {
    flag: bool,
    name: &'static str,
    ranks: [i32; 4],
}

type Flag = bool;

#[event(source = Clock)]
struct Hidden {
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
