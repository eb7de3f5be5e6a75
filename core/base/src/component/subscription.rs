//! The subscription of a component, which enables and disables its traffic.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use super::{coll, osc, pml};
use crate::abi;
use crate::host::revision;

/// Enables and disables the traffic of one component, at any time. The subscription counts reasons: after two calls of
/// [`add`](Self::add), two of [`remove`](Self::remove) disable it.
///
/// Takes no lock and allocates nothing, so it may be used while a tool starts and stops handles.
#[derive(Debug)]
pub struct Subscription {
    /// The number of active components of the framework.
    active: &'static AtomicU32,
    /// A second counter that changes with `active`, for another reader.
    second: Option<&'static AtomicU32>,
    /// The number of this component's reasons to listen, and the bits that disable it regardless.
    state: AtomicU32,
    /// The number of reasons once more, with the function that notifies the host of a plug-in of changes.
    shared: abi::Subscription,
}

/// Bit of `state`: the component does not take part.
const DISABLED: u32 = 1 << 30;
/// Bit of `state`: the component is paused.
const PAUSED: u32 = 1 << 31;

#[inline]
const fn is_active(state: u32) -> bool {
    state != 0 && state < DISABLED
}

impl Subscription {
    /// Creates the subscription of a component of the framework `pml`. It has no reasons.
    pub const fn pml() -> Self {
        Self::new(&pml::LISTENING)
    }

    /// Creates the subscription of a component of the framework `osc`. It has no reasons.
    pub const fn osc() -> Self {
        Self::new(&osc::LISTENING)
    }

    /// Creates the subscription of a component of the framework `coll`. It has no reasons.
    pub const fn coll() -> Self {
        Self::new(&coll::LISTENING)
    }

    /// Creates a subscription without reasons. `active` is incremented while the subscription is active: it has reasons, and is
    /// neither paused nor disabled.
    #[doc(hidden)]
    pub const fn new(active: &'static AtomicU32) -> Self {
        let shared = abi::Subscription {
            reasons: AtomicU32::new(0),
            host: AtomicPtr::new(null_mut()),
            turn: AtomicPtr::new(null_mut()),
        };
        Self { active, second: None, state: AtomicU32::new(0), shared }
    }

    /// Adds a second counter that is incremented while the subscription is active.
    #[doc(hidden)]
    #[must_use]
    pub const fn and(mut self, second: &'static AtomicU32) -> Self {
        self.second = Some(second);
        self
    }

    /// Adds a reason to listen.
    pub fn add(&self) {
        self.change(|state| state + 1);
        self.shared.reasons.fetch_add(1, SeqCst);
        self.notify_host(1);
    }

    /// Removes a reason to listen. Must follow an [`add`](Self::add).
    pub fn remove(&self) {
        self.change(|state| state - 1);
        self.shared.reasons.fetch_sub(1, SeqCst);
        self.notify_host(-1);
    }

    pub(crate) fn set(&self, reasons: u32) {
        self.change(|state| state & (DISABLED | PAUSED) | reasons.min(DISABLED - 1));
    }

    fn notify_host(&self, more: c_int) {
        let turn = self.shared.turn.load(SeqCst);
        if turn.is_null() {
            return;
        }
        // SAFETY: `turn` is not null, and a host stores nothing but an `abi::TurnFunction` there (`mpit_plugin.h`).
        let turn = unsafe { std::mem::transmute::<*mut c_void, abi::TurnFunction>(turn) };
        // SAFETY: `turn` takes the host's own pointer, which the host stored before the function, or null after it unbound the
        // subscription.
        unsafe { turn(self.shared.host.load(SeqCst), more) };
    }

    /// Returns the part that the plug-in's host accesses if this is the subscription of a plug-in's component.
    pub(crate) fn shared(&self) -> &abi::Subscription {
        &self.shared
    }

