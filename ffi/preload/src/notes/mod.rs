//! Records of calls: made from the arguments, delivered to the frameworks.

pub(crate) mod accesses;
pub(crate) mod collectives;
pub(crate) mod communicators;
pub(crate) mod datatypes;
pub(crate) mod error_texts;
pub(crate) mod lens;
pub(crate) mod messages;
pub(crate) mod objects;
pub(crate) mod persistent;
pub(crate) mod sessions;
pub(crate) mod volumes;

use crate::calls::safely;
use crate::depth::Alone;

/// A record of a call, prepared before it is forwarded and completed after it has succeeded.
///
/// Handles are resolved before the call, because another thread may free the objects once it has begun. But
/// the library is asked about a handle only after it has accepted it.
pub(crate) trait Note: Sized {
    /// The record produced on the fast path.
    type Known: Tell;
    /// The state that is kept during the call on the slow path.
    type Begun: Begun;

    /// Returns the record if it is complete before the call without asking the library, so that no other
    /// state has to be kept. Must not panic.
    fn known(self) -> Option<Self::Known>;

    /// Returns the record if, in addition, the library has no reason to refuse the call.
    fn sure(self) -> Option<Self::Known> {
        None
    }

    /// Counts the call like [`Tell::count`] if the library has no reason to refuse it. Makes no calls.
    fn count_in_advance(self) -> bool {
        false
    }

    /// Prepares the record on the slow path; the call is forwarded next.
    fn begin(self) -> Self::Begun;
}

/// A call that was forwarded on the slow path.
pub(crate) trait Begun {
    /// Notifies listeners after the call has succeeded.
    fn end(self);
}

/// The record of a call that has succeeded.
pub(crate) trait Tell {
    /// Counts the call if monitoring is the only listener and nothing has to be allocated. Returns false, and
    /// has no effect, otherwise. Runs no foreign code and must not panic.
    #[inline]
    fn count(&self) -> bool {
        false
    }

    /// Notifies all listeners.
    fn tell(&self);
}

/// Returns the record of a call if it is complete before the call.
#[inline]
pub(crate) fn known<N: Note>(note: N) -> Option<N::Known> {
    note.known()
}

/// Delivers the record of a call that has succeeded. A separate function, so that its callers save no
/// registers for it.
#[inline(never)]
pub(crate) fn told<K: Tell>(alone: &Alone, known: &K) {
    if !known.count() {
        notify(alone, known);
    }
}

/// Notifies all listeners of a call.
#[inline(never)]
pub(crate) fn notify<K: Tell>(alone: &Alone, known: &K) {
    alone.notify(|| {
        safely(|| known.tell());
    });
}

/// Prepares the record of a call on the slow path.
#[inline]
pub(crate) fn begun<N: Note>(note: N) -> N::Begun {
    note.begin()
}

/// Completes the record of a call on the slow path.
#[inline]
pub(crate) fn ended<B: Begun>(begun: B) {
    begun.end();
}
