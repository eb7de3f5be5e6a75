//! Descriptors of events and of the sources that emit them.

use super::{CategoryDesc, EnumDesc, List, Origin, Str};
use crate::event::{EventCell, SourceCell};
use crate::plugin::Life;
use crate::words::{Bind, Datatype, SourceOrder, Verbosity};

/// The largest payload of an event, in bytes.
pub const LARGEST_EVENT: usize = 256;

/// One element of an event's payload.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Element {
    datatype: Datatype,
    displacement: u32,
}

impl Element {
    /// An element and where it lies in the payload.
    #[must_use]
    pub const fn new(datatype: Datatype, displacement: usize) -> Self {
        Self { datatype, displacement: displacement as u32 }
    }

    /// Its datatype.
    #[must_use]
    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Its offset from the start of the payload, in bytes.
    #[must_use]
    pub const fn displacement(&self) -> usize {
        self.displacement as usize
    }

    /// The first byte behind it.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.displacement() + self.datatype.size()
    }
}

/// A source: a logical emitter of events, with a clock.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SourceDesc {
    ordering: SourceOrder,
    name: Str,
    component: Str,
    description: Str,
    origin: Origin,
    cell: &'static SourceCell,
}

impl SourceDesc {
    /// A source with the clock of this library.
    #[must_use]
    pub const fn new(
        name: &'static str,
        ordering: SourceOrder,
        cell: &'static SourceCell,
        origin: Origin,
    ) -> Self {
        Self {
            ordering,
            name: Str::new(name),
            component: Str::new(""),
            description: Str::new(""),
            origin,
            cell,
        }
    }

    /// Sets the component, the first key of the index order; by custom the name of the crate.
    #[must_use]
    pub const fn component(mut self, component: &'static str) -> Self {
        self.component = Str::new(component);
        self
    }

    /// Sets the description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Str::new(description);
        self
    }

    /// Its name, unique among sources.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// Whether its events come in the order of their time stamps.
    #[must_use]
    pub const fn ordering(&self) -> SourceOrder {
        self.ordering
    }

    /// The component that defines it.
    #[must_use]
    pub const fn owner(&self) -> &'static str {
        self.component.as_str()
    }

    /// What emits; empty when nobody said.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.description.as_str()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    pub(crate) fn cell(&self) -> &'static SourceCell {
        self.cell
    }
}

impl std::fmt::Debug for SourceDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceDesc").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An event type.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct EventDesc {
    bind: Bind,
    verbosity: Verbosity,
    name: Str,
    component: Str,
    description: Str,
    elements: List<Element>,
    enumeration: Option<&'static EnumDesc>,
    categories: List<&'static CategoryDesc>,
    source: &'static SourceDesc,
    origin: Origin,
    life: Option<&'static Life>,
    cell: &'static EventCell,
}

impl EventDesc {
    /// An event type. The defaults: bound to nothing, verbosity `TUNER_DETAIL`, no description, no category, elements
    /// without names.
    #[must_use]
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
            name: Str::new(name),
            component: Str::new(""),
            description: Str::new(""),
            elements: List::new(elements),
            enumeration: None,
            categories: List::new(&[]),
            source,
            origin,
            life: None,
            cell,
        }
    }

    /// Sets the component, the first key of the index order; by custom the name of the crate.
    #[must_use]
    pub const fn component(mut self, component: &'static str) -> Self {
        self.component = Str::new(component);
        self
    }

    /// Sets the description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Str::new(description);
        self
    }

    /// Sets the kind of object that registrations are bound to.
    #[must_use]
    pub const fn bind(mut self, bind: Bind) -> Self {
        self.bind = bind;
        self
    }

    /// Sets the verbosity.
    #[must_use]
    pub const fn verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }

    /// Names the elements: item i of the enumeration has the value i and the name of element i.
    #[must_use]
    pub const fn enumeration(mut self, enumeration: &'static EnumDesc) -> Self {
        self.enumeration = Some(enumeration);
        self
    }

    /// Puts the event type into categories.
    #[must_use]
    pub const fn categories(mut self, categories: &'static [&'static CategoryDesc]) -> Self {
        self.categories = List::new(categories);
        self
    }

    /// Says that it is raised only while a plug-in is active.
    #[must_use]
    pub const fn living(mut self, life: &'static Life) -> Self {
        self.life = Some(life);
        self
    }

    /// Its name, unique among event types.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The elements of its payload, by ascending displacement.
    #[must_use]
    pub const fn elements(&self) -> &'static [Element] {
        self.elements.as_slice()
    }

    /// The bytes from the start of the payload to the end of its last element.
    #[must_use]
    pub const fn extent(&self) -> usize {
        match self.elements().last() {
            Some(last) => last.end(),
            None => 0,
        }
    }

    /// The kind of object that registrations are bound to.
    #[must_use]
    pub const fn binding(&self) -> Bind {
        self.bind
    }

    /// For whom it is meant.
    #[must_use]
    pub const fn audience(&self) -> Verbosity {
        self.verbosity
    }

    /// The component that defines it.
    #[must_use]
    pub const fn owner(&self) -> &'static str {
        self.component.as_str()
    }

    /// What happened when it is raised; empty when nobody said.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.description.as_str()
    }

    /// The names of its elements, if it gives them.
    #[must_use]
    pub const fn element_names(&self) -> Option<&'static EnumDesc> {
        self.enumeration
    }

    /// The categories it is in.
    #[must_use]
    pub const fn category_list(&self) -> &'static [&'static CategoryDesc] {
        self.categories.as_slice()
    }

    /// The source that emits it.
    #[must_use]
    pub const fn source(&self) -> &'static SourceDesc {
        self.source
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// When it is raised; `None`: always.
    #[must_use]
    pub const fn life(&self) -> Option<&'static Life> {
        self.life
    }

    /// Whether somebody has registered for it: one load. To spare work that only serves the event.
    #[inline]
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.cell.has_listeners()
    }

    pub(crate) fn cell(&self) -> &'static EventCell {
        self.cell
    }
}

impl std::fmt::Debug for EventDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventDesc").field("name", &self.name).finish_non_exhaustive()
    }
}
