//! Lock-free updates of state that consists of several words.
//!
//! The state is kept in a few records, one of which is the present one. A change claims a record that is not in use, prepares the
//! next state in it, and makes it the present one by a compare-exchange of one control word; if another change came first, it
//! prepares the state again. So a change can be interrupted anywhere by another one of the same state, from a signal handler or
//! another thread, and both take effect, one after the other. A reader retries if the control word changed while it read, as with
//! a seqlock.
//!
//! Nothing blocks. If all records are claimed, by as many changes of one state at once, a change retries for a while and then
//! fails.

use std::cell::Cell;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};

/// The flags in a control word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u64);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The handle is started.
    pub const RUNS: Self = Self(1);
    /// The handle was started, reset or written at least once.
    pub const TOUCHED: Self = Self(2);
    /// The handle was written, and shows that value until the cell changes.
    pub const OVERLAY: Self = Self(4);

    const MASK: u64 = 7;

    /// Returns the union of two sets of flags.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection of two sets of flags.
    #[inline]
    #[must_use]
    pub const fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// A control word: flags, the number of the present record, and a count of changes, which makes each word unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control(u64);

const RECORD_SHIFT: u32 = 3;
const RECORD_MASK: u64 = 31;
const CHANGE: u64 = 1 << 8;

impl Control {
    /// Returns the flags.
    #[inline]
    pub fn flags(self) -> Flags {
        Flags(self.0 & Flags::MASK)
    }

    /// Returns true if [`Flags::RUNS`] is set.
    #[inline]
    pub fn runs(self) -> bool {
        self.0 & Flags::RUNS.0 != 0
    }

    /// Returns true if [`Flags::TOUCHED`] is set.
    #[inline]
    pub fn touched(self) -> bool {
        self.0 & Flags::TOUCHED.0 != 0
    }

    /// Returns true if [`Flags::OVERLAY`] is set.
    #[inline]
    pub fn overlay(self) -> bool {
        self.0 & Flags::OVERLAY.0 != 0
    }

    /// Returns the number of the record in force.
    #[inline]
    pub fn record(self) -> usize {
        (self.0 >> RECORD_SHIFT & RECORD_MASK) as usize
    }

    fn next(self, flags: Flags, record: usize) -> Self {
        let changes = (self.0 & !(CHANGE - 1)).wrapping_add(CHANGE);
        Self(changes | (record as u64) << RECORD_SHIFT | flags.0)
    }
}

/// The control word of a state, and the claims of its records. The records themselves belong to the owner of the atomic record.
#[derive(Debug)]
#[repr(C)]
pub struct AtomicRecord {
    control: AtomicU64,
    /// A bit for each record that is the present one or being prepared.
    claims: AtomicU32,
}

/// The number of attempts to claim a record before a change fails.
const MAX_ATTEMPTS: u32 = 10_000;

impl AtomicRecord {
    /// Creates an atomic record whose present record is 0.
    pub const fn new() -> Self {
        Self { control: AtomicU64::new(0), claims: AtomicU32::new(1) }
    }

    /// Returns the present control word. Data read from its record is valid only if the word is [`AtomicRecord::unchanged`] afterwards.
    #[inline]
    pub fn control(&self) -> Control {
        Control(self.control.load(SeqCst))
    }

    /// Returns true if there was no change since `seen` was loaded.
    ///
    /// Records are written with `Release`. So a reader that saw a word of a later state in its record sees, after this fence, the
    /// control word of a later state.
    #[inline]
    pub fn unchanged(&self, seen: Control) -> bool {
        fence(Acquire);
        self.control.load(Relaxed) == seen.0
    }

    /// Applies a change. `prepare` receives the present control word and the number of a record to fill, and returns the flags of
    /// the next state, or `None` for no change; it may be called again. Returns true if there was a change, and `None` if all of
    /// the `records` stayed claimed.
    ///
    /// # Errors
    ///
    /// The error of `prepare`.
    pub fn change<E>(
        &self,
        records: usize,
        mut prepare: impl FnMut(Control, usize) -> Result<Option<Flags>, E>,
    ) -> Option<Result<bool, E>> {
        let mut claim = self.claim(records)?;
        loop {
            let seen = self.control();
            let flags = match prepare(seen, claim.record) {
                Ok(Some(flags)) => flags,
                Ok(None) => return Some(Ok(false)),
                Err(error) => return Some(Err(error)),
            };
            let next = seen.next(flags, claim.record);
            if self.control.compare_exchange(seen.0, next.0, SeqCst, Relaxed).is_ok() {
                claim.record = seen.record();
                return Some(Ok(true));
            }
        }
    }

