use std::cell::Cell;

use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, pvar};

#[pvar(class = "COUNTER")]
struct Lost;

#[pvar(class = "COUNTER")]
const LATE: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER")]
mod lost {}

#[cvar]
fn limit() -> u32 {
    1
}

#[cvar]
static NUMBER: u32 = 1;

#[category]
enum Net {}

#[category]
struct Pair(u32, u32);

#[derive(Clone, Copy, MpitEnum)]
struct Phase;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Mode {
    Eager { limit: u32 },
}

struct Recorder;

#[component(framework = "pml", name = "recorder")]
impl Recorder {}

#[component(framework = "pml", name = "other")]
struct Other;

thread_local! {
    #[pvar(class = "COUNTER")]
    static LOST: Counter<u64> = const { Counter::new() };
}

#[pvar(class = "COUNTER")]
thread_local! {
    static HIDDEN: Cell<u64> = const { Cell::new(0) };
}

#[pvar(class = "COUNTER")]
static mut MUTABLE: Counter<u64> = Counter::new();

#[cvar]
static mut LIMIT: Cvar<u32> = Cvar::new(1);

#[pvar(class = "COUNTER")]
fn generic<T>() -> u64 {
    0
}

#[pvar(class = "COUNTER")]
async fn asynchronous() -> u64 {
    0
}

#[pvar(class = "COUNTER")]
unsafe fn dangerous() -> u64 {
    0
}

struct Queue;

impl Queue {
    #[pvar(class = "COUNTER")]
    fn len(&self) -> u64 {
        0
    }
}

#[category]
struct Sized<const N: usize>;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Parametric<T> {
    Idle(T),
}

trait Listener: Send + Sync {}
struct Typed<T>(T);

#[component(framework = "pml", name = "recorder")]
impl<T: Send + Sync> Listener for Typed<T> {}

fn main() {}

// Proves C49, C50.
