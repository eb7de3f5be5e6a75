use mpit::cvar;
use mpit::cvar::Cvar;

#[cvar]
static EMPTY: Cvar<u32> = Cvar::new(5).range(9..=1);

fn main() {}

// Proves C26.
