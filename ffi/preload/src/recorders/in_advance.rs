//! The decision if calls may be recorded before they are forwarded, so that they are forwarded by a tail call.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use mpit::internal::host::revision;
use mpit_ffi::host::Host;

/// A value below.
static DECISION: AtomicU8 = AtomicU8::new(UNDECIDED);

/// Decided at the first call that could be recorded in advance.
const UNDECIDED: u8 = 0;
/// A call that the library refuses ends the program.
const ALLOWED: u8 = 1;
/// The program continues after a failed call. Even with valid arguments a call may fail, on a communicator that was revoked or
/// with a process that failed.
const FORBIDDEN: u8 = 2;

/// Returns true if calls may be recorded in advance; false until that is decided.
#[inline]
pub(crate) fn is_allowed() -> bool {
    DECISION.load(Relaxed) == ALLOWED
}

/// Decides if calls may be recorded in advance, unless that is decided already.
#[inline]
pub(crate) fn decide() {
    if DECISION.load(Relaxed) == UNDECIDED {
        let tolerates_faults = Host::get().is_some_and(Host::tolerates_faults);
        let decision = if tolerates_faults { FORBIDDEN } else { ALLOWED };
        // Fails if the program has set an error handler meanwhile, which takes precedence.
        let _ = DECISION.compare_exchange(UNDECIDED, decision, Relaxed, Relaxed);
    }
}

/// Notes that the program sets an error handler, so errors may return.
pub(crate) fn forbid() {
    DECISION.store(FORBIDDEN, Relaxed);
    revision::advance();
}

#[cfg(test)]
mod tests {
    use super::{forbid, is_allowed, revision};

    /// A route counts calls in advance.
    #[test]
    fn error_handlers_end_routes() {
        let before = revision::current();
        forbid();
        assert!(!is_allowed() && revision::current() > before);
    }
}
