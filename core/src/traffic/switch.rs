//! Turning traffic to a component on and off.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
};

use crate::plugin::abi;

/// Turns traffic to one component on and off, at any time. It counts: what was turned on twice is off when it was
/// turned off twice.
///
/// Takes no lock and allocates nothing, so it may be used where a tool starts and stops handles.
#[derive(Debug)]
pub struct Switch {
    /// How many components of the framework are awake.
    awake: &'static AtomicU32,
    /// The same, for somebody else who looks there.
    also: Option<&'static AtomicU32>,
    /// Reasons of this component to listen, and the bits that say that it does not all the same.
    state: AtomicU32,
    /// The reasons once more, and who wants to be told of them: the host of a plug-in.
    shared: abi::Switch,
}

/// The component does not take part,
const LEFT_OUT: u32 = 1 << 30;
/// or was told to pause.
const PAUSED: u32 = 1 << 31;

#[inline]
const fn is_awake(state: u32) -> bool {
    state != 0 && state < LEFT_OUT
}

impl Switch {
    /// A switch that is off. `awake` counts, among others, whether it is awake: on, and nobody put it to sleep.
    /// Components use the `switch()` of their framework.
    #[must_use]
    pub const fn new(awake: &'static AtomicU32) -> Self {
        let shared = abi::Switch {
            reasons: AtomicU32::new(0),
            host: AtomicPtr::new(null_mut()),
            turn: AtomicPtr::new(null_mut()),
        };
        Self { awake, also: None, state: AtomicU32::new(0), shared }
    }

    /// The same, with another word that counts whether it is awake.
    #[must_use]
    pub const fn and(mut self, also: &'static AtomicU32) -> Self {
        self.also = Some(also);
        self
    }

    /// One reason more to listen.
    pub fn on(&self) {
        self.change(|state| state + 1);
        self.shared.reasons.fetch_add(1, SeqCst);
        self.tell_host(1);
    }

    /// One reason less. Must follow an [`on`](Self::on).
    pub fn off(&self) {
        self.change(|state| state - 1);
        self.shared.reasons.fetch_sub(1, SeqCst);
        self.tell_host(-1);
    }

    /// So many reasons, in place of those that there were.
    pub(crate) fn set(&self, reasons: u32) {
        self.change(|state| state & (LEFT_OUT | PAUSED) | reasons.min(LEFT_OUT - 1));
    }

    /// Tells the host that has taken the component over of a reason more or less.
    fn tell_host(&self, more: c_int) {
        let turn = self.shared.turn.load(SeqCst);
        if turn.is_null() {
            return;
        }
        // SAFETY: not null, so it is what a host stored, a function of this type.
        let turn = unsafe { std::mem::transmute::<*mut c_void, abi::TurnFunction>(turn) };
        // SAFETY: the host's own pointer, which it stored first.
        unsafe { turn(self.shared.host.load(SeqCst), more) };
    }

    /// The part that a host sees, if this is a plug-in's.
    pub(crate) fn shared(&self) -> &abi::Switch {
        &self.shared
    }

    /// The component does not take part: what nobody hears must not cost anything. For frameworks.
    pub fn leave_out(&self) {
        self.change(|state| state | LEFT_OUT);
    }

    /// Puts the component to sleep, whatever reasons there are.
    pub fn pause(&self) {
        self.change(|state| state | PAUSED);
    }

    /// Wakes the component up, if there are reasons.
    pub fn resume(&self) {
        self.change(|state| state & !PAUSED);
    }

    /// Whether there is a reason to listen.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        is_awake(self.state.load(Relaxed))
    }

    fn change(&self, next: impl Fn(u32) -> u32) {
        // Whoever changes it next knows what the one before knew, which `set` is called for.
        let before = match self.state.fetch_update(AcqRel, Acquire, |state| Some(next(state))) {
            Ok(before) | Err(before) => before,
        };
        // Several who change it at once add up, in whatever order they come here.
        for word in std::iter::once(self.awake).chain(self.also) {
            match (is_awake(before), is_awake(next(before))) {
                (false, true) => _ = word.fetch_add(1, Relaxed),
                (true, false) => _ = word.fetch_sub(1, Relaxed),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::Switch;

    #[test]
    fn reasons_may_be_set_at_once() {
        static AWAKE: AtomicU32 = AtomicU32::new(0);
        let switch = Switch::new(&AWAKE);
        let awake = || (switch.is_on(), AWAKE.load(Relaxed));
        switch.set(3);
        assert_eq!(awake(), (true, 1));
        switch.pause();
        switch.set(1);
        assert_eq!(awake(), (false, 0));
        switch.resume();
        assert_eq!(awake(), (true, 1));
        // Of somebody who counted wrong.
        switch.set(u32::MAX);
        assert_eq!(awake(), (true, 1));
        switch.set(0);
        assert_eq!(awake(), (false, 0));
    }

    #[test]
    fn a_pause_is_not_a_reason_less() {
        static AWAKE: AtomicU32 = AtomicU32::new(0);
        let (one, two) = (Switch::new(&AWAKE), Switch::new(&AWAKE));
        let awake = || (one.is_on(), two.is_on(), AWAKE.load(Relaxed));
        one.on();
        two.on();
        assert_eq!(awake(), (true, true, 2));
        one.pause();
        one.pause();
        assert_eq!(awake(), (false, true, 1));
        one.on();
        one.off();
        one.on();
        assert_eq!(awake(), (false, true, 1));
        two.pause();
        two.off();
        assert_eq!(awake(), (false, false, 0));
        two.resume();
        one.resume();
        one.resume();
        assert_eq!(awake(), (true, false, 1));
        one.off();
        assert_eq!(awake(), (true, false, 1));
        one.off();
        assert_eq!(awake(), (false, false, 0));
    }
}
