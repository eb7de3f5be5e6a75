use std::cell::Cell;
use std::rc::Rc;

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

/// Counts references.
#[pvar(class = "GENERIC")]
static COUNT: Option<Rc<u32>> = None;

fn main() {}

// Proves C47.
