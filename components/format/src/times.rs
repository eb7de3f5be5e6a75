//! The time of a process in MPI, by call and communicator, and the times at which it took part in collective operations.

use std::fs;
use std::sync::Arc;

use crate::calls::CallName;

/// The number of bins of a histogram of durations: bin 0 for 0 ns, bin k for at least 2^(k-1) and less than 2^k ns. The last bin has
/// all longer ones, of more than 19 hours.
pub const DURATIONS: usize = 48;

/// Returns the bin of a duration in nanoseconds.
#[inline]
#[must_use]
pub const fn duration_bin(ns: u64) -> usize {
    const MAX_NS: u64 = (1 << (DURATIONS - 1)) - 1;
    // The logarithm of an odd number is one instruction on every processor.
    let bin = (ns << 1 | 1).ilog2() as usize;
    if ns <= MAX_NS && bin < DURATIONS { bin } else { DURATIONS - 1 }
}

/// A moment on the clock of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The number of the machine's clock, as in [`TimeRow::domain`].
    pub domain: u64,
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub ns: u64,
}

/// Returns a number of this machine since its start and of the time namespace, which is not 0: processes with equal numbers share
/// `CLOCK_MONOTONIC`.
#[must_use]
pub fn machine() -> u64 {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    let mixed = boot
        .bytes()
        .chain(namespace.into_os_string().into_encoded_bytes())
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
    mixed.max(1)
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of_value:meta])* $value:ident = $number:literal, $word:literal;)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$of_value])* $value = $number),+
        }

        impl $name {
            const ALL: &[Self] = &[$(Self::$value),+];

            /// Returns the word in files.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }

            pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str().as_bytes() == word)
            }

            /// Returns the value of a number.
            #[must_use]
            pub fn of_number(number: u64) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| *value as u64 == number)
            }
        }
    )+};
}

words! {
    /// The calls whose time is measured.
    Mode {
        /// None; calls are not counted by name either.
        #[default]
        Off = 0, "off";
        /// Calls that may wait are measured always, others by sampling.
        Blocking = 1, "blocking";
        /// All calls.
        All = 2, "all";
    }

    /// The clock by which calls are measured.
    Clock {
        /// The processor's cycle counter.
        #[default]
        Counter = 0, "tsc";
        /// `CLOCK_MONOTONIC`.
        System = 1, "clock_gettime";
    }
}

/// The measured time of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeRow {
    /// The calls that are measured.
    pub mode: Mode,
    /// The clock.
    pub clock: Clock,
    /// The nanoseconds from the end of `MPI_Init` to the begin of `MPI_Finalize`; for a process that did not reach it, to the last
    /// known moment.
    pub elapsed: u64,
    /// The number of the aligned clock. The [entry times](SampledOperation::entry) of two processes are comparable if their numbers
    /// are equal: the processes ran on one machine without a restart. 0 is for a common clock of several machines; no host writes it.
    pub domain: u64,
    /// The maximum error of the aligned clock in nanoseconds.
    pub error: u64,
}

/// The calls of one name on one communicator, or on several that share a [label](crate::profile::Label).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The call.
    pub call: &'static CallName,
    /// The label of the communicator as in the rows `D`; empty for calls without one.
    pub comm: Arc<str>,
    /// The number of the region of the program; 0 for the whole program.
    pub region: u32,
    /// The number of the place in the program that makes the call; 0 for all places.
    pub site: u64,
    /// The exact number of calls.
    pub count: u64,
    /// The number of calls that were measured.
    pub timed: u64,
    /// The nanoseconds in all calls. If not all were measured, an estimate.
    pub ns: u64,
    /// The nanoseconds of the shortest measured call; 0 if none was measured.
    pub min: u64,
    /// The nanoseconds of the longest measured call.
    pub max: u64,
    /// The bytes that the calls were given to send or write, or to share in a collective operation; 0 for all other calls.
    pub bytes: u64,
    /// The number of measured calls by duration: bins of [`DURATIONS`] that are not empty, ascending.
    pub durations: Vec<(u8, u64)>,
}

/// The number of calls at places that were not distinguished, because there were too many.
pub const OTHER_SITES: u64 = u32::MAX as u64;

/// The number of regions that were not distinguished, because there were too many.
pub const OTHER_REGIONS: u32 = u16::MAX as u32;

/// The beginning of the build ID of a line in Python, which the name of the function follows. The offset is the number of the line.
pub const PYTHON: &str = "python:";

/// A place in the program that makes calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteRow {
    /// Its number in the process, from 1.
    pub number: u64,
    /// The distance of the return address of its calls to the begin of the module, as in the symbols of the module's file.
    pub offset: u64,
    /// The build ID of the module in hexadecimal digits; empty if it has none.
    pub build_id: Arc<str>,
    /// The path of the executable or library; empty for code that is in no file.
    pub module: Arc<str>,
}

/// A region of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionRow {
    /// Its number in the process, from 1.
    pub number: u32,
    /// The number of ends that did not fit to the last begin.
    pub mismatches: u64,
    /// The name.
    pub name: Arc<str>,
}

/// The time of a process in a region of the program. With several threads in regions, the sum of theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionTimeRow {
    /// The number of the region, as in [`RegionRow::number`], or [`OTHER_REGIONS`].
    pub number: u32,
    /// The number of times that it began, and did not end before the measured time.
    pub visits: u64,
    /// The nanoseconds in which it was the innermost region, of the time that [`TimeRow::elapsed`] has.
    pub ns: u64,
}

/// Collective operations on one communicator that were sampled by a rule that gives the same ones in all of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateRow {
    /// A number of the communicator that is equal in all of its processes, and differs from that of other communicators.
    pub lineage: u64,
    /// The label of the communicator.
    pub comm: Arc<str>,
    /// The operations, in ascending order of numbers.
    pub operations: Vec<SampledOperation>,
}

/// A sampled collective operation of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampledOperation {
    /// The number of the operation on the communicator, from 1.
    pub number: u64,
    /// The call.
    pub call: &'static CallName,
    /// The time at which the process entered the call, in nanoseconds of the [aligned clock](TimeRow::domain).
    pub entry: u64,
    /// The time at which it left the call.
    pub exit: u64,
}

#[cfg(test)]
mod tests {
    use super::{DURATIONS, Mode, duration_bin};

    #[test]
    fn bins_are_powers_of_two() {
        for (ns, bin) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (1023, 10), (1024, 11)] {
            assert_eq!(duration_bin(ns), bin);
        }
        assert_eq!(duration_bin(u64::MAX), DURATIONS - 1);
    }

    #[test]
    fn words_name_values() {
        for mode in Mode::ALL {
            assert_eq!(Mode::of_word(mode.as_str().as_bytes()), Some(*mode));
            assert_eq!(Mode::of_number(*mode as u64), Some(*mode));
        }
        assert_eq!((Mode::of_word(b"on"), Mode::of_number(3)), (None, None));
    }
}
