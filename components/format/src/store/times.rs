//! The words of the time in MPI in a store. Times are ticks of the process's clock, which readers convert.

use super::live::MULTIPLIER;
use crate::times::DURATIONS;

/// The words of the process: block [`Time`](super::blocks::BlockKind::Time), whose key is 0.
pub mod time {
    /// The number of words.
    pub const CELLS: usize = 14;
    /// A [`Mode`](crate::times::Mode).
    pub const MODE: usize = 0;
    /// A [`Clock`](crate::times::Clock).
    pub const CLOCK: usize = 1;
    /// The number of the aligned clock.
    pub const DOMAIN: usize = 2;
    /// The ticks per second, as measured at the start; the distance of both readings below is more accurate once they are far
    /// from each other.
    pub const RATE: usize = 3;
    /// The ticks of the first reading of both clocks.
    pub const FIRST_TICKS: usize = 4;
    /// Nanoseconds of `CLOCK_MONOTONIC` at the first reading.
    pub const FIRST_NS: usize = 5;
    /// The ticks of the last reading of both clocks; 0 if there is none.
    pub const LAST_TICKS: usize = 6;
    /// Nanoseconds of `CLOCK_MONOTONIC` at the last reading.
    pub const LAST_NS: usize = 7;
    /// The ticks at the end of `MPI_Init`.
    pub const START: usize = 8;
    /// The ticks at the begin of `MPI_Finalize`; 0 before.
    pub const END: usize = 9;
    /// The maximum error of the aligned clock in nanoseconds.
    pub const ERROR: usize = 10;
    /// The nanoseconds, a signed number, by which the aligned clock is ahead of `CLOCK_MONOTONIC` at the first reading.
    pub const FIRST_OFFSET: usize = 11;
    /// The difference at the last reading.
    pub const LAST_OFFSET: usize = 12;
    /// Not used yet.
    pub const RESERVED: usize = 13;
}

/// The words of the calls of one name on one communicator by one thread: block [`Call`](super::blocks::BlockKind::Call), whose key
/// is [`call_key`]. The number of the place in the program follows.
pub mod call {
    use super::DURATIONS;

    /// The number of words.
    pub const CELLS: usize = DURATIONS_AT + DURATIONS;
    /// The ticks of the calls that were each measured.
    pub const TICKS: usize = 0;
    /// The ticks of the shortest measured call; 0 if there is none.
    pub const MIN: usize = 1;
    /// The ticks of the longest measured call.
    pub const MAX: usize = 2;
    /// The bytes.
    pub const BYTES: usize = 3;
    /// The time at which a call that was measured began.
    pub const ENTERED: usize = 4;
    /// The time at which the last measured call ended. It is in progress while this is less than the word before.
    pub const LEFT: usize = 5;
    /// The number of all calls, if not all are measured; else 0.
    pub const CALLS: usize = 6;
    /// The number of calls that were measured as samples of those that were not. The first calls are measured, too, and are no
    /// samples: the very first one often takes much longer than all others.
    pub const SAMPLES: usize = 7;
    /// The ticks of the samples.
    pub const SAMPLED_TICKS: usize = 8;
    /// The number of measured calls, samples included, by duration.
    pub const DURATIONS_AT: usize = 9;
}

/// The words of a communicator with calls: block [`CallComm`](super::blocks::BlockKind::CallComm), whose key is its slot.
pub mod comm {
    /// The number of words.
    pub const CELLS: usize = 3;
    /// The number of its label; 0 while the slot is not used.
    pub const LABEL: usize = 0;
    /// The first number behind the label, and the last one.
    pub const FIRST: usize = 1;
    /// The last number behind the label.
    pub const LAST: usize = 2;
}

/// The words of the sampled operations on a communicator: block [`Late`](super::blocks::BlockKind::Late), whose key is the lineage.
pub mod late {
    /// The number of operations.
    pub const SLOTS: usize = 256;
    /// The words of an operation: its number, with the index of its call from bit [`CALL_SHIFT`] on; the ticks at its entry; the
    /// ticks at its exit. A number of 0 stands for no operation.
    pub const SLOT_CELLS: usize = 3;
    /// The number of words.
    pub const CELLS: usize = OPERATIONS + SLOTS * SLOT_CELLS;
    /// The number of the label of the communicator.
    pub const LABEL: usize = 0;
    /// The number behind the label.
    pub const FIRST: usize = 1;
    /// The first operation.
    pub const OPERATIONS: usize = 2;
    /// The position of a call's index.
    pub const CALL_SHIFT: u32 = 48;
}

