use mpit::cell::Percentage;
use mpit::pvar;

#[pvar(class = "PERCENTAGE")]
static SHARE: Percentage = Percentage::new(50.0);

fn main() {}

// Proves C15.
