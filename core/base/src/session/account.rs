//! Accounts: the value of a handle, computed from the cell's value and the handle's own state.
//!
//! An account has, for each element, a value and a base: the cell's value at the time when the account had that value. A started
//! handle of a sum shows the value plus the cell's gain since the base; handles of other variables show the cell's value or, if
//! they are stopped, the account's. Every change stores a new value with the present cell value as its base. Changes are made
//! with a [`crate::atomic_record::AtomicRecord`], so nothing here locks, allocates or waits, and all of it works in a signal
//! handler, even one that interrupts the same operation on the same handle.

use std::sync::atomic::Ordering::{Relaxed, Release};

use super::elements::{Arithmetic, check_buffer};
use super::handle::{Handle, View};
use crate::atomic_record::{Control, Flags};
use crate::cell::{Behavior, PvarDesc};
use crate::desc::check_active;
use crate::object::Object;
use crate::{Error, Result};

/// The state of one element when a change is made.
#[derive(Clone, Copy)]
struct Present {
    /// The value that the handle showed so far.
    shown: u64,
    /// The cell's value.
    raw: u64,
}

/// The cell's values, read for a change.
enum Raw {
    Scalar(u64),
    Array(*const u8),
}

/// Returns true if the handle's value depends on the cell.
#[inline]
fn is_live(desc: &PvarDesc, control: Control) -> bool {
    match desc.behavior() {
        Behavior::Sum => control.runs(),
        _ => control.runs() || !control.touched(),
    }
}

/// Returns the value of an element for which [`is_live`] is true.
#[inline]
fn shown(desc: &PvarDesc, control: Control, value: u64, base: u64, raw: u64) -> u64 {
    match desc.behavior() {
        Behavior::Sum => Arithmetic(desc.datatype()).gained(value, base, raw),
        // A written value is shown until the cell changes.
        _ if control.overlay() && raw == base => value,
        _ => raw,
    }
}

impl Handle {
    /// Returns the value of a handle that shows one sum of words and has no object: most handles. `None` for others, and if the
    /// handle was freed, is not in this session, or was changed meanwhile.
    #[inline]
    pub(super) fn read_word_sum(&self, id: u64, session: u64) -> Option<Result<u64>> {
        let control = self.atomic_record.control();
        let desc = self.plain(id, session)?;
        if !desc.is_word_sum() {
            return None;
        }
        let (value, base) = self.scalar(control.record());
        let mut shown = value;
        if control.runs() {
            let without_cell = value.wrapping_sub(base);
            match desc.read_scalar(&Object::NONE) {
                Ok(raw) => shown = without_cell.wrapping_add(raw),
                Err(error) => return Some(Err(error)),
            }
        }
        if self.atomic_record.unchanged(control) { Some(Ok(shown)) } else { None }
    }

    /// Copies the value of a handle with an account of one element and without an object. `None` for other handles, and if the
    /// handle was freed or is not in this session. Not inlined, so that reads of sums do not save its registers.
    ///
    /// # Safety
    ///
    /// `out` is valid for a write of one element.
    #[inline(never)]
    pub(super) unsafe fn read_plain(&self, id: u64, session: u64, out: *mut u8) -> Option<Result<()>> {
        loop {
            let control = self.atomic_record.control();
            let desc = self.plain(id, session)?;
            let word = match self.plain_word(desc, control, out) {
                Ok(word) => word,
                Err(error) => return Some(Err(error)),
            };
            if self.atomic_record.unchanged(control) {
                // SAFETY: `plain_word` checked the alignment; the caller ensures that `out` is valid for a write of one element.
                unsafe { Arithmetic(desc.datatype()).store(out, word) };
                return Some(Ok(()));
            }
        }
    }

    #[inline]
    fn plain_word(&self, desc: &'static PvarDesc, control: Control, out: *mut u8) -> Result<u64> {
        check_buffer(out, desc.datatype())?;
        check_active(desc.activation(), Error::InvalidHandle)?;
        let (value, base) = self.scalar(control.record());
        if !is_live(desc, control) {
            return Ok(value);
        }
        let raw = desc.read_scalar(&Object::NONE)?;
        Ok(shown(desc, control, value, base, raw))
    }
}

