use mpit::cell::{Counter, Level, PeerArray, Size, State};
use mpit::{MpitEnum, pvar};

#[pvar(class = "COUNTER")]
static LOST: Counter<f64> = Counter::new();

#[pvar(class = "COUNTER")]
fn late() -> f64 {
    0.0
}

type Number = f64;

#[pvar(class = "COUNTER")]
fn hidden() -> Number {
    0.0
}

#[pvar(class = "LEVEL")]
static QUEUE: Level<i32> = Level::new();

#[pvar(class = "LEVEL")]
fn waiting() -> i32 {
    0
}

#[pvar(class = "COUNTER")]
static DEPTH: Level<u64> = Level::new();

#[pvar(class = "HIGHWATERMARK")]
static MOST: Counter<u64> = Counter::new();

#[pvar(class = "LEVEL")]
static BYTES: PeerArray<u64> = PeerArray::new();

#[pvar(class = "PERCENTAGE")]
static SHARE: Size<u64> = Size::new();

#[pvar(class = "PERCENTAGE")]
fn used() -> u64 {
    50
}

#[pvar(class = "SIZE", highwatermark)]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "HIGHWATERMARK")]
fn peak() -> u64 {
    0
}

#[pvar(class = "LEVEL", lowwatermark)]
fn depth_now() -> u64 {
    0
}

enum Plain {
    Idle,
}

#[pvar(class = "STATE")]
static NUMBER: State<i32> = State::new();

#[pvar(class = "STATE")]
static EXTENT: Size<u32> = Size::new();

#[pvar(class = "STATE")]
fn number() -> i32 {
    0
}

#[pvar(class = "STATE")]
fn plain() -> Plain {
    Plain::Idle
}

#[pvar(class = "STATE", count = 3)]
fn several(out: &mut [i32]) {
    out.fill(0);
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase {
    Idle,
}

#[pvar(class = "COUNTER")]
static PHASES: Counter<Phase> = Counter::new();

fn main() {}

// Proves C6, C9, C10.
