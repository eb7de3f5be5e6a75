use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[event(source = Clock)]
struct Generic<T> {
    peer: T,
}

#[event(source = Clock)]
struct Borrowed<'a> {
    name: &'a str,
}

#[event(source = Clock)]
struct Tuple(i32, u64);

#[event(source = Clock)]
enum Either {
    One,
    Other,
}

#[event(source = Clock)]
union Both {
    peer: i32,
    bytes: u32,
}

#[event(source = Clock)]
fn sent() {}

#[event(source = Clock)]
struct Changing {
    peer: i32,
    #[cfg(unix)]
    process: i32,
}

#[event(source = Clock)]
#[repr(C, packed)]
struct Packed {
    peer: i32,
    bytes: u64,
}

#[event(source = Clock)]
#[repr(transparent)]
struct Same {
    peer: i32,
}

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
