use mpit::{event, source};

#[source(ordered)]
struct Generic<T>(T);

#[source(ordered)]
struct Fields {
    ticks: u64,
}

#[source(unordered)]
fn ticks() -> u64 {
    0
}

#[source(unordered, name = "a clock", component = "")]
struct Named;

#[source]
struct Silent;

#[source(ordered, unordered)]
struct Both;

#[source(order = "strict", ticks_per_second = 0)]
struct Misspelled;

#[source(ordered = true)]
struct Valued;

// Nothing more is said about the events of such a source.
#[event(source = Silent)]
struct Sent {
    peer: i32,
}

fn main() {}

// Proves C36.
