use mpit::cvar;
use mpit::cvar::Cvar;

const LARGEST: f64 = 1.0;

#[cvar]
static LIMIT: Cvar<u32> = Cvar::new(32).range(64..=65536);

#[cvar]
static RATIO: Cvar<f64> = Cvar::new(LARGEST + 1.0).range(0.0..=LARGEST);

#[cvar]
static EMPTY: Cvar<u32> = Cvar::new(5).range(9..=1);

fn main() {}

// Proves C26.
