use mpit::event::{Context, Event};
use mpit::{event, source};

struct Plain;

#[source(ordered)]
struct Clock;

#[event(source = Plain)]
struct Sent {
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

// Proves C35.
