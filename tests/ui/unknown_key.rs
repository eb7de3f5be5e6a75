use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, pvar};

#[pvar(class = "COUNTER", read_only)]
static LOST: Counter<u64> = Counter::new();

#[cvar(default = 3)]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[category(parents = Net)]
struct Net;

#[derive(Clone, Copy, MpitEnum)]
#[mpit(names = "phase")]
#[repr(i32)]
enum Phase {
    #[mpit(value = 3)]
    Idle,
}

trait Listener: Send + Sync {}
struct Recorder;

#[component(framework = "pml", nam = "recorder")]
impl Listener for Recorder {}

fn main() {}

// Proves C5.
