//! Support for tests: registries and interfaces of their own, typed calls, and processes of their own.

pub(crate) mod metadata;
pub(crate) mod process;

use std::panic::Location;

use metadata::VariableMetadata;
use mpit::cell::{Cell, Value};
use mpit::cvar::CvarCell;
use mpit::cvar::sources::Setting;
use mpit::event::{EventCell, SourceCell};
use mpit::internal::desc::{CategoryDesc, Element, Origin};
use mpit::internal::plugin::Activation;
use mpit::internal::registry::{Image, Refusal};
use mpit::internal::session::{CvarHandle, HandleSelection, Interface, Limits, PvarHandle, SessionId};
use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::Object;
use mpit::tool::{Class, CvarDesc, EnumDesc, EnumItem, EventDesc, PvarDesc, Registry, SourceDesc};
use mpit::{MpitEnum, Result};

/// Leaks a value, since cells and descriptors are statics.
pub(crate) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Returns the place in the test that calls.
#[track_caller]
pub(crate) fn here() -> Origin {
    let caller = Location::caller();
    Origin::new(caller.file(), caller.line())
}

#[track_caller]
pub(crate) fn pvar<C: Cell>(
    variable: impl Into<VariableMetadata>,
    class: Class,
    cell: &'static C,
) -> PvarDesc {
    PvarDesc::new(variable.into().metadata(here()), class, cell)
}

#[track_caller]
pub(crate) fn cvar<C: CvarCell>(variable: impl Into<VariableMetadata>, cell: &'static C) -> CvarDesc {
    CvarDesc::new(variable.into().metadata(here()), cell)
}

#[track_caller]
pub(crate) fn category(
    name: &'static str,
    parents: &[&'static CategoryDesc],
    contains: &[&'static CategoryDesc],
) -> &'static CategoryDesc {
    let description = "";
    leak(CategoryDesc::new(name, description, leak(parents.to_vec()), leak(contains.to_vec()), here()))
}

#[track_caller]
pub(crate) fn enumeration(name: &'static str, items: &[(i32, &'static str)]) -> &'static EnumDesc {
    let items: Vec<_> = items.iter().map(|(value, name)| EnumItem::new(*value, name)).collect();
    leak(EnumDesc::new(name, leak(items), here()))
}

#[track_caller]
pub(crate) fn source(metadata: impl Into<VariableMetadata>) -> &'static SourceDesc {
    let metadata = metadata.into().metadata(here());
    leak(SourceDesc::new(metadata, SourceOrder::Unordered, leak(SourceCell::new())))
}

#[track_caller]
pub(crate) fn event(
    metadata: impl Into<VariableMetadata>,
    elements: &'static [Element],
    source: &'static SourceDesc,
) -> EventDesc {
    EventDesc::new(metadata.into().metadata(here()), elements, source, leak(EventCell::new()))
}

pub(crate) fn image(
    pvars: impl IntoIterator<Item = PvarDesc>,
    cvars: impl IntoIterator<Item = CvarDesc>,
) -> Image {
    let mut image = Image::new("test");
    image.pvars = pvars.into_iter().map(|desc| leak(desc) as &_).collect();
    image.cvars = cvars.into_iter().map(|desc| leak(desc) as &_).collect();
    image
}

/// A state of something, whose values are neither dense nor sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Phase {
    Idle,
    Working,
    Done,
}

impl Phase {
    pub(crate) const ALL: [Self; 3] = [Self::Idle, Self::Working, Self::Done];
}

impl MpitEnum for Phase {
    const DESC: &'static EnumDesc = &EnumDesc::new(
        "phase",
        &[EnumItem::new(7, "idle"), EnumItem::new(-3, "working"), EnumItem::new(40, "done")],
        Origin::new(file!(), line!()),
    );

    fn value(self) -> i32 {
        [7, -3, 40][self as usize]
    }

    fn from_value(value: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.value() == value)
    }
}

/// An initialized interface over a registry of its own.
#[derive(Clone, Copy)]
pub(crate) struct Bench {
    pub(crate) interface: &'static Interface,
}

impl Bench {
    pub(crate) fn over(registry: Registry, limits: Limits) -> Self {
        let interface = leak(Interface::new(leak(registry), limits));
        interface.init(ThreadLevel::Multiple);
        Self { interface }
    }

    /// Creates an interface with these definitions. Asserts that none is refused.
    #[track_caller]
    pub(crate) fn with(image: &Image, settings: &[Setting]) -> Self {
        let registry = Registry::new();
        let refusals = registry.add(image, settings);
        assert!(refusals.is_empty(), "{refusals:?}");
        Self::over(registry, Limits::default())
    }

    #[track_caller]
    pub(crate) fn of_pvars(pvars: impl IntoIterator<Item = PvarDesc>) -> Self {
        Self::with(&image(pvars, []), &[])
    }

    /// Creates an interface with these variables, a session, and a handle of each variable in it.
    #[track_caller]
    pub(crate) fn open<const N: usize>(pvars: [PvarDesc; N]) -> (Self, SessionId, [PvarHandle; N]) {
        let bench = Self::of_pvars(pvars);
        let session = bench.session();
        (bench, session, pvars.map(|desc| bench.handle(session, desc.name(), desc.class())))
    }

