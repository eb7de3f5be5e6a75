use mpit::pvar;

fn begin(_handle: u64) {}

#[pvar(class = "COUNTER", on_start = begin)]
fn lost() -> u64 {
    0
}

fn main() {}

// Proves C20.