/// The words of a region of the program in one thread: block [`RegionTime`](super::blocks::BlockKind::RegionTime), whose key is the
/// number of the region.
pub mod region {
    /// The number of words.
    pub const CELLS: usize = 3;
    /// The number of times that the region began.
    pub const VISITS: usize = 0;
    /// The ticks in which it was the innermost region, without those since the word below.
    pub const TICKS: usize = 1;
    /// The time since which it is the innermost region; 0 while it is not.
    pub const ENTERED: usize = 2;
}

/// The slot of calls without a communicator.
pub const NO_COMM: u32 = u32::MAX;

/// Returns the key of calls: the index of their name in [`CALLS`](crate::calls::CALLS), the number of the region of the program,
/// and the slot of the communicator or [`NO_COMM`].
#[must_use]
pub const fn call_key(call: u32, region: u16, comm_slot: u32) -> u64 {
    call as u64 & 0xffff | (region as u64) << 16 | (comm_slot as u64) << 32
}

/// Returns the index of the call, the region and the slot of a [key](call_key).
pub(super) const fn call_of_key(key: u64) -> (usize, u32, u32) {
    ((key & 0xffff) as usize, (key >> 16 & 0xffff) as u32, (key >> 32) as u32)
}

/// The rule by which all processes of a communicator sample the same collective operations. An operation belongs to one of
/// [`SLOTS`](late::SLOTS) groups, of which the operation with the lowest rank is kept. Ranks are as good as random, so the kept ones
/// are spread over the whole run, and a process that has seen as many operations as another one has kept the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRule {
    /// The group.
    pub slot: usize,
    /// The rank.
    pub rank: u64,
}

impl SampleRule {
    /// The number of groups. Each of the operations with numbers up to this one is in a group of its own, so all are kept at first.
    const GROUPS: u64 = late::SLOTS as u64;

    /// Returns the group and the rank of the operation with a number, from 1.
    #[inline]
    #[must_use]
    pub const fn of(number: u64) -> Self {
        let mixed = (number ^ number >> 32).wrapping_mul(MULTIPLIER);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = mixed ^ mixed >> 32;
        let group = if number <= Self::GROUPS { number } else { mixed };
        Self { slot: (group % Self::GROUPS) as usize, rank: mixed }
    }

    /// Returns false for operations that are not kept in nearly all cases: without a look at the kept ones.
    #[inline]
    #[must_use]
    pub const fn is_candidate(self, number: u64) -> bool {
        // The lowest rank of `number / SLOTS` operations is above this bound with a probability of e^-16.
        const BOUND: u64 = 16 * late::SLOTS as u64;
        number <= BOUND || (self.rank >> 32) as u128 * (number as u128) < (BOUND as u128) << 32
    }

    /// Returns true if the operation takes the place of another one of the same group, or a free one, whose number is 0.
    #[inline]
    #[must_use]
    pub const fn replaces(self, kept: u64) -> bool {
        kept == 0 || self.rank < Self::of(kept).rank
    }
}

#[cfg(test)]
mod tests {
    use super::{SampleRule, call_key, call_of_key, late};

    fn kept_after(last: u64) -> Vec<u64> {
        let mut kept = vec![0; late::SLOTS];
        for number in 1..=last {
            let rule = SampleRule::of(number);
            if rule.is_candidate(number) && rule.replaces(kept[rule.slot]) {
                kept[rule.slot] = number;
            }
        }
        kept
    }

    #[test]
    fn the_first_operations_are_all_kept() {
        let mut kept = kept_after(late::SLOTS as u64);
        kept.sort_unstable();
        assert_eq!(kept, (1..=late::SLOTS as u64).collect::<Vec<_>>());
    }

    #[test]
    fn samples_are_spread_over_the_run() {
        let last = if cfg!(miri) { 3000 } else { 200_000 };
        let kept = kept_after(last);
        let quarters = kept.iter().fold([0; 4], |mut quarters, number| {
            quarters[((number - 1) * 4 / last) as usize] += 1;
            quarters
        });
        assert!(quarters.iter().all(|count| (35..100).contains(count)), "{quarters:?}");
    }

    /// An operation that is left out at once must not be the one that would be kept.
    #[test]
    fn candidates_are_those_that_are_kept() {
        let last = if cfg!(miri) { 3000 } else { 100_000 };
        let mut kept = vec![0; late::SLOTS];
        for number in 1..=last {
            let rule = SampleRule::of(number);
            if rule.replaces(kept[rule.slot]) {
                kept[rule.slot] = number;
            }
        }
        assert_eq!(kept, kept_after(last));
    }

    #[test]
    fn keys_have_call_region_and_slot() {
        assert_eq!(call_of_key(call_key(300, 7, 0xffff_fffe)), (300, 7, 0xffff_fffe));
    }
}
