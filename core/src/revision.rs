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
}
