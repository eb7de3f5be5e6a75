use mpit::cell::{Generic, Size};
use mpit::cvar::Cvar;
use mpit::{cvar, pvar};

#[pvar(class = "SIZE")]
static BUFFER: Size<usize> = Size::new();

/// Whether it runs.
#[pvar(class = "GENERIC")]
static RUNS: Generic<bool> = Generic::new();

/// Whether it ran.
#[pvar(class = "GENERIC")]
fn ran() -> bool {
    true
}

/// How warm it is.
#[pvar(class = "GENERIC")]
fn warmth() -> &'static str {
    "very"
}

#[cvar]
static RATIO: Cvar<f32> = Cvar::new(0.5);

fn main() {}