    /// Replaces the flags and keeps the record. `None` from `flags` means no change; returns true if there was a change.
    pub fn change_flags(&self, flags: impl Fn(Control) -> Option<Flags>) -> bool {
        loop {
            let seen = self.control();
            let Some(flags) = flags(seen) else { return false };
            let next = seen.next(flags, seen.record());
            if self.control.compare_exchange(seen.0, next.0, SeqCst, Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Clears the flags. Returns true if it was started.
    pub fn clear(&self) -> bool {
        let ran = Cell::new(false);
        self.change_flags(|seen| {
            ran.set(seen.runs());
            Some(Flags::NONE)
        });
        ran.get()
    }

    /// Clears the flags, if the control word is still `seen`. Returns true if it was started, and `None` if the word has changed.
    pub fn stop_if(&self, seen: Control) -> Option<bool> {
        let next = seen.next(Flags::NONE, seen.record());
        let is_present = if seen.runs() {
            self.control.compare_exchange(seen.0, next.0, SeqCst, Relaxed).is_ok()
        } else {
            self.control() == seen
        };
        if is_present { Some(seen.runs()) } else { None }
    }

    /// Claims a record; retries for a while if all are claimed.
    fn claim(&self, records: usize) -> Option<Claim<'_>> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some(claim) = self.try_claim(records) {
                return Some(claim);
            }
            std::hint::spin_loop();
        }
        None
    }

    /// Claims a record, unless all are claimed. Dropping the claim releases the record.
    pub fn try_claim(&self, records: usize) -> Option<Claim<'_>> {
        loop {
            let record = self.claims.load(Relaxed).trailing_ones() as usize;
            if record >= records {
                return None;
            }
            if self.claims.fetch_or(1 << record, Acquire) & (1 << record) == 0 {
                return Some(Claim { atomic_record: self, record });
            }
        }
    }
}

/// A claimed record, which is being prepared. After a change, the claim holds the former record.
#[derive(Debug)]
pub struct Claim<'a> {
    atomic_record: &'a AtomicRecord,
    record: usize,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.atomic_record.claims.fetch_and(!(1 << self.record), Release);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{AtomicRecord, Flags};

    fn change(atomic_record: &AtomicRecord, mut prepare: impl FnMut(usize) -> Option<Flags>) -> Option<bool> {
        let changed = atomic_record.change::<Infallible>(3, |_, record| Ok(prepare(record)));
        changed.map(|done| done.unwrap())
    }

    #[test]
    fn a_change_presents_another_record() {
        let atomic_record = AtomicRecord::new();
        let before = atomic_record.control();
        assert_eq!(change(&atomic_record, |_| Some(Flags::RUNS)), Some(true));
        assert!(!atomic_record.unchanged(before));
        assert!(atomic_record.control().runs());
        assert_ne!(atomic_record.control().record(), before.record());
        assert_eq!(change(&atomic_record, |_| None), Some(false));
    }

    #[test]
    fn nested_changes_take_effect_first() {
        let atomic_record = AtomicRecord::new();
        let mut calls = 0;
        let changed = change(&atomic_record, |outer| {
            calls += 1;
            if calls == 1 {
                assert_eq!(
                    change(&atomic_record, |inner| if inner == outer { None } else { Some(Flags::TOUCHED) }),
                    Some(true)
                );
            }
            Some(Flags::RUNS)
        });
        assert_eq!((changed, calls), (Some(true), 2));
        assert_eq!(atomic_record.control().flags(), Flags::RUNS);
    }

    #[test]
    fn changes_without_a_record_leave_no_claim() {
        let atomic_record = AtomicRecord::new();
        let one = atomic_record.claim(3).unwrap();
        let two = atomic_record.claim(3).unwrap();
        assert!(atomic_record.claim(3).is_none());
        drop((one, two));
        for _ in 0..10 {
            assert_eq!(change(&atomic_record, |_| Some(Flags::NONE)), Some(true));
        }
    }
}
