use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{category, component, cvar, pvar};

#[pvar(class = "COUNTER", name = "lost\0messages")]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", name = "late messages", component = "a,b")]
static LATE: Counter<u64> = Counter::new();

#[cvar(name = "limit\n", env = ["SIZE LIMIT", "LIMIT=1"])]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[category(name = "net,all")]
struct Net;

trait Listener: Send + Sync {}
struct Recorder;

#[component(framework = "pml", name = "^recorder")]
impl Listener for Recorder {}

/// Ends early\0for C.
#[pvar(class = "COUNTER")]
#[doc = "nul: \0"]
static CUT: Counter<u64> = Counter::new();

fn main() {}

// Proves C2.