    #[track_caller]
    pub(crate) fn of_cvars(cvars: impl IntoIterator<Item = CvarDesc>) -> Self {
        Self::with(&image([], cvars), &[])
    }

    pub(crate) fn registry(self) -> &'static Registry {
        self.interface.registry()
    }

    pub(crate) fn session(self) -> SessionId {
        self.interface.session_create().unwrap()
    }

    /// A handle of a variable that is bound to no object.
    #[track_caller]
    pub(crate) fn handle(self, session: SessionId, name: &str, class: Class) -> PvarHandle {
        self.bound(session, name, class, &Object::NONE).0
    }

    #[track_caller]
    pub(crate) fn bound(
        self,
        session: SessionId,
        name: &str,
        class: Class,
        object: &Object<'_>,
    ) -> (PvarHandle, usize) {
        let index = self.registry().pvar_index(name, class).expect("registered");
        self.interface.handle_alloc(session, index, Some(object)).unwrap()
    }

    /// Ends the activation of a plug-in and what tools made in it.
    pub(crate) fn end(self, activation: &Activation) {
        assert!(activation.end());
        self.interface.release(activation);
    }

    pub(crate) fn start(self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.interface.start(session, HandleSelection::One(handle))
    }

    pub(crate) fn stop(self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.interface.stop(session, HandleSelection::One(handle))
    }

    pub(crate) fn reset(self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.interface.reset(session, HandleSelection::One(handle))
    }

    pub(crate) fn read_all<T: Value>(
        self,
        session: SessionId,
        handle: PvarHandle,
        count: usize,
    ) -> Result<Vec<T>> {
        let mut out = vec![T::from_word(u64::MAX); count];
        // SAFETY: `out` has `count` elements, and callers name the size of an element and the number of elements.
        unsafe { self.interface.read(session, handle, out.as_mut_ptr().cast()) }?;
        Ok(out)
    }

    pub(crate) fn read<T: Value>(self, session: SessionId, handle: PvarHandle) -> Result<T> {
        let mut out = T::from_word(u64::MAX);
        // SAFETY: callers name a type as large as the variable, which has one element.
        unsafe { self.interface.read(session, handle, (&raw mut out).cast()) }?;
        Ok(out)
    }

    pub(crate) fn read_and_reset<T: Value>(self, session: SessionId, handle: PvarHandle) -> Result<T> {
        let mut out = T::from_word(u64::MAX);
        // SAFETY: callers name a type as large as the variable, which has one element.
        unsafe { self.interface.readreset(session, handle, (&raw mut out).cast()) }?;
        Ok(out)
    }

    pub(crate) fn write<T: Value>(self, session: SessionId, handle: PvarHandle, value: T) -> Result<()> {
        // SAFETY: callers pass a value as large as the variable, which has one element.
        unsafe { self.interface.write(session, handle, (&raw const value).cast()) }
    }

    #[track_caller]
    pub(crate) fn cvar(self, name: &str) -> (CvarHandle, usize) {
        self.cvar_of(name, &Object::NONE)
    }

    #[track_caller]
    pub(crate) fn cvar_of(self, name: &str, object: &Object<'_>) -> (CvarHandle, usize) {
        let index = self.registry().cvar_index(name).expect("registered");
        self.interface.cvar_handle_alloc(index, Some(object)).unwrap()
    }

    pub(crate) fn cvar_read<T: Value>(self, handle: CvarHandle) -> Result<T> {
        let mut out = T::from_word(u64::MAX);
        // SAFETY: callers name a type as large as the variable, which has one element.
        unsafe { self.interface.cvar_read(handle, (&raw mut out).cast()) }?;
        Ok(out)
    }

    pub(crate) fn cvar_write<T: Value>(self, handle: CvarHandle, value: T) -> Result<()> {
        // SAFETY: callers pass a value as large as the variable, which has one element.
        unsafe { self.interface.cvar_write(handle, (&raw const value).cast()) }
    }

    pub(crate) fn cvar_read_text(self, handle: CvarHandle, count: usize) -> Result<Vec<u8>> {
        let mut out = vec![0xff; count];
        // SAFETY: `out` has `count` bytes, and callers pass the number of elements of the text variable.
        unsafe { self.interface.cvar_read(handle, out.as_mut_ptr()) }?;
        Ok(out)
    }

    /// Writes bytes of which one is a NUL, or as many as the variable has.
    pub(crate) fn cvar_write_text(self, handle: CvarHandle, text: &[u8]) -> Result<()> {
        // SAFETY: `text` has as many bytes as the variable, or a NUL: the condition of this function.
        unsafe { self.interface.cvar_write(handle, text.as_ptr()) }
    }
}

/// Asserts that the refusals of an image are these, each with a message that has this part; without parts, that it has none.
#[track_caller]
pub(crate) fn assert_refusals(registry: &Registry, image: &Image, parts: &[&str]) {
    let messages = refusals(registry, image);
    let is_right = messages.iter().zip(parts).all(|(message, part)| message.contains(part));
    assert!(messages.len() == parts.len() && is_right, "{parts:?}: {messages:#?}");
}

/// Returns the refusals of an image that has faults, each as its message.
pub(crate) fn refusals(registry: &Registry, image: &Image) -> Vec<String> {
    registry.add(image, &[]).iter().map(Refusal::to_string).collect()
}
