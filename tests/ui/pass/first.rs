//! Definitions of every kind, read back from the slices.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings)]
#![warn(clippy::pedantic)]

use std::ffi::c_char;

use mpit::cell::{Counter, Level, PeerArray, Percentage, State, Timer};
use mpit::cvar::{Cvar, Text};
use mpit::object::{Comm, Object};
use mpit::{MpitEnum, category, component, cvar, pvar};

/// The top.
#[category(name = "mpi", contains = [Pml])]
pub struct Mpi;

/// Point to point.
#[category(name = "pml", parent = Mpi)]
pub struct Pml;

/// Phases.
#[derive(Clone, Copy, PartialEq, PartialOrd, MpitEnum)]
#[repr(i32)]
pub enum Phase {
    /// Nothing to do.
    Idle,
    /// Working.
    Active = 3,
}

/// Messages, per peer.
#[pvar(class = "SIZE", bind = "COMM", category = Pml, verbosity = "USER_BASIC", continuous)]
pub static MESSAGES: PeerArray<u64> = PeerArray::new();

/// Messages.
#[pvar(class = "COUNTER", category = [Pml, Mpi], datatype = "UNSIGNED_LONG", atomic)]
pub static MESSAGES_TOTAL: Counter<u64> = Counter::new();

/// Queue.
#[pvar(class = "LEVEL", highwatermark, lowwatermark)]
pub static QUEUE: Level<u32> = Level::new();

/// Waiting.
#[pvar(class = "TIMER", unit = "us")]
pub static WAITING: Timer<u64> = Timer::new();

/// Phase.
#[pvar(class = "STATE")]
pub static PHASE: State<Phase> = State::new();

/// Share.
#[pvar(class = "PERCENTAGE")]
pub static SHARE: Percentage = Percentage::new(0.5);

/// Phase now.
#[pvar(class = "STATE")]
fn phase_now() -> Phase {
    Phase::Active
}

/// Histogram.
#[pvar(class = "SIZE", bind = "COMM", count = |comm| 66 * comm.size(), cumulative, on_start = start, on_stop = start)]
fn histogram(_comm: &Comm<'_>, out: &mut [u64]) -> mpit::Result<()> {
    out.fill(1);
    Ok(())
}

fn start() {}

/// Window bytes.
#[pvar(class = "SIZE", bind = "WIN")]
fn window(object: &Object<'_>) -> u64 {
    object.id()
}

/// Text.
#[pvar(class = "GENERIC", count = 8)]
fn text(out: &mut [c_char]) {
    out[0] = 65;
}

/// Limit.
#[cvar(scope = "LOCAL", category = Pml, alias = "other_limit", env = ["OMPI_MCA_x"], settable = "before_init", datatype = "UINT32_T")]
pub static LIMIT: Cvar<u32> = Cvar::new(4096).range(64..=65536);

/// Name.
#[cvar(scope = "ALL")]
pub static FILE: Cvar<Text<64>> = Cvar::new(Text::new("prof"));

/// Mode.
#[cvar]
pub static MODE: Cvar<Phase> = Cvar::new(Phase::Idle);

/// Listens.
pub trait Listener: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
}

struct Monitoring;

/// Counts.
#[component(framework = "pml", name = "monitoring")]
impl Listener for Monitoring {
    fn name(&self) -> &'static str {
        "monitoring"
    }
}

fn main() {
    let component = mpit::__private::MPIT_COMPONENTS_V1[0];
    assert_eq!(component.object::<dyn Listener>().unwrap().name(), "monitoring");
    for desc in mpit::__private::MPIT_PVARS_V1 {
        println!("{desc:?} {} {:?}", desc.text(), desc.category_list().iter().map(|c| c.name()).collect::<Vec<_>>());
    }
}
