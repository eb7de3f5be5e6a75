use mpit::cell::{Counter, Level};
use mpit::pvar;

#[pvar(class = "COUNTER")]
static LOST: Counter<f64> = Counter::new();

#[pvar(class = "COUNTER")]
fn late() -> f64 {
    0.0
}

type Number = f64;

#[pvar(class = "COUNTER")]
fn hidden() -> Number {
    0.0
}

#[pvar(class = "LEVEL")]
static QUEUE: Level<i32> = Level::new();

#[pvar(class = "LEVEL")]
fn waiting() -> i32 {
    0
}

fn main() {}

// Proves C6.
