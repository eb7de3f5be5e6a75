use mpit::{event, source};

#[source(ordered)]
struct Clock;

mod elsewhere {
    #[mpit::source(unordered)]
    struct Clock;
}

#[event(source = Clock)]
struct Sent {
    peer: i32,
}

#[event(source = Clock, name = "sent")]
struct Gone {
    peer: i32,
}

// An event, a source and a variable may have the same name.
#[source(ordered, name = "sent")]
struct SentSource;

fn main() {}

// Proves C45.
