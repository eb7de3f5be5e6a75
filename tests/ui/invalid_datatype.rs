use mpit::cell::{Counter, Generic, Percentage, Size};
use mpit::cvar::Cvar;
use mpit::{cvar, pvar};

#[pvar(class = "COUNTER", datatype = "UINT64_T")]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "PERCENTAGE", datatype = "UNSIGNED")]
static SHARE: Percentage = Percentage::new(0.0);

#[pvar(class = "COUNTER", datatype = "UNSIGNED")]
static LATE: Counter<u64> = Counter::new();

type Bytes = u64;

#[pvar(class = "SIZE", datatype = "DOUBLE")]
static BUFFER: Size<Bytes> = Size::new();

#[pvar(class = "SIZE", datatype = "UNSIGNED_LONG")]
fn used() -> u32 {
    0
}

#[cvar(datatype = "UINT64_T")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar(datatype = "UNSIGNED")]
static HIDDEN: Cvar<Bytes> = Cvar::new(1);

#[pvar(class = "SIZE")]
static POINTERS: Size<usize> = Size::new();

/// The state of the run.
#[pvar(class = "GENERIC")]
static RUNS: Generic<bool> = Generic::new();

/// The end of the run.
#[pvar(class = "GENERIC")]
fn ran() -> bool {
    true
}

/// The temperature.
#[pvar(class = "GENERIC")]
fn warmth() -> &'static str {
    "very"
}

#[cvar]
static RATIO: Cvar<f32> = Cvar::new(0.5);

fn main() {}

// Proves C7, C8.
