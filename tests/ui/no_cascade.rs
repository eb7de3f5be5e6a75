use mpit::cell::{Counter, State};
use mpit::cvar::Cvar;
use mpit::{Category, MpitEnum, category, cvar, pvar};

#[category(name = "net traffic", parent = Io, contians = [Link])]
struct Net;

#[derive(Clone, Copy, PartialEq, PartialOrd, MpitEnum)]
#[repr(u32)]
enum Phase {
    Idle,
    #[mpit(name = "idle")]
    Active,
}

// What follows is sound, and nothing is said about it.

#[category(name = "io")]
struct Io;

#[category(name = "link", parent = Net)]
struct Link;

#[pvar(class = "COUNTER", category = Net)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "STATE")]
static PHASE: State<Phase> = State::new();

#[pvar(class = "STATE")]
fn phase_now() -> Phase {
    PHASE.get()
}

#[cvar]
static FIRST: Cvar<Phase> = Cvar::new(Phase::Idle);

fn main() {
    LOST.increment();
    PHASE.set(Phase::Active);
    assert_eq!(Net::DESC.name(), FIRST.get().value().to_string());
}

// Proves C5.
