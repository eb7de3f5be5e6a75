use mpit::pvar;

#[pvar(class = "HIGHWATERMARK")]
fn peak() -> u64 {
    0
}

#[pvar(class = "LEVEL", lowwatermark)]
fn queue() -> u64 {
    0
}

fn main() {}

// Proves C6.
