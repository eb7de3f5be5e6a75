//! Descriptors of event types and of their sources.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, SeqCst};

use super::cell::EventCell;
use super::clock;
use super::element::Element;
use super::registration::{EventType, Registration};
use super::source::SourceCell;
use crate::desc::{Activation, EnumDesc, Metadata, described};
use crate::vocabulary::{Bind, Datatype, SourceOrder, Verbosity};

/// The description of a source: a logical emitter of events, with a clock.
#[derive(Clone, Copy)]
pub struct SourceDesc {
    ordering: SourceOrder,
    cell: &'static SourceCell,
    metadata: Metadata,
}

described!(SourceDesc);

#[doc(hidden)]
impl SourceDesc {
    /// Creates a source that uses the clock of this crate.
    pub const fn new(metadata: Metadata, ordering: SourceOrder, cell: &'static SourceCell) -> Self {
        Self { ordering, cell, metadata }
    }

    /// Returns the order of its events by time stamp.
    pub const fn order(&self) -> SourceOrder {
        self.ordering
    }

    pub(crate) const fn activation(&self) -> Option<&'static Activation> {
        self.metadata.activation()
    }

    pub(crate) fn cell(&self) -> &'static SourceCell {
        self.cell
    }
}

impl SourceDesc {
    /// Returns true if the time stamps of its events never decrease.
    pub const fn is_ordered(&self) -> bool {
        matches!(self.ordering, SourceOrder::Ordered)
    }

    /// Returns the time stamp for an event that is observed now. Those of an ordered source never decrease.
    #[inline]
    pub(super) fn stamp(&self) -> i64 {
        let now = clock::now();
        match self.order() {
            SourceOrder::Unordered => now,
            SourceOrder::Ordered => self.cell().latest.fetch_max(now, SeqCst).max(now),
        }
    }

    /// Returns the present time of the source (`MPI_T_source_get_timestamp`). Never less than the time stamp of an earlier event.
    pub fn timestamp(&self) -> i64 {
        clock::now().max(self.cell().latest.load(Acquire))
    }

    /// Returns the number of ticks per second.
    pub fn ticks_per_second(&self) -> i64 {
        clock::ticks_per_second()
    }

    /// Returns the largest tick.
    pub fn max_ticks(&self) -> i64 {
        clock::MAX_TICKS
    }
}

/// The description of an event type.
#[derive(Clone, Copy)]
pub struct EventDesc {
    bind: Bind,
    verbosity: Verbosity,
    elements: &'static [Element],
    source: &'static SourceDesc,
    cell: &'static EventCell,
    metadata: Metadata,
}

described!(EventDesc, verbosity);

/// Construction, by the attributes and from tables.
#[doc(hidden)]
impl EventDesc {
    /// Creates an event type. The defaults are: no bound object, verbosity `TUNER_DETAIL`.
    pub const fn new(
        metadata: Metadata,
        elements: &'static [Element],
        source: &'static SourceDesc,
        cell: &'static EventCell,
    ) -> Self {
        let (bind, verbosity) = (Bind::NoObject, Verbosity::TunerDetail);
        Self { bind, verbosity, elements, source, cell, metadata }
    }

    #[must_use]
    pub const fn with_bind(mut self, bind: Bind) -> Self {
        self.bind = bind;
        self
    }
}

impl EventDesc {
    /// Returns the datatypes of the elements, by their position in the payload.
    pub fn datatypes(&self) -> impl ExactSizeIterator<Item = Datatype> {
        self.elements().iter().map(Element::datatype)
    }

    /// Returns the kind of object that registrations are bound to.
    pub const fn bind(&self) -> Bind {
        self.bind
    }

    /// Returns the names of the elements, if there are any: the value of an item is the position of its element.
    pub const fn element_names(&self) -> Option<&'static EnumDesc> {
        self.metadata.enumeration(None)
    }

    /// Returns the source.
    pub const fn source(&self) -> &'static SourceDesc {
        self.source
    }

    /// Returns true if there are listeners (one load), to skip work that only serves the event.
    #[inline]
    pub fn has_listeners(&self) -> bool {
        self.cell.has_listeners()
    }
}

#[doc(hidden)]
impl EventDesc {
    /// Returns the elements of the payload, by ascending displacement.
    pub const fn elements(&self) -> &'static [Element] {
        self.elements
    }

    /// Returns the size of the payload: the offset of the end of its last element.
    pub const fn extent(&self) -> usize {
        match self.elements().last() {
            Some(last) => last.end(),
            None => 0,
        }
    }

    /// Returns the activation that the event type depends on; `None` if it may always be raised.
    pub const fn activation(&self) -> Option<&'static Activation> {
        self.metadata.activation()
    }

    pub(crate) fn cell(&self) -> &'static EventCell {
        self.cell
    }
}

impl EventType for EventDesc {
    fn activation(&self) -> Option<&'static Activation> {
        self.activation()
    }

    fn source_index(&self) -> u32 {
        self.source.cell.index()
    }

    fn unreported_drops(&self) -> &'static AtomicU64 {
        &self.source.cell.unreported
    }

    fn remove_listener(&self) {
        self.cell.remove_listener();
    }

    fn retire(&self, registration: &Registration) {
        self.cell.retire(registration);
    }
}
