use mpit::cell::{Aggregate, Counter, Percentage};
use mpit::cvar::{Cvar, Text};
use mpit::{cvar, pvar};

#[pvar(class = "PERCENTAGE")]
static SHARE: Percentage = Percentage::new(50.0);

#[pvar(class = "COUNTER")]
static LOST: Counter<u64> = Counter::new(1);

#[pvar(class = "AGGREGATE")]
static BYTES: Aggregate<f64> = Aggregate::new(0.5);

const LARGEST: f64 = 1.0;

#[cvar]
static LIMIT: Cvar<u32> = Cvar::new(32).range(64..=65536);

#[cvar]
static RATIO: Cvar<f64> = Cvar::new(LARGEST + 1.0).range(0.0..=LARGEST);

#[cvar]
static EMPTY: Cvar<u32> = Cvar::new(5).range(9..=1);

#[cvar]
static FILE: Cvar<Text<4>> = Cvar::new(Text::new("prof"));

fn main() {}

// Proves C15, C16, C26, C27.
