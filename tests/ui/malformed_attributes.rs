use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, cvar, pvar};

#[pvar(class = )]
static NO_VALUE: Counter<u64> = Counter::new();

#[pvar("COUNTER")]
static NO_KEY: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER" readonly)]
static NO_COMMA: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", readonly = true, category = "net")]
static WRONG_KIND: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", unit, on_start = || {})]
fn lost() -> u64 {
    0
}

#[cvar(alias = [limit], env = 3)]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[category(parent = [struct])]
struct Net;

#[derive(Clone, Copy, MpitEnum)]
#[mpit = "phase"]
#[repr(i32)]
enum Phase {
    Idle,
}

fn main() {}

// Proves C5.
