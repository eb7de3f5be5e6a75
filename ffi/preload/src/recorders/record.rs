//! The record of any line of the table of calls.

use mpit_components::coll::Operation;
use mpit_components::osc::Access;
use mpit_components::pml::Send;
use mpit_ffi::comms::Freeing;

use super::accesses::{self, AccessRecorder};
use super::collectives::{self, CollectiveRecorder};
use super::messages::{self, SendRecorder};
use super::persistent::{CreationRecorder, PendingCreation, StartRecorder};
use super::{Deliver, Pending, Recorder};
use crate::arguments::Any;

/// The result of a line's expression.
pub(crate) enum Record {
    /// The expression has recorded the call.
    Done,
    Message(SendRecorder),
    Access(AccessRecorder),
    Collective(CollectiveRecorder<Any>),
    Starts(StartRecorder<Any>),
    Creation(CreationRecorder),
    Freeing(Option<Freeing>),
}

macro_rules! conversions {
    ($($type:ty => $variant:ident;)+) => {$(
        impl From<$type> for Record {
            #[inline]
            fn from(recorder: $type) -> Self {
                Self::$variant(recorder)
            }
        }
    )+};
}

conversions! {
    SendRecorder => Message;
    AccessRecorder => Access;
    CollectiveRecorder<Any> => Collective;
    StartRecorder<Any> => Starts;
    CreationRecorder => Creation;
    Option<Freeing> => Freeing;
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

/// A record that is complete before the call.
pub(crate) enum FastRecord {
    Message(Send),
    Access(Access),
    Collective(Operation<'static>),
    Starts(StartRecorder<Any>),
}

/// A record of a call that was forwarded.
pub(crate) enum PendingRecord {
    Done,
    Message(messages::Pending),
    Access(accesses::Pending),
    Collective(CollectiveRecorder<Any>, collectives::Pending<Any>),
    Starts(StartRecorder<Any>),
    Creation(PendingCreation),
}

impl Recorder for Record {
    type FastRecord = FastRecord;
    type Pending = PendingRecord;

    fn fast_record(self) -> Option<FastRecord> {
        match self {
            Self::Message(recorder) => recorder.fast_record().map(FastRecord::Message),
            Self::Access(recorder) => recorder.fast_record().map(FastRecord::Access),
            Self::Collective(recorder) => recorder.fast_record().map(FastRecord::Collective),
            Self::Starts(recorder) => Some(FastRecord::Starts(recorder)),
            Self::Done | Self::Creation(_) | Self::Freeing(_) => None,
        }
    }

    fn prepare(self) -> PendingRecord {
        match self {
            Self::Message(recorder) => PendingRecord::Message(recorder.prepare()),
            Self::Access(recorder) => PendingRecord::Access(recorder.prepare()),
            Self::Collective(recorder) => PendingRecord::Collective(recorder, recorder.prepare()),
            Self::Starts(recorder) => PendingRecord::Starts(recorder.prepare()),
            Self::Creation(recorder) => PendingRecord::Creation(recorder.prepare()),
            Self::Done | Self::Freeing(_) => PendingRecord::Done,
        }
    }
}

impl PendingRecord {
    /// Notifies listeners after a call in C has succeeded.
    pub(crate) fn after_in_c(self) {
        match self {
            Self::Collective(recorder, pending) => recorder.after_in_c(pending),
            other => other.after(),
        }
    }
}

impl Pending for PendingRecord {
    fn after(self) {
        match self {
            Self::Message(pending) => pending.after(),
            Self::Access(pending) => pending.after(),
            Self::Collective(_, pending) => pending.after(),
            Self::Starts(pending) => pending.after(),
            Self::Creation(pending) => pending.after(),
            Self::Done => {}
        }
    }
}

impl Deliver for FastRecord {
    fn count(&self) -> bool {
        match self {
            Self::Message(record) => record.count(),
            Self::Access(record) => record.count(),
            Self::Collective(record) => record.count(),
            Self::Starts(_) => false,
        }
    }

    fn deliver(&self) {
        match self {
            Self::Message(record) => record.deliver(),
            Self::Access(record) => record.deliver(),
            Self::Collective(record) => record.deliver(),
            Self::Starts(record) => record.deliver(),
        }
    }
}
