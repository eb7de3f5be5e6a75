use mpit::event;

#[event(source = Nowhere)]
struct Received {
    peer: i32,
}

fn main() {}

// Proves C35.
