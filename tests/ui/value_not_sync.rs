use std::cell::Cell;

use mpit::cell::Custom;
use mpit::pvar;

struct Flush {
    path: Cell<u32>,
}

impl Custom for Flush {
    type Value = u32;
    const COUNT: usize = 1;
}

/// Writes a file.
#[pvar(class = "GENERIC")]
static FLUSH: Flush = Flush { path: Cell::new(0) };

fn main() {}

// Proves C47.
