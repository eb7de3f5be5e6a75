use mpit::pvar;

fn begin() {}
fn end() {}

#[pvar(class = "COUNTER", continuous, on_start = begin, on_stop = end)]
fn lost() -> u64 {
    0
}

fn main() {}

// Proves C18.
