use mpit::cell::Generic;
use mpit::cvar::Cvar;
use mpit::{cvar, pvar};

#[pvar(class = "GENERIC")]
static OFFSET: Generic<i64> = Generic::new();

///
#[pvar(class = "GENERIC")]
fn drift() -> i64 {
    0
}

#[cvar(scope = "GROUP_EQ")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar(scope = "ALL")]
static DEPTH: Cvar<u32> = Cvar::new(1);

fn main() {}

// Proves C23, C25.