impl View<'_> {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic(self.desc.datatype())
    }

    /// Copies the elements that a tool reads.
    ///
    /// # Safety
    ///
    /// `out` is valid for reads and writes of `count` elements, and aligned for one.
    pub(super) unsafe fn read_array(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        loop {
            let control = self.control()?;
            let is_live = is_live(self.desc, control);
            if is_live {
                // SAFETY: `out` has `count` aligned elements: the caller ensures it.
                unsafe { self.desc.read(&self.object, out, self.count) }?;
            }
            let (values, bases) = (self.values(control.record()), self.bases(control.record()));
            for (element, (value, base)) in values.iter().zip(bases).enumerate() {
                let at = arithmetic.at(out, element).cast_mut();
                let mut word = value.load(Relaxed);
                if is_live {
                    // SAFETY: `at` is one of the `count` elements of `out`, and the cell's function wrote it above.
                    let raw = unsafe { arithmetic.load(at) };
                    word = shown(self.desc, control, word, base.load(Relaxed), raw);
                }
                // SAFETY: `at` is one of the `count` elements of `out`: the caller ensures that they are valid for writes.
                unsafe { arithmetic.store(at, word) };
            }
            if self.handle.atomic_record.unchanged(control) {
                return Ok(());
            }
        }
    }

    /// Returns the element that a tool reads, if there is one only.
    pub(super) fn read_scalar(&self) -> Result<u64> {
        loop {
            let control = self.control()?;
            let (value, base) = self.handle.scalar(control.record());
            let word = if is_live(self.desc, control) {
                shown(self.desc, control, value, base, self.desc.read_scalar(&self.object)?)
            } else {
                value
            };
            if self.handle.atomic_record.unchanged(control) {
                return Ok(word);
            }
        }
    }

    pub(super) fn start_account(&self) -> Result<()> {
        if self.control()?.runs() {
            return Ok(());
        }
        // The cell has to count before its value is read as the base.
        self.desc.watch(1);
        let started = self.change(
            Error::PvarNoStartStop,
            |seen| if seen.runs() { None } else { Some(Flags::RUNS) },
            |_, present| present.shown,
        );
        if started != Ok(true) {
            self.desc.watch(-1);
        }
        started.map(drop)
    }

    pub(super) fn stop_account(&self) -> Result<()> {
        if !self.control()?.runs() {
            return Ok(());
        }
        let stopped = self.change(
            Error::PvarNoStartStop,
            |seen| if seen.runs() { Some(Flags::NONE) } else { None },
            |_, present| present.shown,
        );
        if stopped == Ok(true) {
            self.desc.watch(-1);
        }
        stopped.map(drop)
    }

    /// Resets the handle to the starting value of its class: 0 for sums, else the cell's value.
    pub(super) fn reset_account(&self) -> Result<()> {
        let is_sum = self.desc.behavior() == Behavior::Sum;
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS));
        self.change(Error::PvarNoWrite, running, |_, present| if is_sum { 0 } else { present.raw }).map(drop)
    }

    /// Stores the value that a tool wrote.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(super) unsafe fn write_account(&self, value: *const u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS).with(Flags::OVERLAY));
        let written = |element, _| {
            // SAFETY: `element` is less than `count`, and the caller ensures that `value` has `count` aligned elements.
            unsafe { arithmetic.load(arithmetic.at(value, element)) }
        };
        self.change(Error::PvarNoWrite, running, written).map(drop)
    }

    /// Copies the value of a sum and resets it, in one atomic step.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` elements, and aligned for one.
    pub(super) unsafe fn exchange_account(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let running = |seen: Control| Some(seen.flags().only(Flags::RUNS));
        let take = |element, present: Present| {
            // SAFETY: `element` is less than `count`, and the caller ensures that `out` has `count` aligned elements.
            unsafe { arithmetic.store(arithmetic.at(out, element).cast_mut(), present.shown) };
            0
        };
        self.change(Error::PvarNoWrite, running, take).map(drop)
    }

    /// Applies a change: sets the flags that `next` returns (none: no change), and each element to the result of `value`. Returns
    /// true if there was a change, and `refusal` if too many changes are in progress.
    fn change(
        &self,
        refusal: Error,
        next: impl Fn(Control) -> Option<Flags>,
        mut value: impl FnMut(usize, Present) -> u64,
    ) -> Result<bool> {
        let changed = self.handle.atomic_record.change(self.records(), |seen, record| {
            if !self.is_current() {
                return Err(Error::InvalidHandle);
            }
            let Some(flags) = next(seen) else { return Ok(None) };
            let raw = self.raw(record)?;
            let is_live = is_live(self.desc, seen);
            let from = self.values(seen.record()).iter().zip(self.bases(seen.record()));
            let to = self.values(record).iter().zip(self.bases(record));
            for (element, (from, to)) in from.zip(to).enumerate() {
                let raw = self.raw_element(&raw, element);
                let before = from.0.load(Relaxed);
                let shown =
                    if is_live { shown(self.desc, seen, before, from.1.load(Relaxed), raw) } else { before };
                // `Release` is for readers; see `AtomicRecord::unchanged`.
                to.0.store(value(element, Present { shown, raw }), Release);
                to.1.store(raw, Release);
            }
            Ok(Some(flags.with(Flags::TOUCHED)))
        });
        changed.unwrap_or(Err(refusal))
    }

    /// Reads the cell for a change, after a record was claimed.
    fn raw(&self, record: usize) -> Result<Raw> {
        if self.count == 1 {
            return self.desc.read_scalar(&self.object).map(Raw::Scalar);
        }
        let scratch = self.scratch(record);
        if scratch.is_empty() {
            return Err(Error::InvalidHandle);
        }
        // Derived from the whole slice: a pointer from the first word alone would not permit access to the others.
        let scratch = scratch.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the section has `count` words, no element is larger than a word, and the claimed record's scratch space has no
        // other user.
        unsafe { self.desc.read(&self.object, scratch, self.count) }?;
        Ok(Raw::Array(scratch))
    }

    fn raw_element(&self, raw: &Raw, element: usize) -> u64 {
        match raw {
            Raw::Scalar(word) => *word,
            // SAFETY: `element` is less than `count`, and `raw` read `count` elements to `start`.
            Raw::Array(start) => unsafe { self.arithmetic().load(self.arithmetic().at(*start, element)) },
        }
    }
}
