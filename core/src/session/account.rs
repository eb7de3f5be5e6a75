//! Accounts: what a handle shows, made from the cell's value and the handle's own state.
//!
//! An account has, for each element, a value and the cell's value when it was so. Handles of sums show, while they run,
//! the value and what the cell gained since; handles of present values show what the cell has, or, when they are
//! stopped, the value. Every change is of the same form: note the cell's value, and a value that begins with it. It
//! is made with a [`crate::switch::Switch`], so nothing here locks, allocates or waits, and all of it works in a signal
//! handler, also one that interrupts the same operation on the same handle.

use std::sync::atomic::Ordering::{Relaxed, Release};

use super::elements::Arithmetic;
use super::handle::View;
use crate::desc::Behaviour;
use crate::switch::{Control, Flags};
use crate::{Error, Result};

/// One element when a change is made.
#[derive(Clone, Copy)]
struct Present {
    /// What the handle showed so far.
    shown: u64,
    /// What the cell has.
    raw: u64,
}

/// The cell's values, read for a change.
enum Raw {
    Scalar(u64),
    Array(*const u8),
}

impl View<'_> {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic(self.desc.element())
    }

    /// Whether the cell is needed to say what the handle shows.
    fn is_live(&self, control: Control) -> bool {
        match self.desc.behaviour() {
            Behaviour::Sum => control.runs(),
            _ => control.runs() || !control.touched(),
        }
    }

    /// What an element shows, when [`Self::is_live`].
    fn shown(&self, control: Control, value: u64, base: u64, raw: u64) -> u64 {
        match self.desc.behaviour() {
            Behaviour::Sum => self.arithmetic().gained(value, base, raw),
            // What a tool wrote is shown until the cell moves on.
            _ if control.overlay() && raw == base => value,
            _ => raw,
        }
    }

    /// What a tool reads.
    ///
    /// # Safety
    ///
    /// `out` is valid for reads and writes of `count` elements, and aligned for one.
    #[inline]
    pub(super) unsafe fn read_account(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        if self.count == 1 {
            let word = self.read_scalar()?;
            // SAFETY: by the caller's promise.
            unsafe { arithmetic.store(out, word) };
            return Ok(());
        }
        loop {
            let control = self.handle.switch.control();
            let live = self.is_live(control);
            if live {
                // SAFETY: by the caller's promise.
                unsafe { self.desc.read(&self.object, out, self.count) }?;
            }
            let (values, bases) = (self.values(control.record()), self.bases(control.record()));
            for (element, (value, base)) in values.iter().zip(bases).enumerate() {
                let at = arithmetic.at(out, element).cast_mut();
                let mut word = value.load(Relaxed);
                if live {
                    // SAFETY: by the caller's promise; written by the cell just now.
                    let raw = unsafe { arithmetic.load(at) };
                    word = self.shown(control, word, base.load(Relaxed), raw);
                }
                // SAFETY: by the caller's promise.
                unsafe { arithmetic.store(at, word) };
            }
            if self.handle.switch.unchanged(control) {
                return Ok(());
            }
        }
    }

    #[inline]
    fn read_scalar(&self) -> Result<u64> {
        loop {
            let control = self.handle.switch.control();
            let (value, base) = self.handle.scalar(control.record());
            let word = if self.is_live(control) {
                self.shown(control, value, base, self.raw_scalar()?)
            } else {
                value
            };
            if self.handle.switch.unchanged(control) {
                return Ok(word);
            }
        }
    }

    /// Starts the handle, if it is stopped.
    pub(super) fn start_account(&self) -> Result<()> {
        if self.handle.switch.control().runs() {
            return Ok(());
        }
        // First the cell keeps its sum, then it is read.
        self.desc.watch(1);
        let started = self.change(
            Error::PvarNoStartStop,
            |seen| (!seen.runs()).then_some(Flags::RUNS),
            |_, present| present.shown,
        );
        if started != Ok(true) {
            self.desc.watch(-1);
        }
        started.map(drop)
    }

    /// Stops the handle, if it runs.
    pub(super) fn stop_account(&self) -> Result<()> {
        if !self.handle.switch.control().runs() {
            return Ok(());
        }
        let stopped = self.change(
            Error::PvarNoStartStop,
            |seen| seen.runs().then_some(Flags::NONE),
            |_, present| present.shown,
        );
        if stopped == Ok(true) {
            self.desc.watch(-1);
        }
        stopped.map(drop)
    }

    /// Resets the handle to the starting value of its class: 0 for sums, else what the cell has.
    pub(super) fn reset_account(&self) -> Result<()> {
        let is_sum = self.desc.behaviour() == Behaviour::Sum;
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS));
        self.change(Error::PvarNoWrite, running, |_, present| if is_sum { 0 } else { present.raw }).map(drop)
    }

    /// Lets the handle show what a tool wrote.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(super) unsafe fn write_account(&self, value: *const u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS).with(Flags::OVERLAY));
        let written = |element, _| {
            // SAFETY: by the caller's promise.
            unsafe { arithmetic.load(arithmetic.at(value, element)) }
        };
        self.change(Error::PvarNoWrite, running, written).map(drop)
    }

    /// Copies what a sum shows and resets it, in one atomic step.
    ///
    /// # Safety
    ///
    /// As [`Self::read_account`].
    pub(super) unsafe fn exchange_account(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS));
        let take = |element, present: Present| {
            // SAFETY: by the caller's promise.
            unsafe { arithmetic.store(arithmetic.at(out, element).cast_mut(), present.shown) };
            0
        };
        self.change(Error::PvarNoWrite, running, take).map(drop)
    }

    /// Makes a change: to the flags that `next` says, unless it says to leave all as it is, and to the value that
    /// `value` makes of each element. Returns whether there was a change. Too many at once are answered `refusal`.
    fn change(
        &self,
        refusal: Error,
        next: impl Fn(Control) -> Option<Flags>,
        mut value: impl FnMut(usize, Present) -> u64,
    ) -> Result<bool> {
        let changed = self.handle.switch.change(self.records(), |seen, record| {
            let Some(flags) = next(seen) else { return Ok(None) };
            let raw = self.raw(record)?;
            let live = self.is_live(seen);
            let from = self.values(seen.record()).iter().zip(self.bases(seen.record()));
            let to = self.values(record).iter().zip(self.bases(record));
            for (element, (from, to)) in from.zip(to).enumerate() {
                let raw = self.raw_element(&raw, element);
                let before = from.0.load(Relaxed);
                let shown = if live { self.shown(seen, before, from.1.load(Relaxed), raw) } else { before };
                // `Release` is for readers; see `Switch::unchanged`.
                to.0.store(value(element, Present { shown, raw }), Release);
                to.1.store(raw, Release);
            }
            Ok(Some(flags.with(Flags::TOUCHED)))
        });
        changed.unwrap_or(Err(refusal))
    }

    /// Reads the cell, for a change that has claimed a record.
    fn raw(&self, record: usize) -> Result<Raw> {
        if self.count == 1 {
            return self.raw_scalar().map(Raw::Scalar);
        }
        let scratch = self.scratch(record);
        if scratch.is_empty() {
            return Err(Error::InvalidHandle);
        }
        // A pointer to all of them: one that comes from the first word gives no access to the others.
        let scratch = scratch.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the section is `count` words, no element is larger than a word, and nobody else uses the scratch of
        // a record that is claimed.
        unsafe { self.desc.read(&self.object, scratch, self.count) }?;
        Ok(Raw::Array(scratch))
    }

    #[inline]
    fn raw_scalar(&self) -> Result<u64> {
        let mut word = 0_u64;
        let start = (&raw mut word).cast::<u8>();
        // SAFETY: a word has room for one element.
        unsafe { self.desc.read(&self.object, start, 1) }?;
        // SAFETY: written just now.
        Ok(unsafe { self.arithmetic().load(start) })
    }

    fn raw_element(&self, raw: &Raw, element: usize) -> u64 {
        match raw {
            Raw::Scalar(word) => *word,
            // SAFETY: one of the `count` elements that `raw` read.
            Raw::Array(start) => unsafe { self.arithmetic().load(self.arithmetic().at(*start, element)) },
        }
    }
}
