//! Turning traffic to a component on and off.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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
        Self { awake, also: None, state: AtomicU32::new(0) }
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
    }

    /// One reason less. Must follow an [`on`](Self::on).
    pub fn off(&self) {
        self.change(|state| state - 1);
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
        let before = match self.state.fetch_update(Relaxed, Relaxed, |state| Some(next(state))) {
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
