//! Marks: the extreme level of one watermark handle's own time.

use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::Gauge;
use crate::switch::{Control, Flags, Switch};
use crate::{Error, Result};

/// More changes of one handle at once than this fail.
const RECORDS: usize = 8;

/// What one watermark handle knows: the highest or the lowest level while it ran, or at its last reset.
///
/// The peak lies in a record of a [`Switch`]: what is started, stopped or reset gets a new one, so that an update that
/// comes late moves a peak that nobody looks at any more.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Mark {
    switch: Switch,
    peaks: [AtomicU64; RECORDS],
    gauge: &'static Gauge,
    highest: bool,
    /// A handle owns it.
    taken: AtomicBool,
    /// The mark of the same gauge that was made before this one.
    pub(super) next: AtomicPtr<Mark>,
}

impl Mark {
    pub(super) fn new(gauge: &'static Gauge, highest: bool) -> Self {
        Self {
            switch: Switch::new(),
            peaks: [const { AtomicU64::new(0) }; RECORDS],
            gauge,
            highest,
            taken: AtomicBool::new(true),
            next: AtomicPtr::default(),
        }
    }

    /// Takes a mark that was given back, unless it is of the other kind; whether it did.
    pub(super) fn take(&self, highest: bool) -> bool {
        self.highest == highest
            && !self.taken.load(Relaxed)
            && self.taken.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }

    /// Whether a handle owns it.
    pub(super) fn is_taken(&self) -> bool {
        self.taken.load(Acquire)
    }

    /// Gives the mark back; whether it ran.
    pub(crate) fn retire(&self) -> bool {
        let ran = self.clear();
        self.taken.store(false, Release);
        ran
    }

    /// The present control word.
    pub(crate) fn control(&self) -> Control {
        self.switch.control()
    }

    /// Stops it for ever, if its control word is still this one; whether it ran. `None` when it is another.
    pub(crate) fn stop_if(&self, seen: Control) -> Option<bool> {
        let stopped = self.switch.stop_if(seen);
        if stopped == Some(true) {
            self.gauge.running.fetch_sub(1, SeqCst);
        }
        stopped
    }

    fn clear(&self) -> bool {
        let ran = std::cell::Cell::new(false);
        self.switch.change_flags(|seen| {
            ran.set(seen.runs());
            Some(Flags::NONE)
        });
        if ran.get() {
            self.gauge.running.fetch_sub(1, SeqCst);
        }
        ran.get()
    }

    fn more_extreme(&self, a: u64, b: u64) -> u64 {
        if self.highest { a.max(b) } else { a.min(b) }
    }

    /// The peak of a mark that has seen no level yet.
    fn none(&self) -> u64 {
        if self.highest { 0 } else { u64::MAX }
    }

    /// Moves the peak of a record to a level.
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

    /// Takes note of a level, if the mark runs.
    #[inline]
    pub(super) fn observe(&self, level: u64) {
        let seen = self.switch.control();
        if seen.runs() {
            self.widen(seen, level);
        }
    }

    /// What a tool reads: before the first start the present level, then the extreme one.
    pub(crate) fn read(&self) -> u64 {
        loop {
            let seen = self.switch.control();
            let level = self.gauge.level();
            if seen.runs() {
                // An update may have written the level and not come to the marks yet.
                self.widen(seen, level);
            }
            let peak = self.peaks[seen.record() % RECORDS].load(Acquire);
            if self.switch.unchanged(seen) {
                return if seen.touched() { peak } else { level };
            }
        }
    }

    /// Starts it, if it is stopped; whether it was. The first time it begins at the present level; later it goes on
    /// from where it stopped.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] when too many changes are made at once.
    pub(crate) fn start(&self) -> Result<bool> {
        self.gauge.running.fetch_add(1, SeqCst);
        let started = self.change(Error::PvarNoStartStop, |seen| {
            (!seen.runs()).then(|| {
                let peak = if seen.touched() { self.peak(seen) } else { self.none() };
                (peak, Flags::RUNS.with(Flags::TOUCHED))
            })
        });
        if started == Ok(true) {
            self.observe(self.gauge.level());
        } else {
            self.gauge.running.fetch_sub(1, SeqCst);
        }
        started
    }

    /// Stops it, if it runs; whether it did.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] when too many changes are made at once.
    pub(crate) fn stop(&self) -> Result<bool> {
        let stopped = self.change(Error::PvarNoStartStop, |seen| {
            let level = self.gauge.level();
            seen.runs().then(|| (self.more_extreme(self.peak(seen), level), Flags::TOUCHED))
        });
        if stopped == Ok(true) {
            self.gauge.running.fetch_sub(1, SeqCst);
        }
        stopped
    }

    /// Sets it to the present level.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] when too many changes are made at once.
    pub(crate) fn reset(&self) -> Result<()> {
        self.change(Error::PvarNoWrite, |seen| {
            Some((self.gauge.level(), Flags::TOUCHED.with(seen.flags().only(Flags::RUNS))))
        })?;
        self.observe(self.gauge.level());
        Ok(())
    }

    fn peak(&self, seen: Control) -> u64 {
        self.peaks[seen.record() % RECORDS].load(Acquire)
    }

    fn change(&self, refusal: Error, next: impl Fn(Control) -> Option<(u64, Flags)>) -> Result<bool> {
        let changed = self.switch.change(RECORDS, |seen, record| {
            Ok(next(seen).map(|(peak, flags)| {
                self.peaks[record].store(peak, Release);
                flags
            }))
        });
        changed.unwrap_or(Err(refusal))
    }
}
