use mpit::cvar;
use mpit::cvar::Cvar;

#[cvar(scope = "GROUP_EQ")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar(scope = "ALL")]
static DEPTH: Cvar<u32> = Cvar::new(1);

fn main() {}

// Proves C25.
