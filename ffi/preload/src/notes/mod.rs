//! What is noted of calls: made of their arguments, told to the frameworks.

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

/// What is noted of a call before it is passed on and after it succeeded.
///
/// Whatever the call's handles stand for is looked up before it: once it has begun, another thread may free them. But the
/// library is asked about a handle only after it has accepted it.
pub(crate) trait Note: Sized {
    /// What is told of a call that most are like.
    type Known: Tell;
    /// The state that is kept while the call lasts.
    type Begun: Begun;

    /// What is told at the end, where it is plain before the call and nothing has to be asked for it; then nothing else
    /// of the call has to be kept while it lasts. Does not panic.
    fn known(self) -> Option<Self::Known>;

    /// The same, if moreover the library has no reason to refuse the call.
    fn sure(self) -> Option<Self::Known> {
        None
    }

    /// Counts the call like [`Tell::count`] if the library has no reason to refuse it. Calls nothing.
    fn count_in_advance(self) -> bool {
        false
    }

    /// The call is about to be passed on.
    fn begin(self) -> Self::Begun;
}

/// A call that was passed on.
pub(crate) trait Begun {
    /// Tells of it: it has succeeded.
    fn end(self);
}

/// What is told of a call that has succeeded.
pub(crate) trait Tell {
    /// Counts it if monitoring is the only listener and nothing has to be made for it. Returns false, and does nothing, otherwise.
    /// Runs no foreign code and does not panic.
    #[inline]
    fn count(&self) -> bool {
        false
    }

    /// Notifies all listeners of it.
    fn tell(&self);
}

/// What is known of a call before it is passed on.
#[inline]
pub(crate) fn known<N: Note>(note: N) -> Option<N::Known> {
    note.known()
}

/// Records a call after it has succeeded. Apart, so that calls have nothing to save for it.
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

/// Tells of a call that begins.
#[inline]
pub(crate) fn begun<N: Note>(note: N) -> N::Begun {
    note.begin()
}

/// Tells of its end.
#[inline]
pub(crate) fn ended<B: Begun>(begun: B) {
    begun.end();
}
