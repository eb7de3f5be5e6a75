use mpit::cell::Size;
use mpit::pvar;

#[pvar(class = "PERCENTAGE")]
static SHARE: Size<u64> = Size::new();

#[pvar(class = "PERCENTAGE")]
fn used() -> u64 {
    50
}

fn main() {}

// Proves C6.
