//! The time of this process in MPI, by call and communicator.
//!
//! The host measures each call and writes the words itself; this module gives it the blocks of the store for them. Each thread has
//! words of its own, so that it adds without locked instructions. Rows follow from the words ([`mpit_format::store::TimeRecords`]),
//! in a file at the end and in the store of a killed process alike.

mod loaded_objects;
mod places;
mod region_times;
mod registry;
mod variables;

use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::event::clock::{self, Reading};
use mpit::internal::host::revision;
use mpit_format::profile::Profile;
use mpit_format::store::TimeRecords;
use mpit_format::store::blocks::{BlockKind, Content};
use mpit_format::store::times::time;
use mpit_format::times::{Clock, machine};
use mpit_frameworks::comms::Reader;
use mpit_sync::lock::Mutex;
use mpit_sync::memory;
use mpit_sync::static_ref::StaticRef;

pub use loaded_objects::{begin_generation, closing_begins, closing_ends, generation};
pub use mpit_format::store::times::{SampleRule, call as call_words, late as late_words};
pub use mpit_format::times::{Mode, PYTHON, SiteRow, duration_bin};
pub use places::{DescribedSite, NO_REGION, OTHERS, Origin, count_mismatch, region, set_describe};
pub use region_times::enter_region;
pub use registry::{cell, late};

use crate::runtime::RUNTIME;
use crate::settings;
use crate::store::OF_PROCESS;
pub(crate) use registry::RECORDS;

/// The words of the calls of one name on one communicator by one thread.
pub type CallWords = [AtomicU64; call_words::CELLS];

/// The words of the sampled operations on a communicator.
pub type LateWords = [AtomicU64; late_words::CELLS];

type TimeWords = [AtomicU64; time::CELLS];

/// The words of the process, once calls are measured.
static WORDS: StaticRef<TimeWords> = StaticRef::new();

/// The reader of communicators, from the begin of the measurement on.
static READER: Mutex<Option<Reader>> = Mutex::new(None);

/// True while calls are counted and measured.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The call that initialized MPI before there was a place for its time: its index plus one, its region and return address, and the
/// ticks of its begin and its end.
static INITIALIZATION: (AtomicU32, [AtomicU64; 4]) = (AtomicU32::new(0), [const { AtomicU64::new(0) }; 4]);

/// The nanoseconds after which both clocks are read again. A process that is killed then has times as accurate as if it had ended.
const READ_AGAIN: i64 = 1_000_000_000;

/// Returns the calls that are measured. The settings count as they are at the first call of MPI.
#[must_use]
pub fn mode() -> Mode {
    /// The mode plus 1; 0 until it is read. Reading settings may load plug-ins, which may call MPI, so no lock is held meanwhile.
    static MODE: AtomicU8 = AtomicU8::new(0);
    if let Some(mode) = MODE.load(Relaxed).checked_sub(1).and_then(|number| Mode::of_number(number.into())) {
        return mode;
    }
    let mode = settings::time();
    MODE.store(mode as u8 + 1, Relaxed);
    mode
}

/// Returns true if calls are measured once MPI is initialized.
#[must_use]
pub fn is_wanted() -> bool {
    mode() != Mode::Off
}

/// Returns true if places in the program are to be distinguished. The settings count as they are at the first call of MPI.
#[must_use]
pub fn has_sites() -> bool {
    is_wanted() && settings::SITES.get() > 0
}

/// Returns true while calls are counted and measured.
#[inline]
#[must_use]
pub fn is_active() -> bool {
    ACTIVE.load(Relaxed)
}

/// Returns true from the begin of the measurement on, when the thread level is known, also while it is paused.
#[inline]
#[must_use]
pub fn has_begun() -> bool {
    WORDS.get().is_some()
}

/// Returns the present time in ticks.
#[inline]
#[must_use]
pub fn now() -> u64 {
    clock::now().cast_unsigned()
}

/// Begins the measurement of the clock's rate. Called before MPI is initialized, which takes longer than the measurement.
pub fn prepare() {
    if is_wanted() {
        clock::begin_measurement();
    }
}

/// Returns the nanoseconds of a tick, multiplied with 2^32.
#[must_use]
pub fn scaled_nanoseconds() -> u64 {
    ((1_u64 << 32) as f64 * 1e9 / clock::ticks_per_second() as f64) as u64
}

/// Stores the time of the call that initialized MPI.
pub fn initialized(call: u32, origin: Origin, begin: u64, end: u64) {
    let words = [origin.region.into(), origin.return_address, begin, end];
    for (word, value) in INITIALIZATION.1.iter().zip(words) {
        word.store(value, Relaxed);
    }
    INITIALIZATION.0.store(call + 1, Release);
}

