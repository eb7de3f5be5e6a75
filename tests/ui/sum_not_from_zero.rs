use mpit::cell::{Aggregate, Counter};
use mpit::pvar;

#[pvar(class = "COUNTER")]
static LOST: Counter<u64> = Counter::new(1);

#[pvar(class = "AGGREGATE")]
static BYTES: Aggregate<f64> = Aggregate::new(0.5);

fn main() {}

// Proves C16.
