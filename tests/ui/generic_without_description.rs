use mpit::cell::Generic;
use mpit::pvar;

#[pvar(class = "GENERIC")]
static OFFSET: Generic<i64> = Generic::new();

///
#[pvar(class = "GENERIC")]
fn drift() -> i64 {
    0
}

fn main() {}

// Proves C23.
