use mpit::cell::{Generic, Size};
use mpit::cvar::Cvar;
use mpit::{cvar, pvar};

#[pvar(class = "SIZE")]
static BUFFER: Size<usize> = Size::new();

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

// Proves C8.
