use mpit::cell::{Counter, Percentage};
use mpit::pvar;

#[pvar(class = "COUNTER", datatype = "UINT64_T")]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "PERCENTAGE", datatype = "UNSIGNED")]
static SHARE: Percentage = Percentage::new(0.0);

fn main() {}

// Proves C7.
