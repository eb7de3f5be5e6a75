//! Performance variables.

use std::panic::panic_any;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use mpit::cell::{
    Aggregate, Counter, Custom, Generic, HandleId, HighWatermark, Level, LowWatermark, ObjectValue,
    PeerArray, PerObject, Percentage, Size, State, Timer,
};
use mpit::object::{Comm, Object};
use mpit::pvar;

use crate::groups::{Contained, Every, Inner, Weather};

/// Steps that were made.
#[pvar(class = "COUNTER", category = [Every, Inner], atomic, verbosity = "USER_BASIC")]
static EVERY_COUNTER: Counter<u64> = Counter::new();

/// A counter of 32 bits that cannot be reset.
#[pvar(class = "COUNTER", readonly, continuous)]
static EVERY_SMALL_COUNTER: Counter<u32> = Counter::new();

/// Half of the steps.
#[pvar(class = "AGGREGATE", atomic, category = Contained)]
static EVERY_AGGREGATE: Aggregate<f64> = Aggregate::new();

/// A quarter of a second for each step.
#[pvar(class = "TIMER")]
static EVERY_TIMER: Timer<f64> = Timer::new();

/// Ten microseconds for each step.
#[pvar(class = "TIMER", unit = "us", datatype = "UNSIGNED_LONG")]
static EVERY_TICKS: Timer<u64> = Timer::new();

/// Goes up by as many as are left, then down to 1.
#[pvar(class = "LEVEL", highwatermark, lowwatermark, verbosity = "USER_ALL")]
static EVERY_LEVEL: Level<u64> = Level::new();

/// The highest alone.
#[pvar(class = "HIGHWATERMARK")]
static EVERY_HIGHEST: HighWatermark<f64> = HighWatermark::new();

/// The lowest alone.
#[pvar(class = "LOWWATERMARK", readonly)]
static EVERY_LOWEST: LowWatermark<u32> = LowWatermark::new();

/// A level of each communicator; here of number 5.
#[pvar(class = "LEVEL", bind = "COMM", highwatermark)]
static EVERY_QUEUE: PerObject<Level<u64>> = PerObject::new();

/// The last step.
#[pvar(class = "SIZE", writable, datatype = "UNSIGNED")]
static EVERY_SIZE: Size<u32> = Size::new();

/// The share of one step.
#[pvar(class = "PERCENTAGE")]
static EVERY_SHARE: Percentage = Percentage::new(0.25);

/// Foul when the number of steps is odd.
#[pvar(class = "STATE", category = Every)]
static EVERY_WEATHER: State<Weather> = State::new();

/// Minus the last step.
#[pvar(class = "GENERIC", datatype = "COUNT")]
static EVERY_GENERIC: Generic<i64> = Generic::new();

/// The work for process 0, 1 and so on of the world: the number of steps, and the process's number more.
#[pvar(class = "SIZE", continuous, category = Inner)]
static EVERY_PEERS: PeerArray<u64> = PeerArray::new();

/// A COUNTER with elements for processes.
#[pvar(class = "COUNTER", bind = "COMM")]
static EVERY_PEER_COUNTS: PeerArray<u32> = PeerArray::new();

static LOOKING: AtomicU64 = AtomicU64::new(0);
static STEPS: AtomicU64 = AtomicU64::new(0);

fn look() {
    LOOKING.fetch_add(1, Relaxed);
}

fn look_away() {
    LOOKING.fetch_sub(1, Relaxed);
}

/// The number of started handles on this, and of all steps so far.
#[pvar(class = "GENERIC", count = 2, datatype = "UINT64_T", on_start = look, on_stop = look_away)]
fn every_function(out: &mut [u64]) {
    out.copy_from_slice(&[LOOKING.load(Relaxed), STEPS.load(Relaxed)]);
}

/// All steps, as far as a handle was started.
#[pvar(class = "SIZE", cumulative)]
fn every_growing() -> u64 {
    STEPS.load(Relaxed)
}

/// The numbers of the processes in the world, twice.
#[pvar(class = "SIZE", bind = "COMM", count = |comm| 2 * comm.size())]
fn every_ranks(comm: &Comm<'_>, out: &mut [u32]) {
    for (place, out) in out.iter_mut().enumerate() {
        *out = comm.world_rank(place / 2);
    }
}

/// The number of a window.
#[pvar(class = "GENERIC", bind = "WIN")]
fn every_window(window: &Object<'_>) -> i64 {
    -window.id().cast_signed()
}

/// Fair weather only.
#[pvar(class = "STATE")]
fn every_outlook() -> mpit::Result<Weather> {
    Ok(Weather::Fair)
}

/// Never to be had.
#[pvar(class = "LEVEL")]
fn every_failure() -> mpit::Result<f64> {
    Err(mpit::Error::Invalid)
}

/// The payload of a panic. Its destructor panics with another one.
pub(crate) struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

/// A defect; with `panic = "abort"`, which would end the program, merely never to be had.
#[pvar(class = "LEVEL")]
fn every_panic() -> mpit::Result<u64> {
    if cfg!(panic = "abort") { Err(mpit::Error::Invalid) } else { panic_any(PanicsWhenDropped) }
}

/// The number of definitions in the registry of this copy of mpit: 0 in a plug-in.
#[pvar(class = "SIZE")]
fn every_own_registry() -> u64 {
    let tool = mpit::tool::Tool::new();
    u64::from(tool.registry().pvar_count() > 0)
}

/// 1 if several threads may communicate at once, as this copy of mpit was notified.
#[pvar(class = "SIZE")]
fn every_concurrent() -> u32 {
    u32::from(mpit::internal::host::threads::concurrent())
}

/// A variable that no plug-in can have.
struct Strange;

impl Custom for Strange {
    type Value = i32;
    const COUNT: usize = 1;

    fn start(&self, _handle: HandleId) -> mpit::Result<()> {
        Err(mpit::Error::PvarNoStartStop)
    }
}

/// A variable that no plug-in can have.
#[pvar(class = "GENERIC", name = "custom_of_every")]
static STRANGE: Strange = Strange;

/// The queue of communicator 5, while there is one.
static QUEUE: std::sync::Mutex<Option<ObjectValue<Level<u64>>>> = std::sync::Mutex::new(None);

/// Has one thing happen, with so many to come.
pub fn step(left: u32) {
    let steps = STEPS.fetch_add(1, Relaxed) + 1;
    EVERY_COUNTER.increment();
    EVERY_SMALL_COUNTER.increment();
    EVERY_AGGREGATE.add(0.5);
    EVERY_TIMER.add(Duration::from_millis(250).as_secs_f64());
    EVERY_TICKS.add(10);
    EVERY_LEVEL.raise(u64::from(left));
    EVERY_LEVEL.set(1);
    EVERY_HIGHEST.set(f64::from(left) + 0.5);
    EVERY_LOWEST.set(left);
    EVERY_SIZE.set(left);
    EVERY_SHARE.set(1.0 / f64::from(left + 1));
    EVERY_WEATHER.set(if steps % 2 == 1 { Weather::Foul } else { Weather::Between });
    EVERY_GENERIC.set(-i64::from(left));
    for process in 0..4_u32 {
        EVERY_PEERS.add(process, u64::from(process) + 1);
        EVERY_PEER_COUNTS.add(process, process + 1);
    }
    let mut queue = QUEUE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let queue = queue.get_or_insert_with(|| EVERY_QUEUE.of(5));
    queue.set(10 + u64::from(left));
    queue.lower(5);
}
