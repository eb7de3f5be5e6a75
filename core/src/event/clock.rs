//! The clock of our sources: the processor's cycle counter where it runs at a constant rate, else nanoseconds.
//!
//! Reading it makes no system call and works in a signal handler.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The largest tick; then the clock would begin again, in a few decades.
pub const MAX_TICKS: i64 = i64::MAX;

/// How long the rate of the counter is measured, once. Gives it to a few parts in 10^5.
const MEASURED: Duration = Duration::from_millis(10);

/// Ticks per second and how to read them.
#[derive(Clone, Copy, Debug)]
struct Clock {
    ticks_per_second: i64,
    counter: bool,
}

fn clock() -> Clock {
    static CLOCK: OnceLock<Clock> = OnceLock::new();
    *CLOCK.get_or_init(|| {
        let nanoseconds = Clock { ticks_per_second: 1_000_000_000, counter: false };
        if !counter::is_constant() {
            return nanoseconds;
        }
        let (start, first) = (Instant::now(), counter::read());
        while start.elapsed() < MEASURED {
            std::hint::spin_loop();
        }
        let (time, ticks) = (start.elapsed(), counter::read().wrapping_sub(first));
        let rate = (ticks as f64 / time.as_secs_f64()).round() as i64;
        if rate > 0 { Clock { ticks_per_second: rate, counter: true } } else { nanoseconds }
    })
}

/// The ticks of a second. The first call takes a few milliseconds.
#[must_use]
pub fn ticks_per_second() -> i64 {
    clock().ticks_per_second
}

/// The present tick.
#[inline]
#[must_use]
pub fn now() -> i64 {
    if clock().counter { (counter::read() & i64::MAX as u64).cast_signed() } else { nanoseconds() }
}

fn nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable. The call is async-signal-safe, and cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Whether the counter runs at one rate, whatever the processor does: bit 8 of leaf 0x8000_0007.
    pub(super) fn is_constant() -> bool {
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    }

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _rdtsc() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    pub(super) fn is_constant() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        0
    }
}
