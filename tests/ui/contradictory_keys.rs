use mpit::cell::{Counter, Level, Percentage};
use mpit::pvar;

#[pvar(class = "COUNTER", readonly, writable)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", cumulative)]
static LATE: Counter<u64> = Counter::new();

#[pvar(class = "PERCENTAGE", cumulative, highwatermark)]
static SHARE: Percentage = Percentage::new(0.0);

#[pvar(class = "LEVEL", cumulative, lowwatermark)]
static QUEUE: Level<u64> = Level::new();

fn main() {}

// Proves C5.
