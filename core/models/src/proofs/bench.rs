//! An interface with one variable or event type, for one execution.

use std::ops::Deref;

use crate::internal::desc::{EventDesc, PvarDesc};
use crate::registry::{Image, Registry};
use crate::session::{HandleSelection, Interface, Limits, PvarHandle, SessionId};
use crate::vocabulary::ThreadLevel;
use crate::{Error, Result};

/// A value that lasts until the end of an execution, and is freed then.
pub(super) struct Lasting<T: 'static>(&'static T);

impl<T> Lasting<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Box::leak(Box::new(value)))
    }

    pub(super) fn get(&self) -> &'static T {
        self.0
    }
}

impl<T> Drop for Lasting<T> {
    fn drop(&mut self) {
        // SAFETY: made from a box; a model drops it after its threads have ended, and keeps no reference in its statics.
        drop(unsafe { Box::from_raw(std::ptr::from_ref(self.0).cast_mut()) });
    }
}

/// An interface that is initialized, over a registry of its own.
pub(super) struct Bench {
    interface: Lasting<Interface>,
    /// Dropped after the interface.
    _registry: Lasting<Registry>,
}

impl Deref for Bench {
    type Target = Interface;

    fn deref(&self) -> &Interface {
        self.interface.get()
    }
}

impl Bench {
    fn new(image: &Image) -> Self {
        let registry = Lasting::new(Registry::new());
        assert!(registry.get().add(image, &[]).is_empty());
        let interface = Lasting::new(Interface::new(registry.get(), Limits::default()));
        interface.get().init(ThreadLevel::Multiple);
        Self { interface, _registry: registry }
    }

    /// With a performance variable, which has the index 0.
    pub(super) fn of_pvar(desc: &'static PvarDesc) -> Self {
        let mut image = Image::new("model");
        image.pvars.push(desc);
        Self::new(&image)
    }

    /// With two performance variables, which have the indices 0 and 1.
    pub(super) fn of_pvars(descs: [&'static PvarDesc; 2]) -> Self {
        let mut image = Image::new("model");
        image.pvars.extend(descs);
        Self::new(&image)
    }

    /// With an event type, which has the index 0.
    pub(super) fn of_event(desc: &'static EventDesc) -> Self {
        let mut image = Image::new("model");
        image.events.push(desc);
        Self::new(&image)
    }

    /// Allocates a handle of the variable.
    pub(super) fn alloc(&self, session: SessionId) -> Result<PvarHandle> {
        let (handle, count) = self.handle_alloc(session, 0, None)?;
        assert_eq!(count, 1);
        Ok(handle)
    }

    pub(super) fn start_one(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.start(session, HandleSelection::One(handle))
    }

    pub(super) fn stop_one(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.stop(session, HandleSelection::One(handle))
    }

    pub(super) fn value(&self, session: SessionId, handle: PvarHandle) -> Result<u64> {
        let mut value = 0_u64;
        // SAFETY: the variable has one element of this size, as `alloc` checked.
        unsafe { self.read(session, handle, (&raw mut value).cast()) }.map(|()| value)
    }

    pub(super) fn take_value(&self, session: SessionId, handle: PvarHandle) -> Result<u64> {
        let mut value = 0_u64;
        // SAFETY: the variable has one element of this size, as `alloc` checked.
        unsafe { self.readreset(session, handle, (&raw mut value).cast()) }.map(|()| value)
    }
}

/// Accepts that an operation fails because its handle was freed or its plug-in is inactive.
pub(super) fn unless_invalid(result: Result<()>) {
    let is_expected = matches!(
        result,
        Ok(())
            | Err(Error::InvalidHandle | Error::InvalidSession | Error::InvalidIndex | Error::NotInitialized)
    );
    assert!(is_expected, "{result:?}");
}
