use mpit::cell::Timer;
use mpit::pvar;

#[pvar(class = "TIMER")]
static TICKS: Timer<u64> = Timer::new();

#[pvar(class = "TIMER", unit = "us")]
static SECONDS: Timer<f64> = Timer::new();

#[pvar(class = "TIMER")]
fn ticks() -> u32 {
    0
}

type Ticks = u64;
type Seconds = f64;

#[pvar(class = "TIMER")]
static HIDDEN_TICKS: Timer<Ticks> = Timer::new();

#[pvar(class = "TIMER", unit = "us")]
static HIDDEN_SECONDS: Timer<Seconds> = Timer::new();

#[pvar(class = "TIMER", unit = "")]
static NAMELESS: Timer<u64> = Timer::new();

fn main() {}

// Proves C17.
