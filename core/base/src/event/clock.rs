//! The clock of sources: the processor's cycle counter if its rate is constant, else `CLOCK_MONOTONIC`.
//!
//! Reading it makes no system call and works in a signal handler.

use std::sync::atomic::{
    AtomicI64, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};

/// The largest tick, after which the clock would wrap: in a few decades.
pub const MAX_TICKS: i64 = i64::MAX;

/// The minimum duration of the single measurement of the counter's rate in nanoseconds, which makes it accurate to a few parts in
/// 10^5.
const MEASURED: i64 = 10_000_000;

const UNKNOWN: u8 = 0;
const COUNTER: u8 = 1;
const NANOSECONDS: u8 = 2;

/// The clock: a constant above. All threads compute the same one.
static KIND: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Returns true if ticks are those of the processor's counter.
pub fn is_counter() -> bool {
    match KIND.load(Relaxed) {
        UNKNOWN => {
            let counter = counter::is_constant();
            KIND.store(if counter { COUNTER } else { NANOSECONDS }, Relaxed);
            counter
        }
        kind => kind == COUNTER,
    }
}

/// Returns the number of ticks per second, which never changes. The first call takes up to 10 ms, less after
/// [`begin_measurement`].
pub fn ticks_per_second() -> i64 {
    static RATE: AtomicI64 = AtomicI64::new(0);
    if !is_counter() {
        return 1_000_000_000;
    }
    match RATE.load(Relaxed) {
        0 => {
            let rate = measure();
            // Threads that measure at once agree on the first result.
            match RATE.compare_exchange(0, rate, Relaxed, Relaxed) {
                Ok(_) => rate,
                Err(first) => first,
            }
        }
        rate => rate,
    }
}

/// Both clocks at nearly one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The time in ticks.
    pub ticks: i64,
    /// The time of `CLOCK_MONOTONIC` in nanoseconds.
    pub nanoseconds: i64,
    /// The ticks that the reading took, of which `ticks` is the middle.
    pub window: i64,
}

/// Reads both clocks: the closest of some readings, since the thread may be interrupted between the two.
pub fn read_both() -> Reading {
    let reading = || {
        let (before, nanoseconds, after) = (now(), nanoseconds(), now());
        let window = after.wrapping_sub(before);
        Reading { ticks: before.wrapping_add(window / 2), nanoseconds, window }
    };
    let mut closest = reading();
    for _ in 0..4 {
        let next = reading();
        if next.window < closest.window {
            closest = next;
        }
    }
    closest
}

/// The reading with which the measurement of the rate begins, if it was begun early: ticks and nanoseconds.
static FIRST: [AtomicI64; 2] = [AtomicI64::new(0), AtomicI64::new(0)];

/// Begins the measurement of the rate, so that it takes no time if the rate is needed later than 10 ms from now.
pub fn begin_measurement() {
    if is_counter() && FIRST[0].load(Relaxed) == 0 {
        let Reading { ticks, nanoseconds, .. } = read_both();
        FIRST[1].store(nanoseconds, Relaxed);
        FIRST[0].store(ticks, Release);
    }
}

fn measure() -> i64 {
    begin_measurement();
    let ticks = FIRST[0].load(Acquire);
    let start = FIRST[1].load(Relaxed);
    while nanoseconds() - start < MEASURED {
        std::hint::spin_loop();
    }
    let end = read_both();
    let seconds = (end.nanoseconds - start) as f64 / 1e9;
    ((end.ticks.wrapping_sub(ticks) as f64 / seconds).round() as i64).max(1)
}

/// Returns the present time in ticks.
#[inline]
pub fn now() -> i64 {
    if KIND.load(Relaxed) == COUNTER { ticks_of_counter() } else { now_slowly() }
}

#[inline]
fn ticks_of_counter() -> i64 {
    (counter::read() & i64::MAX as u64).cast_signed()
}

// A separate function, to keep this code out of each call's path.
#[cold]
#[inline(never)]
fn now_slowly() -> i64 {
    if is_counter() { ticks_of_counter() } else { nanoseconds() }
}

fn nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid `timespec`. The call is async-signal-safe, and cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

// Miri supports neither instruction.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc, CpuidResult};

    /// Returns true if the rate is constant in all power states: bit 8 of leaf 0x8000_0007 (invariant TSC).
    pub(super) fn is_constant() -> bool {
        leaf(0x8000_0000).eax >= 0x8000_0007 && leaf(0x8000_0007).edx & (1 << 8) != 0
    }

    #[allow(
        unused_unsafe,
        reason = "the function is safe from Rust 1.94 on, and unsafe in the oldest one supported"
    )]
    fn leaf(number: u32) -> CpuidResult {
        // SAFETY: every x86-64 processor has `cpuid`.
        unsafe { __cpuid(number) }
    }

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 processor has `rdtsc`.
        unsafe { _rdtsc() }
    }
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
mod counter {
    pub(super) fn is_constant() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        0
    }
}
