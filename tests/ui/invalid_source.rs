use mpit::event::{Context, Event};
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

struct Plain;

#[source(ordered)]
struct Clock;

#[event(source = Plain)]
struct OfPlain {
    peer: i32,
}

#[event]
struct Lost {
    peer: i32,
}

#[event(source = "Clock")]
struct Found;

fn main() {
    // Nothing more is said about an event whose source is missing.
    Lost::raise(Context::ANYWHERE, || Lost { peer: 1 });
    Found::raise(Context::ANYWHERE, || Found);
}

// Proves C35, C36.
