//! The revision of the state that decides how calls are recorded: listeners, their communicators and datatypes, the thread level.
//!
//! A host that has found out where a call is recorded remembers that together with the revision, and finds out again only once the
//! revision has advanced. It reads the revision first: then a change that it has not seen advances the revision afterwards.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// Never 0, the revision of what was never found out.
static REVISION: AtomicU64 = AtomicU64::new(1);

/// Returns the revision.
#[inline]
pub fn current() -> u64 {
    REVISION.load(Acquire)
}

/// Advances the revision. Called after each change of the state.
pub fn advance() {
    // No model has routes, and each further step multiplies the orders.
    if !cfg!(mpit_models) {
        REVISION.fetch_add(1, AcqRel);
    }
    #[cfg(test)]
    tests::count();
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::{advance, current};

    thread_local! {
        /// The number of times that this thread has advanced the revision.
        static ADVANCES: Cell<u32> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        ADVANCES.set(ADVANCES.get() + 1);
    }

    /// Returns true if a change advances the revision.
    pub(crate) fn is_advanced_by(change: impl FnOnce()) -> bool {
        let (advances, revision) = (ADVANCES.get(), current());
        change();
        let is_advanced = ADVANCES.get() > advances;
        assert!(!is_advanced || current() > revision);
        is_advanced
    }

    #[test]
    fn an_advance_is_a_new_revision() {
        assert!(current() != 0 && is_advanced_by(advance) && !is_advanced_by(|| ()));
    }
}
