use mpit::cell::{Counter, Level, Size};
use mpit::cvar::Cvar;
use mpit::{category, component, cvar, event, pvar, source};

#[pvar(class = "COUNTER", name = "net.lost")]
static LOST: Counter<u64> = Counter::new();

mod elsewhere {
    use mpit::cell::Counter;

    #[mpit::pvar(class = "COUNTER", name = "net.lost")]
    static GONE: Counter<u64> = Counter::new();
}

// The same name in another class is another variable.
#[pvar(class = "SIZE", name = "net.lost")]
static LOST_SIZE: Size<u64> = Size::new();

#[pvar(class = "LEVEL", highwatermark)]
static QUEUE: Level<u64> = Level::new();

#[pvar(class = "HIGHWATERMARK", name = "queue")]
static PEAK: Level<u64> = Level::new();

#[cvar(alias = "threshold")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[cvar]
static THRESHOLD: Cvar<u32> = Cvar::new(1);

#[cvar(name = "a", alias = ["a", "b", "b"], env = ["A", "A"])]
static SELF: Cvar<u32> = Cvar::new(1);

#[category(name = "net")]
struct Net;

#[category(name = "net")]
struct Network;

trait Listener: Send + Sync {}
struct One;
struct Other;

#[component(framework = "recording", name = "recorder")]
impl Listener for One {}

#[component(framework = "recording", name = "recorder")]
impl Listener for Other {}

#[source(ordered)]
struct Clock;

mod other_sources {
    #[mpit::source(unordered)]
    struct Clock;
}

#[event(source = Clock)]
struct Sent {
    peer: i32,
}

#[event(source = Clock, name = "sent")]
struct Gone {
    peer: i32,
}

// An event, a source and a variable may have the same name.
#[source(ordered, name = "sent")]
struct SentSource;

mod sender {
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "phase")]
    #[repr(i32)]
    pub enum Phase {
        Idle,
    }
}

mod receiver {
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "phase")]
    #[repr(i32)]
    pub enum Phase {
        Idle,
    }
}

fn main() {
    {
        #[pvar(class = "COUNTER", name = "net.lost")]
        static HIDDEN: Counter<u64> = Counter::new();
    }
}

// Proves C14, C45.
