use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, event, pvar, source};

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

#[pvar(class = "COUNTER", name = "lost\0messages")]
static WITH_NUL: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", name = "late messages", component = "a,b")]
static LATE: Counter<u64> = Counter::new();

#[cvar(name = "limit\n", env = ["SIZE LIMIT", "LIMIT=1"])]
static WITH_NEWLINE: Cvar<u32> = Cvar::new(1);

#[category(name = "net,all")]
struct WithComma;

struct WithCaret;

#[component(framework = "pml", name = "^recorder")]
impl Listener for WithCaret {}

/// Ends early\0for C.
#[pvar(class = "COUNTER")]
#[doc = "nul: \0"]
static CUT: Counter<u64> = Counter::new();

#[pvar(
    class = "COUNTER",
    name = "an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_and_then_stops"
)]
static LONG: Counter<u64> = Counter::new();

#[source(ordered)]
struct Clock;

#[event(source = Clock, name = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn")]
struct Sent {
    peer: i32,
}

fn main() {}

// Proves C1, C2, C3, C34.
