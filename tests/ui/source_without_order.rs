use mpit::{event, source};

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
