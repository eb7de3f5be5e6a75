use mpit::cell::{Counter, Timer};
use mpit::{component, pvar};

#[pvar]
static WAITING: Timer<f64> = Timer::new();

#[pvar(name = "lost")]
static LOST: Counter<u64> = Counter::new();

#[pvar()]
fn late() -> u64 {
    0
}

trait Listener: Send + Sync {}
struct Recorder;

#[component]
impl Listener for Recorder {}

fn main() {}

// Proves C5.
