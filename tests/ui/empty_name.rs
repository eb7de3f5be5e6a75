use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, pvar};

#[pvar(class = "COUNTER", name = "")]
static LOST: Counter<u64> = Counter::new();

#[cvar(name = "", alias = "")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[category(name = "")]
struct Net;

#[derive(Clone, Copy, MpitEnum)]
#[mpit(name = "")]
#[repr(i32)]
enum Phase {
    #[mpit(name = "")]
    Idle,
}

trait Listener: Send + Sync {}
struct Recorder;

#[component(framework = "", name = "")]
impl Listener for Recorder {}

fn main() {}

// Proves C1.
