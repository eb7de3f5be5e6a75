use mpit::pvar;

#[pvar(class = "LEVEL", writable)]
fn queue() -> u64 {
    0
}

fn main() {}

// Proves C20.
