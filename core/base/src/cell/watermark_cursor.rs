//! Watermark cursors: the extreme level of one watermark handle.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

use crate::atomic_record::{AtomicRecord, Control, Flags};
use crate::{Error, Result};

/// The number of records, which bounds the changes of one handle in progress at once; further ones fail.
const RECORDS: usize = 8;

/// The part of a level that its cursors use. [`LevelStorage`](super::LevelStorage) has the order of accesses.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct WatchedLevel {
    /// The present level, as a word.
    pub(crate) level: AtomicU64,
    /// The number of cursors that are started or being started.
    pub(crate) running: AtomicU32,
}

impl WatchedLevel {
    pub(super) const fn new(level: u64) -> Self {
        Self { level: AtomicU64::new(level), running: AtomicU32::new(0) }
    }

    #[inline]
    pub(super) fn load(&self) -> u64 {
        self.level.load(SeqCst)
    }
}

/// A watermark cursor: the highest or lowest level while its handle was started, beginning with the level at its last reset.
///
/// The extreme is in a record of an [`AtomicRecord`]. Starting, stopping and resetting switch to a new record, so that a late update
/// changes a record that is not read any more.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct WatermarkCursor {
    atomic_record: AtomicRecord,
    peaks: [AtomicU64; RECORDS],
    level: &'static WatchedLevel,
    highest: bool,
    /// True if a handle owns the cursor.
    taken: AtomicBool,
    /// The next older cursor of the same level storage.
    pub(super) next: AtomicPtr<WatermarkCursor>,
}

impl WatermarkCursor {
    pub(super) fn new(level: &'static WatchedLevel, highest: bool) -> Self {
        Self {
            atomic_record: AtomicRecord::new(),
            peaks: [const { AtomicU64::new(0) }; RECORDS],
            level,
            highest,
            taken: AtomicBool::new(true),
            next: AtomicPtr::default(),
        }
    }

    /// Takes an unused cursor of the same kind. Returns false if it is of the other kind or in use.
    pub(super) fn take(&self, highest: bool) -> bool {
        self.highest == highest
            && !self.taken.load(Relaxed)
            && self.taken.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }

    pub(super) fn is_taken(&self) -> bool {
        self.taken.load(Acquire)
    }

    /// Returns the cursor for reuse. Returns true if it was started.
    pub(crate) fn retire(&self) -> bool {
        let ran = self.clear();
        self.taken.store(false, Release);
        ran
    }

    pub(crate) fn control(&self) -> Control {
        self.atomic_record.control()
    }

    /// Stops the cursor if its control word is still `seen`. Returns true if it was started, and `None` if the word changed.
    pub(crate) fn stop_if(&self, seen: Control) -> Option<bool> {
        let stopped = self.atomic_record.stop_if(seen);
        if stopped == Some(true) {
            self.level.running.fetch_sub(1, SeqCst);
        }
        stopped
    }

    fn clear(&self) -> bool {
        let ran = self.atomic_record.clear();
        if ran {
            self.level.running.fetch_sub(1, SeqCst);
        }
        ran
    }

    fn more_extreme(&self, a: u64, b: u64) -> u64 {
        if self.highest { a.max(b) } else { a.min(b) }
    }

    /// Returns the extreme of a cursor that has seen no level yet.
    fn none(&self) -> u64 {
        if self.highest { 0 } else { u64::MAX }
    }

    /// Moves the extreme of a record to a level.
    #[inline]
    fn widen(&self, seen: Control, level: u64) {
        let peak = &self.peaks[seen.record() % RECORDS];
        let present = peak.load(Relaxed);
        if self.more_extreme(present, level) == present {
            return;
        }
        if self.highest {
            peak.fetch_max(level, Release);
        } else {
            peak.fetch_min(level, Release);
        }
    }

    /// Applies a new level, if the cursor is started.
    #[inline]
    pub(super) fn observe(&self, level: u64) {
        let seen = self.atomic_record.control();
        if seen.runs() {
            self.widen(seen, level);
        }
    }

    /// Returns the value of the handle: before the first start the present level, then the extreme.
    ///
    /// Here and below, `is_owner` returns false if the caller's handle, and so the cursor, had been returned when the control word was
    /// loaded.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`] if the cursor was returned.
    pub(crate) fn read(&self, is_owner: impl Fn() -> bool) -> Result<u64> {
        loop {
            let seen = self.atomic_record.control();
            if !is_owner() {
                return Err(Error::InvalidHandle);
            }
            let level = self.level.load();
            if seen.runs() {
                // An update may have stored the level and not reached the cursors yet.
                self.widen(seen, level);
            }
            let peak = self.peaks[seen.record() % RECORDS].load(Acquire);
            if self.atomic_record.unchanged(seen) {
                return Ok(if seen.touched() { peak } else { level });
            }
        }
    }

    /// Starts the cursor; returns true if it was stopped. The first start begins at the present level, a later one continues from
    /// the extreme of the stop.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] when too many changes are in progress; [`Error::InvalidHandle`].
    pub(crate) fn start(&self, is_owner: impl Fn() -> bool) -> Result<bool> {
        self.level.running.fetch_add(1, SeqCst);
        let started = self.change(Error::PvarNoStartStop, is_owner, |seen| {
            if seen.runs() {
                return None;
            }
            let peak = if seen.touched() { self.peak(seen) } else { self.none() };
            Some((peak, Flags::RUNS.with(Flags::TOUCHED)))
        });
        if started == Ok(true) {
            self.observe(self.level.load());
        } else {
            self.level.running.fetch_sub(1, SeqCst);
        }
        started
    }

    /// Stops the cursor; returns true if it was started.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] when too many changes are in progress; [`Error::InvalidHandle`].
    pub(crate) fn stop(&self, is_owner: impl Fn() -> bool) -> Result<bool> {
        let stopped = self.change(Error::PvarNoStartStop, is_owner, |seen| {
            if !seen.runs() {
                return None;
            }
            let level = self.level.load();
            Some((self.more_extreme(self.peak(seen), level), Flags::TOUCHED))
        });
        if stopped == Ok(true) {
            self.level.running.fetch_sub(1, SeqCst);
        }
        stopped
    }

    /// Resets the extreme to the present level.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] when too many changes are in progress; [`Error::InvalidHandle`].
    pub(crate) fn reset(&self, is_owner: impl Fn() -> bool) -> Result<()> {
        self.change(Error::PvarNoWrite, is_owner, |seen| {
            Some((self.level.load(), Flags::TOUCHED.with(seen.flags().only(Flags::RUNS))))
        })?;
        self.observe(self.level.load());
        Ok(())
    }

    fn peak(&self, seen: Control) -> u64 {
        self.peaks[seen.record() % RECORDS].load(Acquire)
    }

    fn change(
        &self,
        refusal: Error,
        is_owner: impl Fn() -> bool,
        next: impl Fn(Control) -> Option<(u64, Flags)>,
    ) -> Result<bool> {
        let changed = self.atomic_record.change(RECORDS, |seen, record| {
            if !is_owner() {
                return Err(Error::InvalidHandle);
            }
            Ok(next(seen).map(|(peak, flags)| {
                self.peaks[record].store(peak, Release);
                flags
            }))
        });
        changed.unwrap_or(Err(refusal))
    }
}
