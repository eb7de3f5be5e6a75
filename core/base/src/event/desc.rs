//! Descriptors of event types and of their sources.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, SeqCst};

use super::cell::EventCell;
use super::clock;
use super::element::Element;
use super::registration::{EventType, Registration};
use super::source::SourceCell;
use crate::desc::Activation;
use crate::desc::{CategoryDesc, EnumDesc, Origin};
use crate::vocabulary::{Bind, Datatype, SourceOrder, Verbosity};

/// The description of a source: a logical emitter of events, with a clock.
#[derive(Clone, Copy)]
pub struct SourceDesc {
    ordering: SourceOrder,
    name: &'static str,
    component: &'static str,
    description: &'static str,
    origin: Origin,
    cell: &'static SourceCell,
    activation: Option<&'static Activation>,
}

/// Construction, by the attributes and from tables.
#[doc(hidden)]
impl SourceDesc {
    /// Creates a source that uses the clock of this crate.
    pub const fn new(
        name: &'static str,
        ordering: SourceOrder,
        cell: &'static SourceCell,
        origin: Origin,
    ) -> Self {
        Self { ordering, name, component: "", description: "", origin, cell, activation: None }
    }

    /// Sets the component, the first key of the index order; by convention the name of the crate.
    #[must_use]
    pub const fn with_component(mut self, component: &'static str) -> Self {
        self.component = component;
        self
    }

    #[must_use]
    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Sets the activation of the plug-in that defines it.
    pub(crate) const fn of_plugin(mut self, activation: Option<&'static Activation>) -> Self {
        self.activation = activation;
        self
    }

    pub(crate) const fn activation(&self) -> Option<&'static Activation> {
        self.activation
    }
}

impl SourceDesc {
    /// Returns the name, unique among sources.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns true if the time stamps of its events never decrease.
    pub const fn is_ordered(&self) -> bool {
        matches!(self.ordering, SourceOrder::Ordered)
    }

    /// Returns the component that defines the source.
    pub const fn component(&self) -> &'static str {
        self.component
    }

    /// Returns the description; empty if there is none.
    pub const fn description(&self) -> &'static str {
        self.description
    }

    #[doc(hidden)]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the order of its events by time stamp.
    #[doc(hidden)]
    pub const fn order(&self) -> SourceOrder {
        self.ordering
    }

    pub(crate) fn cell(&self) -> &'static SourceCell {
        self.cell
    }
}

impl SourceDesc {
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

impl std::fmt::Debug for SourceDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceDesc").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The description of an event type.
#[derive(Clone, Copy)]
pub struct EventDesc {
    bind: Bind,
    verbosity: Verbosity,
    name: &'static str,
    component: &'static str,
    description: &'static str,
    elements: &'static [Element],
    enumeration: Option<&'static EnumDesc>,
    categories: &'static [&'static CategoryDesc],
    source: &'static SourceDesc,
    origin: Origin,
    activation: Option<&'static Activation>,
    cell: &'static EventCell,
}

/// Construction, by the attributes and from tables.
#[doc(hidden)]
impl EventDesc {
    /// Creates an event type. The defaults are: no bound object, verbosity `TUNER_DETAIL`, no description, no category, elements
    /// without names.
    pub const fn new(
        name: &'static str,
        elements: &'static [Element],
        source: &'static SourceDesc,
        cell: &'static EventCell,
        origin: Origin,
    ) -> Self {
        Self {
            bind: Bind::NoObject,
            verbosity: Verbosity::TunerDetail,
            name,
            component: "",
            description: "",
            elements,
            enumeration: None,
            categories: &[],
            source,
            origin,
            activation: None,
            cell,
        }
    }

    /// Sets the component, the first key of the index order; by convention the name of the crate.
    #[must_use]
    pub const fn with_component(mut self, component: &'static str) -> Self {
        self.component = component;
        self
    }

    #[must_use]
    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    #[must_use]
    pub const fn with_bind(mut self, bind: Bind) -> Self {
        self.bind = bind;
        self
    }

    #[must_use]
    pub const fn with_verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }

    /// Sets the names of the elements: item i of the enumeration has the value i and the name of element i.
    #[must_use]
    pub const fn with_enumeration(mut self, enumeration: &'static EnumDesc) -> Self {
        self.enumeration = Some(enumeration);
        self
    }

    #[must_use]
    pub const fn with_categories(mut self, categories: &'static [&'static CategoryDesc]) -> Self {
        self.categories = categories;
        self
    }

    /// Restricts the event type to the activation of a plug-in.
    #[must_use]
    pub const fn with_activation(mut self, activation: &'static Activation) -> Self {
        self.activation = Some(activation);
        self
    }
}

impl EventDesc {
    /// Returns the name, unique among event types.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the datatypes of the elements, by their position in the payload.
    pub fn datatypes(&self) -> impl ExactSizeIterator<Item = Datatype> {
        self.elements().iter().map(Element::datatype)
    }

    /// Returns the kind of object that registrations are bound to.
    pub const fn bind(&self) -> Bind {
        self.bind
    }

    /// Returns the verbosity.
    pub const fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Returns the component that defines the event type.
    pub const fn component(&self) -> &'static str {
        self.component
    }

    /// Returns the description; empty if there is none.
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the names of the elements, if there are any: the value of an item is the position of its element.
    pub const fn element_names(&self) -> Option<&'static EnumDesc> {
        self.enumeration
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

    pub const fn categories(&self) -> &'static [&'static CategoryDesc] {
        self.categories
    }

    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the activation that the event type depends on; `None` if it may always be raised.
    pub const fn activation(&self) -> Option<&'static Activation> {
        self.activation
    }

    pub(crate) fn cell(&self) -> &'static EventCell {
        self.cell
    }
}

impl EventType for EventDesc {
    fn activation(&self) -> Option<&'static Activation> {
        self.activation
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

impl std::fmt::Debug for EventDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventDesc").field("name", &self.name).finish_non_exhaustive()
    }
}
