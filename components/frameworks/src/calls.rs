//! Number and duration of the MPI calls that the program makes.
//!
//! Each area has a COUNTER of calls and a TIMER of the time spent in them. Both are maintained while a handle of either is
//! started; the clock is read only while a handle of the TIMER is. The clock is the processor's cycle counter where that
//! runs at a constant rate, as for the time stamps of events.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit::component::{Subscription, coll, osc, pml};
use mpit::event::clock;
use mpit::internal::host::threads;
use mpit::{category, pvar};

/// The area of MPI that a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// Messages: sends, receives, probes.
    PointToPoint,
    /// Accesses to memory of other processes, and their synchronization.
    OneSided,
    /// Collective operations.
    Collective,
    /// Completion: waits and tests.
    Waiting,
    /// Files.
    Files,
}

struct Calls {
    /// Subscription of the started handles: calls are recorded while there is at least one.
    subscription: Subscription,
    timers: AtomicU32,
    count: AtomicU64,
    ticks: AtomicU64,
}

/// The flag of each area that [`active`] reads: 1 while calls of the area are recorded. The flag is also added to the flag
/// of the framework for the same area, so that one load decides for a call that is reported to a framework.
#[doc(hidden)]
pub static RECORDING: [AtomicU32; 5] = [const { AtomicU32::new(0) }; 5];

static RECORDS: [Calls; 5] = [
    Calls::new(Subscription::new(&RECORDING[Area::PointToPoint as usize]).and(&pml::LISTENING)),
    Calls::new(Subscription::new(&RECORDING[Area::OneSided as usize]).and(&osc::LISTENING)),
    Calls::new(Subscription::new(&RECORDING[Area::Collective as usize]).and(&coll::LISTENING)),
    Calls::new(Subscription::new(&RECORDING[Area::Waiting as usize])),
    Calls::new(Subscription::new(&RECORDING[Area::Files as usize])),
];

impl Calls {
    const fn new(subscription: Subscription) -> Self {
        Self { subscription, timers: AtomicU32::new(0), count: AtomicU64::new(0), ticks: AtomicU64::new(0) }
    }
}

/// Stops recording, also for handles that are started.
pub fn pause() {
    for calls in &RECORDS {
        calls.subscription.pause();
    }
}

/// Resumes recording for the handles that are started.
pub fn resume() {
    for calls in &RECORDS {
        calls.subscription.resume();
    }
}

/// Returns true if calls of an area are recorded (one load).
#[inline]
#[must_use]
pub fn active(area: Area) -> bool {
    RECORDING[area as usize].load(Relaxed) != 0
}

/// A call in progress.
#[derive(Debug)]
#[must_use = "a call that does not end is not recorded"]
pub struct Stopwatch {
    area: Area,
    /// The time at which the call began, if a TIMER is started.
    begin: Option<i64>,
}

/// Begins a call that the program made. Hosts do not report calls that MPI calls make internally.
#[inline]
pub fn begin(area: Area) -> Stopwatch {
    let is_timed = active(area) && RECORDS[area as usize].timers.load(Relaxed) != 0;
    Stopwatch { area, begin: if is_timed { Some(clock::now()) } else { None } }
}

impl Stopwatch {
    /// Ends the call and records it.
    #[inline]
    pub fn end(self) {
        if active(self.area) {
            let record = &RECORDS[self.area as usize];
            threads::add(&record.count, 1);
            if let Some(begin) = self.begin {
                // The thread may have moved to another processor, whose counter may differ slightly.
                let ticks = clock::now().wrapping_sub(begin).max(0);
                threads::add(&record.ticks, ticks.cast_unsigned());
            }
        }
    }
}

/// MPI calls of the program, and the time spent in them. Calls that the library makes inside of them are not counted.
#[category(name = "calls")]
#[derive(Debug)]
pub struct CallsMade;

fn start_counting<const AREA: usize>() {
    RECORDS[AREA].subscription.add();
}

fn stop_counting<const AREA: usize>() {
    RECORDS[AREA].subscription.remove();
}

fn start_timing<const AREA: usize>() {
    // Measured on first use, which takes time: better here than between two calls.
    let _ = clock::ticks_per_second();
    RECORDS[AREA].timers.fetch_add(1, Relaxed);
    RECORDS[AREA].subscription.add();
}

fn stop_timing<const AREA: usize>() {
    RECORDS[AREA].subscription.remove();
    RECORDS[AREA].timers.fetch_sub(1, Relaxed);
}

/// Defines the COUNTER and the TIMER of each area.
macro_rules! variables {
    ($($area:ident: $calls:literal, $count:ident, $seconds:ident;)*) => {$(
        #[doc = concat!("Calls that ", $calls, ".")]
        #[pvar(
            class = "COUNTER", verbosity = "USER_BASIC", category = CallsMade,
            on_start = start_counting::<{ Area::$area as usize }>, on_stop = stop_counting::<{ Area::$area as usize }>
        )]
        fn $count() -> u64 {
            RECORDS[Area::$area as usize].count.load(Relaxed)
        }

        #[doc = concat!("Time spent in calls that ", $calls, ", summed over threads.")]
        #[pvar(
            class = "TIMER", verbosity = "USER_BASIC", category = CallsMade,
            on_start = start_timing::<{ Area::$area as usize }>, on_stop = stop_timing::<{ Area::$area as usize }>
        )]
        fn $seconds() -> f64 {
            RECORDS[Area::$area as usize].ticks.load(Relaxed) as f64 / clock::ticks_per_second() as f64
        }
    )*};
}

variables! {
    PointToPoint: "send, receive and probe messages", calls_p2p_count, calls_p2p_seconds;
    OneSided: "access memory of other processes or synchronize accesses", calls_osc_count, calls_osc_seconds;
    Collective: "take part in collective operations", calls_coll_count, calls_coll_seconds;
    Waiting: "wait or test for completion", calls_wait_count, calls_wait_seconds;
    Files: "open, read, write and describe files", calls_io_count, calls_io_seconds;
}
