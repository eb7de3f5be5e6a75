//! Accounts: what a handle shows, made from the cell's value and the handle's own state.
//!
//! Nothing here locks, allocates or waits, so all of it works in a signal handler, also one that interrupts the
//! same operation on the same handle. State that consists of several words is prepared in the section that nobody
//! reads and then made the present one by a single store; a reader that sees the control word change reads again.
//! Who finds a handle busy leaves a note of what he wants, and the one who is at it sees to it.
//!
//! Sections of words, one word per element:
//!
//! | section | sum | current value |
//! |---|---|---|
//! | 0, 1 (one of them present) | offset from the cell's value while running; the value itself while stopped | the value when stopped, or the overlay |
//! | 2 | what was reset or written away | the cell's value when the overlay was written |
//! | 3 | scratch of the one who holds `busy` | the same |
//!
//! A watermark has its mark in word 0.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, SeqCst},
};

use super::handle::View;
use crate::desc::Behaviour;
use crate::words::Datatype;
use crate::{Error, Result};

const ASIDE: usize = 2;
const SCRATCH: usize = 3;

/// Element arithmetic on words.
#[derive(Clone, Copy)]
struct Arithmetic(Datatype);

impl Arithmetic {
    fn add(self, a: u64, b: u64) -> u64 {
        match self.0 {
            Datatype::Double => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
            _ => a.wrapping_add(b),
        }
    }

    fn subtract(self, a: u64, b: u64) -> u64 {
        match self.0 {
            Datatype::Double => (f64::from_bits(a) - f64::from_bits(b)).to_bits(),
            _ => a.wrapping_sub(b),
        }
    }

    /// A sum as tools see it: rounding must not make a sum of `f64` negative.
    fn shown(self, word: u64) -> u64 {
        match self.0 {
            Datatype::Double => f64::from_bits(word).max(0.0).to_bits(),
            _ => word,
        }
    }

    /// # Safety
    ///
    /// `at` is valid for a read of one element, and aligned.
    unsafe fn load(self, at: *const u8) -> u64 {
        match self.0.size() {
            // SAFETY: by the caller's promise.
            1 => u64::from(unsafe { at.read() }),
            // SAFETY: by the caller's promise.
            4 => u64::from(unsafe { at.cast::<u32>().read() }),
            // SAFETY: by the caller's promise.
            _ => unsafe { at.cast::<u64>().read() },
        }
    }

    /// # Safety
    ///
    /// `at` is valid for a write of one element, and aligned.
    unsafe fn store(self, at: *mut u8, word: u64) {
        match self.0.size() {
            // SAFETY: by the caller's promise.
            1 => unsafe { at.write(word as u8) },
            // SAFETY: by the caller's promise.
            4 => unsafe { at.cast::<u32>().write(word as u32) },
            // SAFETY: by the caller's promise.
            _ => unsafe { at.cast::<u64>().write(word) },
        }
    }
}

