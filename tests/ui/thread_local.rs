use std::cell::Cell;

use mpit::cell::Counter;
use mpit::{cvar, pvar};

thread_local! {
    #[pvar(class = "COUNTER")]
    static LOST: Counter<u64> = const { Counter::new() };
}

#[pvar(class = "COUNTER")]
thread_local! {
    static LATE: Cell<u64> = const { Cell::new(0) };
}

#[cvar]
thread_local! {
    static LIMIT: Cell<u64> = const { Cell::new(0) };
}

fn main() {}

// Proves C50.