    /// Excludes the component permanently, so that it costs nothing. For frameworks.
    #[doc(hidden)]
    pub fn disable(&self) {
        self.change(|state| state | DISABLED);
    }

    /// Pauses the component, regardless of its reasons. For frameworks.
    #[doc(hidden)]
    pub fn pause(&self) {
        self.change(|state| state | PAUSED);
    }

    /// Resumes the component; it is active if it has reasons. For frameworks.
    #[doc(hidden)]
    pub fn resume(&self) {
        self.change(|state| state & !PAUSED);
    }

    /// Returns true if the component is active.
    #[inline]
    pub fn is_active(&self) -> bool {
        is_active(self.state.load(Relaxed))
    }

    fn change(&self, next: impl Fn(u32) -> u32) {
        // `AcqRel`: the next change sees what this one saw, which `set` relies on.
        let before = match self.state.fetch_update(AcqRel, Acquire, |state| Some(next(state))) {
            Ok(before) | Err(before) => before,
        };
        // Concurrent changes add up in any order.
        for word in std::iter::once(self.active).chain(self.second) {
            match (is_active(before), is_active(next(before))) {
                (false, true) => _ = word.fetch_add(1, Relaxed),
                (true, false) => _ = word.fetch_sub(1, Relaxed),
                _ => {}
            }
        }
        if is_active(before) != is_active(next(before)) {
            revision::advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::Subscription;
    use crate::host::revision::tests::is_advanced_by;

    /// A route counts for one component, because it is the only one that is active.
    #[test]
    fn changes_of_activity_end_routes() {
        static ACTIVE: AtomicU32 = AtomicU32::new(0);
        let subscription = Subscription::new(&ACTIVE);
        assert!(is_advanced_by(|| subscription.add()));
        assert!(!is_advanced_by(|| subscription.add()), "it is active already");
        assert!(!is_advanced_by(|| subscription.remove()));
        assert!(is_advanced_by(|| subscription.pause()));
        assert!(is_advanced_by(|| subscription.resume()));
        assert!(is_advanced_by(|| subscription.set(0)));
        assert!(is_advanced_by(|| subscription.set(2)));
        assert!(is_advanced_by(|| subscription.disable()));
        assert!(!is_advanced_by(|| subscription.add()), "it is disabled");
    }

    #[test]
    fn reasons_may_be_set_at_once() {
        static ACTIVE: AtomicU32 = AtomicU32::new(0);
        let subscription = Subscription::new(&ACTIVE);
        let active = || (subscription.is_active(), ACTIVE.load(Relaxed));
        subscription.set(3);
        assert_eq!(active(), (true, 1));
        subscription.pause();
        subscription.set(1);
        assert_eq!(active(), (false, 0));
        subscription.resume();
        assert_eq!(active(), (true, 1));
        // A wrong count, as of another image.
        subscription.set(u32::MAX);
        assert_eq!(active(), (true, 1));
        subscription.set(0);
        assert_eq!(active(), (false, 0));
    }

    #[test]
    fn a_pause_is_not_a_reason_less() {
        static ACTIVE: AtomicU32 = AtomicU32::new(0);
        let (one, two) = (Subscription::new(&ACTIVE), Subscription::new(&ACTIVE));
        let active = || (one.is_active(), two.is_active(), ACTIVE.load(Relaxed));
        one.add();
        two.add();
        assert_eq!(active(), (true, true, 2));
        one.pause();
        one.pause();
        assert_eq!(active(), (false, true, 1));
        one.add();
        one.remove();
        one.add();
        assert_eq!(active(), (false, true, 1));
        two.pause();
        two.remove();
        assert_eq!(active(), (false, false, 0));
        two.resume();
        one.resume();
        one.resume();
        assert_eq!(active(), (true, false, 1));
        one.remove();
        assert_eq!(active(), (true, false, 1));
        one.remove();
        assert_eq!(active(), (false, false, 0));
    }
}
