use mpit::cell::{Counter, Level, Percentage, Timer};
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, pvar};

#[pvar(class = "COUNTER", readonly, writable)]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", cumulative)]
static LATE: Counter<u64> = Counter::new();

#[pvar(class = "PERCENTAGE", cumulative, highwatermark)]
static SHARE: Percentage = Percentage::new(0.0);

#[pvar(class = "LEVEL", cumulative, lowwatermark)]
static QUEUE: Level<u64> = Level::new();

#[pvar]
static WAITING: Timer<f64> = Timer::new();

#[pvar(name = "missing")]
static CLASSLESS: Counter<u64> = Counter::new();

#[pvar()]
fn sent() -> u64 {
    0
}

trait Listener: Send + Sync {}
struct Recorder;

#[component]
impl Listener for Recorder {}

#[category(name = "net", name = "network")]
struct Net;

#[pvar(class = "COUNTER", readonly, class = "SIZE", readonly, category = [Net, Net])]
static REPEATED: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", read_only)]
static UNKNOWN: Counter<u64> = Counter::new();

#[cvar(default = 3)]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar(range = 1..=5)]
static RANGE: Cvar<u32> = Cvar::new(1);

#[pvar(class = "COUNTER", description = "Packets that were lost.")]
static DESCRIBED: Counter<u64> = Counter::new();

#[category(parents = Net)]
struct Link;

#[derive(Clone, Copy, MpitEnum)]
#[mpit(names = "phase")]
#[repr(i32)]
enum Phase {
    #[mpit(value = 3)]
    Idle,
}

struct Other;

#[component(framework = "pml", nam = "recorder")]
impl Listener for Other {}

#[pvar(class = )]
static NO_VALUE: Counter<u64> = Counter::new();

#[pvar("COUNTER")]
static NO_KEY: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER" readonly)]
static NO_COMMA: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", readonly = true, category = "net")]
static WRONG_KIND: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", unit, on_start = || {})]
fn late() -> u64 {
    0
}

#[cvar(alias = [limit], env = 3)]
static MALFORMED: Cvar<u32> = Cvar::new(1);

#[category(parent = [struct])]
struct Keyword;

#[derive(Clone, Copy, MpitEnum)]
#[mpit = "phase"]
#[repr(i32)]
enum Assigned {
    Idle,
}

fn main() {}

// Proves C5.