/// Begins the measurement, if the settings request it: MPI is initialized, and the store of the process exists.
pub(crate) fn begin() {
    if !is_wanted() {
        return;
    }
    let rate = clock::ticks_per_second();
    let words = OF_PROCESS.add(BlockKind::Time, 0, time::CELLS, &[]);
    let Some(words) = words.and_then(<[_]>::first_chunk::<{ time::CELLS }>) else { return };
    let set = |at: usize, value: u64| words[at].store(value, Relaxed);
    let Reading { ticks, nanoseconds, window } = clock::read_both();
    let clock = if clock::is_counter() { Clock::Counter } else { Clock::System };
    set(time::MODE, mode() as u64);
    set(time::CLOCK, clock as u64);
    set(time::DOMAIN, machine());
    set(time::RATE, rate.cast_unsigned());
    set(time::FIRST_TICKS, ticks.cast_unsigned());
    set(time::FIRST_NS, nanoseconds.cast_unsigned());
    set(time::ERROR, in_nanoseconds(window, rate));
    set(time::START, ticks.cast_unsigned());
    WORDS.set(Some(words));
    places::begin();
    region_times::begin(ticks.cast_unsigned());
    // Keeps the words of communicators that are freed, also of those that MPI frees at its end.
    *READER.lock() = Some(RUNTIME.comms.reader());
    ACTIVE.store(true, Release);
    let call = INITIALIZATION.0.load(Acquire);
    let [region, return_address, begin, end] = INITIALIZATION.1.each_ref().map(|word| word.load(Relaxed));
    if let Some(call) = call.checked_sub(1)
        && let Some(words) = cell(0, None, call, Origin { region: region as u16, return_address })
    {
        add_duration(words, end.saturating_sub(begin), scaled_nanoseconds());
        words[call_words::LEFT].store(end, Relaxed);
    }
}

/// Records the begin of `MPI_Finalize`.
pub fn finalize_begins() {
    if let Some(words) = WORDS.get()
        && words[time::END].load(Relaxed) == 0
    {
        read_clocks(words);
        words[time::END].store(now(), Relaxed);
    }
}

/// Reads both clocks again, if the last reading was long ago. Called from time to time.
pub fn read_clocks_again() {
    let Some(words) = WORDS.get() else { return };
    let last = words[time::LAST_TICKS].load(Relaxed).max(words[time::FIRST_TICKS].load(Relaxed));
    let ticks = now().saturating_sub(last);
    if i128::from(ticks) * 1_000_000_000 > i128::from(READ_AGAIN) * i128::from(clock::ticks_per_second()) {
        read_clocks(words);
    }
}

fn read_clocks(words: &TimeWords) {
    let Reading { ticks, nanoseconds, window } = clock::read_both();
    // Not valid while it changes, as another process may read the store.
    words[time::LAST_TICKS].store(0, Relaxed);
    words[time::LAST_NS].store(nanoseconds.cast_unsigned(), Release);
    words[time::LAST_TICKS].store(ticks.cast_unsigned(), Release);
    let error = in_nanoseconds(window, clock::ticks_per_second());
    words[time::ERROR].fetch_max(error, Relaxed);
}

fn in_nanoseconds(ticks: i64, rate: i64) -> u64 {
    (ticks as f64 * 1e9 / rate as f64).ceil() as u64
}

/// Adds a measured call to the words of the calling thread, without its bytes. `scale` is that of [`scaled_nanoseconds`].
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
pub fn add_duration(words: &CallWords, ticks: u64, scale: u64) {
    add(&words[call_words::TICKS], ticks);
    add_to_histogram(words, ticks, scale);
}

/// Adds a call that was measured as a sample of others.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
pub fn add_sample(words: &CallWords, ticks: u64, scale: u64) {
    add(&words[call_words::SAMPLES], 1);
    add(&words[call_words::SAMPLED_TICKS], ticks);
    add_to_histogram(words, ticks, scale);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
fn add_to_histogram(words: &CallWords, ticks: u64, scale: u64) {
    // 0 stands for no minimum, and is above all others with one subtracted.
    if ticks.wrapping_sub(1) < words[call_words::MIN].load(Relaxed).wrapping_sub(1) {
        words[call_words::MIN].store(ticks, Relaxed);
    }
    if ticks > words[call_words::MAX].load(Relaxed) {
        words[call_words::MAX].store(ticks, Relaxed);
    }
    let ns = (u128::from(ticks) * u128::from(scale)) >> 32;
    add(&words[call_words::DURATIONS_AT + duration_bin(ns as u64)], 1);
}

/// Adds to a word of the calling thread.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
pub fn add(word: &AtomicU64, amount: u64) {
    word.store(word.load(Relaxed).wrapping_add(amount), Relaxed);
}

/// Counts and measures, or stops doing so, once the measurement has begun.
pub(crate) fn set_active(is_active: bool) {
    if has_begun() {
        ACTIVE.store(is_active, Relaxed);
        revision::advance();
    }
}

/// Adds the rows of the run so far: those that a reader of the store would find.
pub(crate) fn add_to(profile: &mut Profile) {
    let mut records = TimeRecords::default();
    OF_PROCESS.each_block(|kind, words| {
        if kind.content() == Content::Times {
            let added = records.add(kind, words.iter().map(|word| word.load(Relaxed)));
            // This process wrote the words, so only a difference between writer and decoder can refuse them.
            debug_assert!(added.is_ok(), "{added:?}");
            if added.is_err() {
                memory::count_dropped();
            }
        }
    });
    records.add_to(profile);
}
