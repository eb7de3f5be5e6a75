//! The record of any line of the table of calls.

use mpit_ffi::comms::Freeing;

use super::accesses::AccessRecorder;
use super::collectives::CollectiveRecorder;
use super::messages::SendRecorder;
use super::persistent::{CreationRecorder, StartRecorder};
use crate::arguments::Any;

/// The result of a line's expression.
pub(crate) enum Record {
    /// The expression has recorded the call.
    Done,
    Message(SendRecorder),
    Access(AccessRecorder),
    Collective(CollectiveRecorder<Any>),
    Starts(StartRecorder<Any>),
    MessageCreation(CreationRecorder<SendRecorder>),
    CollectiveCreation(CreationRecorder<CollectiveRecorder<Any>>),
    Freeing(Option<Freeing>),
}

/// A type of records of lines.
pub(crate) trait OfRecord: Copy {
    /// Returns the recorder; `None` for a line with another type.
    fn of(record: &Record) -> Option<&Self>;
}

macro_rules! conversions {
    ($($type:ty => $variant:ident;)+) => {$(
        impl From<$type> for Record {
            #[inline]
            fn from(recorder: $type) -> Self {
                Self::$variant(recorder)
            }
        }

        impl OfRecord for $type {
            #[inline(always)]
            fn of(record: &Record) -> Option<&Self> {
                if let Record::$variant(recorder) = record { Some(recorder) } else { None }
            }
        }
    )+};
}

conversions! {
    SendRecorder => Message;
    AccessRecorder => Access;
    CollectiveRecorder<Any> => Collective;
    StartRecorder<Any> => Starts;
    CreationRecorder<SendRecorder> => MessageCreation;
    CreationRecorder<CollectiveRecorder<Any>> => CollectiveCreation;
}

impl From<Option<Freeing>> for Record {
    fn from(freeing: Option<Freeing>) -> Self {
        Self::Freeing(freeing)
    }
}

impl From<()> for Record {
    fn from((): ()) -> Self {
        Self::Done
    }
}

impl Record {
    pub(crate) fn freeing(self) -> Option<Freeing> {
        if let Self::Freeing(freeing) = self { freeing } else { None }
    }
}
