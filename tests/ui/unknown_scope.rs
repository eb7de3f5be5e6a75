use mpit::cvar;
use mpit::cvar::Cvar;

/// Everywhere the same.
#[cvar(scope = "ALL_EQUAL", settable = "before init")]
static LIMIT: Cvar<u32> = Cvar::new(1);

fn main() {}

// Proves C4.