impl View<'_> {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic(self.desc.element())
    }

    /// The cell's values, read into scratch. Only for the holder of `busy`.
    fn raw(&self) -> Result<impl Fn(usize) -> u64 + '_> {
        let scratch = self.section(SCRATCH);
        let start = scratch.first().ok_or(Error::InvalidHandle)?.as_ptr().cast::<u8>();
        // SAFETY: the section is `count` words of interior-mutable memory, no element is larger than a word, and
        // the caller is the only one who uses it.
        unsafe { self.desc.read(&self.object, start, self.count) }?;
        let arithmetic = self.arithmetic();
        let size = self.desc.element().size();
        Ok(move |element: usize| {
            debug_assert!(element < self.count);
            let at = start.wrapping_add(element * size);
            // SAFETY: element `element` of those that were read just now.
            unsafe { arithmetic.load(at) }
        })
    }

    /// What a tool reads.
    ///
    /// # Safety
    ///
    /// `out` is valid for reads and writes of `count` elements, and aligned for one.
    pub(super) unsafe fn read_account(&self, out: *mut u8) -> Result<()> {
        match self.desc.behaviour() {
            // SAFETY: by the caller's promise.
            Behaviour::Sum => unsafe { self.read_sum(out) },
            // SAFETY: by the caller's promise.
            Behaviour::Current => unsafe { self.read_current(out) },
            Behaviour::Highest | Behaviour::Lowest => {
                let mark = self.mark()?;
                // SAFETY: by the caller's promise.
                unsafe { self.arithmetic().store(out, mark) };
                Ok(())
            }
            Behaviour::Custom => Err(Error::InvalidHandle),
        }
    }

    /// # Safety
    ///
    /// As [`Self::read_account`].
    unsafe fn read_sum(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let size = self.desc.element().size();
        loop {
            let control = self.handle.control();
            if control.runs() {
                // SAFETY: by the caller's promise.
                unsafe { self.desc.read(&self.object, out, self.count) }?;
            }
            let (offsets, aside) = (self.section(control.section()), self.section(ASIDE));
            for (element, (offset, aside)) in offsets.iter().zip(aside).enumerate() {
                let at = out.wrapping_add(element * size);
                let mut word = offset.load(Relaxed);
                if control.runs() {
                    // SAFETY: by the caller's promise; written by `read` above.
                    let raw = unsafe { arithmetic.load(at) };
                    word = arithmetic.add(raw, word);
                }
                word = arithmetic.shown(arithmetic.subtract(word, aside.load(Relaxed)));
                // SAFETY: by the caller's promise.
                unsafe { arithmetic.store(at, word) };
            }
            if self.unchanged_since(control) {
                return Ok(());
            }
        }
    }

    /// # Safety
    ///
    /// As [`Self::read_account`].
    unsafe fn read_current(&self, out: *mut u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let size = self.desc.element().size();
        loop {
            let control = self.handle.control();
            let live = control.runs() || !control.touched();
            if live {
                // SAFETY: by the caller's promise.
                unsafe { self.desc.read(&self.object, out, self.count) }?;
            }
            if !live || control.overlay() {
                let (own, aside) = (self.section(control.section()), self.section(ASIDE));
                for (element, (own, when_written)) in own.iter().zip(aside).enumerate() {
                    let at = out.wrapping_add(element * size);
                    // SAFETY: by the caller's promise; written by `read` above when `live`.
                    let moved_on = live && unsafe { arithmetic.load(at) } != when_written.load(Relaxed);
                    if !moved_on {
                        // SAFETY: by the caller's promise.
                        unsafe { arithmetic.store(at, own.load(Relaxed)) };
                    }
                }
            }
            if self.unchanged_since(control) {
                return Ok(());
            }
        }
    }

    fn unchanged_since(&self, control: super::handle::Control) -> bool {
        std::sync::atomic::fence(Acquire);
        self.handle.control() == control
    }

    /// Sees to what the user wants: until the handle runs or not, as he said, and is reset if he said so.
    pub(super) fn settle(&self) -> Result<()> {
        loop {
            let wants_to_run = self.handle.wants_to_run.load(SeqCst);
            let wants_reset = self.handle.wants_reset.load(SeqCst);
            if wants_to_run == self.handle.control().runs() && !wants_reset {
                return Ok(());
            }
            if !self.handle.try_begin() {
                return Ok(());
            }
            let done = self.flip(wants_to_run);
            self.handle.end();
            if done.is_err() {
                // The cell cannot be read: the handle stays as it was.
                self.handle.wants_to_run.store(self.handle.control().runs(), SeqCst);
                return done;
            }
        }
    }

    /// One change of state. Only for the holder of `busy`.
    fn flip(&self, run: bool) -> Result<()> {
        let control = self.handle.control();
        if self.handle.wants_reset.swap(false, SeqCst) && self.desc.behaviour() == Behaviour::Current {
            self.take_present(control, control.runs())?;
        }
        let control = self.handle.control();
        if run == control.runs() {
            return Ok(());
        }
        if run {
            self.desc.watch(1);
        }
        let done = match self.desc.behaviour() {
            Behaviour::Sum => self.flip_sum(control, run),
            Behaviour::Current => self.take_present(control, run),
            _ => Ok(()),
        };
        if run && done.is_err() || !run && done.is_ok() {
            self.desc.watch(-1);
        }
        done
    }

    fn flip_sum(&self, control: super::handle::Control, run: bool) -> Result<()> {
        let arithmetic = self.arithmetic();
        let raw = self.raw()?;
        let next = control.next(run, false);
        let (from, to) = (self.section(control.section()), self.section(next.section()));
        for (element, (from, to)) in from.iter().zip(to).enumerate() {
            let from = from.load(Relaxed);
            let word = if run {
                arithmetic.subtract(from, raw(element))
            } else {
                arithmetic.add(from, raw(element))
            };
            to.store(word, Relaxed);
        }
        self.handle.set_control(next);
        Ok(())
    }

    /// Puts the cell's present value where a stopped handle shows it.
    fn take_present(&self, control: super::handle::Control, run: bool) -> Result<()> {
        let raw = self.raw()?;
        let next = control.next(run, false);
        let shown = self.section(control.section());
        for (element, to) in self.section(next.section()).iter().enumerate() {
            let raw = raw(element);
            let mut word = raw;
            // A handle that is stopped keeps what was written to it, unless the cell has moved on.
            if control.overlay() && self.section(ASIDE)[element].load(Relaxed) == raw {
                word = shown[element].load(Relaxed);
            }
            to.store(word, Relaxed);
        }
        self.handle.set_control(next);
        Ok(())
    }

    /// Resets a sum: all that was counted so far is set aside.
    pub(super) fn reset_sum(&self) -> Result<()> {
        self.set_aside(|_, _| 0)
    }

    /// Sets a sum to what a tool wrote.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(super) unsafe fn write_sum(&self, value: *const u8) -> Result<()> {
        let arithmetic = self.arithmetic();
        let size = self.desc.element().size();
        self.set_aside(|element, _| {
            // SAFETY: by the caller's promise.
            unsafe { arithmetic.load(value.wrapping_add(element * size)) }
        })
    }

    /// Makes each element show `shown(element, present)` from now on.
    fn set_aside(&self, shown: impl Fn(usize, u64) -> u64) -> Result<()> {
        let arithmetic = self.arithmetic();
        if self.count == 1 {
            return self.exchange_scalar(|present| shown(0, present)).map(drop);
        }
        // An array is not reset in one atomic step, and is not flagged so; what is counted meanwhile is kept.
        if !self.handle.try_begin() {
            return Err(Error::PvarNoWrite);
        }
        let done = self.recorded_array().map(|recorded| {
            for (element, aside) in self.section(ASIDE).iter().enumerate() {
                let recorded = recorded(element);
                let present = arithmetic.subtract(recorded, aside.load(Relaxed));
                aside.store(arithmetic.subtract(recorded, shown(element, present)), Relaxed);
            }
        });
        self.handle.end();
        // Others may have left a wish meanwhile.
        self.settle().and(done)
    }

    /// All that was counted while the handle ran, whatever was set aside. Only for the holder of `busy`.
    fn recorded_array(&self) -> Result<impl Fn(usize) -> u64 + '_> {
        let control = self.handle.control();
        let raw = if control.runs() { Some(self.raw()?) } else { None };
        let offsets = self.section(control.section());
        let arithmetic = self.arithmetic();
        Ok(move |element: usize| {
            let offset = offsets[element].load(Relaxed);
            raw.as_ref().map_or(offset, |raw| arithmetic.add(raw(element), offset))
        })
    }

    /// Makes a scalar sum show `shown(present)` from now on and returns what it showed, in one atomic step.
    pub(super) fn exchange_scalar(&self, shown: impl Fn(u64) -> u64) -> Result<u64> {
        let arithmetic = self.arithmetic();
        let aside = self.section(ASIDE).first().ok_or(Error::InvalidHandle)?;
        loop {
            // First what is aside, then the sum: the sum only grows, so the difference is never negative.
            let before = aside.load(Acquire);
            let recorded = self.recorded_scalar()?;
            let present = arithmetic.subtract(recorded, before);
            let after = arithmetic.subtract(recorded, shown(present));
            if aside.compare_exchange(before, after, SeqCst, Relaxed).is_ok() {
                return Ok(arithmetic.shown(present));
            }
        }
    }

    fn recorded_scalar(&self) -> Result<u64> {
        let arithmetic = self.arithmetic();
        loop {
            let control = self.handle.control();
            let offset = self.section(control.section()).first().ok_or(Error::InvalidHandle)?;
            let mut word = offset.load(Relaxed);
            if control.runs() {
                let raw = AtomicU64::new(0);
                let at = raw.as_ptr().cast::<u8>();
                // SAFETY: a word has room for one element, and nobody else knows it.
                unsafe { self.desc.read(&self.object, at, 1) }?;
                // SAFETY: written just now.
                word = arithmetic.add(unsafe { arithmetic.load(at) }, word);
            }
            if self.unchanged_since(control) {
                return Ok(word);
            }
        }
    }

    /// Lets this handle show what a tool wrote, until the cell moves on.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(super) unsafe fn write_current(&self, value: *const u8) -> Result<()> {
        if !self.handle.try_begin() {
            return Err(Error::PvarNoWrite);
        }
        let arithmetic = self.arithmetic();
        let size = self.desc.element().size();
        let done = self.raw().map(|raw| {
            let control = self.handle.control();
            let next = control.next(control.runs(), control.runs());
            for (element, to) in self.section(next.section()).iter().enumerate() {
                // SAFETY: by the caller's promise.
                let word = unsafe { arithmetic.load(value.wrapping_add(element * size)) };
                to.store(word, Relaxed);
                self.section(ASIDE)[element].store(raw(element), Relaxed);
            }
            self.handle.set_control(next);
        });
        self.handle.end();
        self.settle().and(done)
    }
}
