use mpit::cell::Level;
use mpit::pvar;

#[pvar(class = "LEVEL")]
static QUEUE: Level<i32> = Level::new();

#[pvar(class = "LEVEL")]
fn waiting() -> i32 {
    0
}

fn main() {}

// Proves C6.
