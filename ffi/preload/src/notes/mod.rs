//! What is noted of calls: made of their arguments, told to the frameworks.

pub(crate) mod accesses;
pub(crate) mod collectives;
pub(crate) mod communicators;
pub(crate) mod lens;
pub(crate) mod messages;
pub(crate) mod persistent;
pub(crate) mod volumes;

/// What is noted of a call before it is passed on and after it succeeded.
pub(crate) trait Note {
    /// The call is about to be passed on.
    fn begin(&self);
    /// It has succeeded.
    fn end(self);
}

impl<N: Note> Note for Option<N> {
    #[inline]
    fn begin(&self) {
        if let Some(note) = self {
            note.begin();
        }
    }

    #[inline]
    fn end(self) {
        if let Some(note) = self {
            note.end();
        }
    }
}

/// Tells of a call that begins.
#[inline]
pub(crate) fn begun<N: Note>(note: N) -> N {
    note.begin();
    note
}

/// Tells of its end.
#[inline]
pub(crate) fn ended<N: Note>(note: N) {
    note.end();
}
