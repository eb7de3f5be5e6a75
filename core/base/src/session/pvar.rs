//! Sessions, and their handles of performance variables.

use std::collections::HashSet;

use super::handle::{Handle, HandleLayout, NO_SESSION, View};
use super::{Interface, PvarHandle, SessionId};
use crate::barrier;
use crate::cell::{Action, Behavior, HandleId, PvarDesc, PvarFlags, Request};
use crate::desc::{Activation, check_active};
use crate::memory;
use crate::object::Object;
use crate::slots::Ended;
use crate::vocabulary::Bind;
use crate::{Error, Result};

/// The number of elements above which the memory for a handle is checked first.
const MANY: usize = 1024;

/// The memory for an element of a handle: two words and a rank, rounded up to powers of two.
const MEMORY_OF_ELEMENT: usize = 64;

impl Interface {
    /// Creates a session.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfSessions`].
    pub fn session_create(&self) -> Result<SessionId> {
        self.check_initialized()?;
        barrier::prepare();
        self.sessions.take((), || (), |(), _| ()).map(SessionId).ok_or(Error::OutOfSessions)
    }

    /// Frees a session and its handles.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`].
    pub fn session_free(&self, session: SessionId) -> Result<()> {
        self.check_initialized()?;
        if !self.sessions.free(session.0) {
            return Err(Error::InvalidSession);
        }
        // Pairs with the check that follows the creation of a handle.
        barrier::heavy();
        for (id, _) in self.pvars.iter().filter(|(_, handle)| handle.session() == session.0) {
            self.end_handle(id);
        }
        Ok(())
    }

    /// Checks that a session exists.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`] if it does not, [`Error::NotInitialized`].
    pub fn check_session(&self, session: SessionId) -> Result<()> {
        self.check_initialized()?;
        self.check_exists(session)
    }

    /// Checks that a session exists, after the caller has published something in it. If this succeeds, a thread that frees the
    /// session later finds what was published, after its call of [`Interface::session_free`].
    ///
    /// # Errors
    ///
    /// Those of [`Interface::check_session`].
    pub fn check_session_of_published(&self, session: SessionId) -> Result<()> {
        // Pairs with the heavy barrier of `session_free`.
        barrier::light();
        self.check_session(session)
    }

    /// Allocates a handle of a variable, bound to an object if the variable requires one; otherwise `object` is ignored. Returns
    /// it with the number of elements that a buffer must have.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`]; [`Error::InvalidIndex`], also for a variable of a plug-in that is not active;
    /// [`Error::InvalidHandle`] when the object is missing or of another kind; [`Error::OutOfHandles`]; errors of a custom
    /// variable.
    pub fn handle_alloc(
        &self,
        session: SessionId,
        index: u32,
        object: Option<&Object<'_>>,
    ) -> Result<(PvarHandle, usize)> {
        self.handle_alloc_with(session, index, |_| object.copied().ok_or(Error::InvalidHandle))
    }

    /// Allocates a handle like [`Interface::handle_alloc`]. `object` is called if the variable is bound to an object, with the
    /// kind of object.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::handle_alloc`] and of `object`.
    #[inline]
    pub fn handle_alloc_with<'o, E: From<Error>>(
        &self,
        session: SessionId,
        index: u32,
        object: impl FnOnce(Bind) -> std::result::Result<Object<'o>, E>,
    ) -> std::result::Result<(PvarHandle, usize), E> {
        self.check_initialized()?;
        if let Some(desc) = self.registry.pvar(index)
            && let Some(id) = self.alloc_plain(session, desc)
        {
            return Ok(self.unless_invalid(id, session, desc, 1)?);
        }
        self.alloc_any(session, index, object)
    }

    /// Allocates a handle with an account of one element, without an object and with nothing to begin. `None` if the variable has
    /// other handles, or all handles are in use. The session is only checked afterwards.
    #[inline]
    fn alloc_plain(&self, session: SessionId, desc: &'static PvarDesc) -> Option<u64> {
        if !desc.has_plain_handles() {
            return None;
        }
        debug_assert!(desc.count(&Object::NONE) == Ok(1), "the cell of {} is no scalar", desc.name());
        let layout = HandleLayout::default();
        let fill = |handle: &Handle, id| handle.fill_plain(id, session.0, desc);
        self.pvars.take(layout, || Handle::with_layout(layout), fill)
    }

    /// Allocates a handle of any kind.
    #[inline(never)]
    fn alloc_any<'o, E: From<Error>>(
        &self,
        session: SessionId,
        index: u32,
        object: impl FnOnce(Bind) -> std::result::Result<Object<'o>, E>,
    ) -> std::result::Result<(PvarHandle, usize), E> {
        self.check_exists(session)?;
        let desc = self.registry.pvar(index).ok_or(Error::InvalidIndex)?;
        check_active(desc.activation(), Error::InvalidIndex)?;
        let object = match desc.bind() {
            Bind::NoObject => Object::NONE,
            kind => object(kind)?,
        };
        if object.kind() != desc.bind() {
            return Err(Error::InvalidHandle.into());
        }
        Ok(self.alloc(session, desc, &object)?)
    }

    fn alloc(
        &self,
        session: SessionId,
        desc: &'static PvarDesc,
        object: &Object<'_>,
    ) -> Result<(PvarHandle, usize)> {
        let count = desc.count(object)?;
        i32::try_from(count).map_err(|_| Error::Memory)?;
        if count > MANY && !memory::admits(count.saturating_mul(MEMORY_OF_ELEMENT)) {
            return Err(Error::Memory);
        }
        let layout = HandleLayout::of(desc.behavior(), count, object);
        // A handle with nothing to begin is in its session at once.
        let begins = desc.behavior() == Behavior::Custom || desc.flags().has(PvarFlags::CONTINUOUS);
        let first_session = if begins { NO_SESSION } else { session.0 };
        let fill = |handle: &Handle, id| handle.fill(id, first_session, desc, count, object);
        let id = self.pvars.take(layout, || Handle::with_layout(layout), fill).ok_or(Error::OutOfHandles)?;
        if begins && let Err(error) = self.begin_handle(id, desc, session) {
            self.discard(id);
            return Err(error);
        }
        self.unless_invalid(id, session, desc, count)
    }

    /// Ends a handle that was just allocated if its session was freed or its variable's plug-in deactivated meanwhile.
    #[inline]
    fn unless_invalid(
        &self,
        id: u64,
        session: SessionId,
        desc: &'static PvarDesc,
        count: usize,
    ) -> Result<(PvarHandle, usize)> {
        // The thread that freed the session or deactivated the plug-in may have listed the handles before this one joined. If
        // not, both threads end the handle, and one of them succeeds.
        barrier::light();
        let is_valid =
            self.check_exists(session).and_then(|()| check_active(desc.activation(), Error::InvalidIndex));
        if is_valid.is_err() {
            self.end_handle(id);
        }
        is_valid.map(|()| (PvarHandle(id), count))
    }

    /// Notifies a custom variable of its handle; starts the handle of a continuous variable. Then adds it to its session.
    fn begin_handle(&self, id: u64, desc: &'static PvarDesc, session: SessionId) -> Result<()> {
        let view = self.view(id)?;
        if desc.behavior() == Behavior::Custom {
            view.act(Request::Bind, std::ptr::null_mut(), 0)?;
        }
        if desc.flags().has(PvarFlags::CONTINUOUS)
            && let Err(error) = view.set_running(true)
        {
            if desc.behavior() == Behavior::Custom {
                let _ = view.act(Request::Unbind, std::ptr::null_mut(), 0);
            }
            return Err(error);
        }
        view.handle.join(session.0);
        Ok(())
    }

    /// Frees a handle, and stops it if it is started.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    #[inline]
    pub fn handle_free(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.check_initialized()?;
        let (mut plain, mut ran) = (None, false);
        let is_plain = |found: &Handle| {
            plain = found.plain(handle.0, session.0);
            plain.is_some()
        };
        // Neither custom nor a watermark, so it has nothing but an account to end.
        match self.pvars.end_if(handle.0, is_plain, |found| ran = found.retire_plain()) {
            Ended::Now => {
                if ran && let Some(desc) = plain {
                    desc.watch(-1);
                }
                Ok(())
            }
            Ended::Before => Err(Error::InvalidHandle),
            Ended::Unwanted => self.free_any(session, handle),
        }
    }

    #[inline(never)]
    fn free_any(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        let view = self.view_in_session(session, handle)?;
        if self.end_view(&view) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    /// Returns the numbers of the objects of a kind that handles of performance variables are bound to.
    pub fn bound_objects(&self, kind: Bind) -> HashSet<u64> {
        let views = self.pvars.iter().filter_map(|(id, _)| self.view(id).ok());
        views.filter(|view| view.object.kind == kind).map(|view| view.object.id).collect()
    }

    /// Frees a handle and stops it. Returns true if this call freed it.
    pub(super) fn end_handle(&self, id: u64) -> bool {
        self.view(id).is_ok_and(|view| self.end_view(&view))
    }

    fn end_view(&self, view: &View<'_>) -> bool {
        let Some(ran) = self.discard(view.id) else { return false };
        if ran {
            view.desc.watch(-1);
        }
        if view.desc.behavior() == Behavior::Custom {
            // The handle is freed already, so an error cannot be reported.
            let _ = view.act(Request::Unbind, std::ptr::null_mut(), 0);
        }
        true
    }

    /// Invalidates an identifier. Returns true if the handle was started, and `None` if another thread was faster.
    #[inline]
    fn discard(&self, id: u64) -> Option<bool> {
        let mut ran = false;
        let is_freed = self.pvars.end(id, |handle| ran = handle.retire());
        if is_freed { Some(ran) } else { None }
    }

    #[inline]
    pub(super) fn check_exists(&self, session: SessionId) -> Result<()> {
        self.sessions.get(session.0).copied().ok_or(Error::InvalidSession)
    }

    /// Returns the content of a valid handle, read consistently.
    #[inline]
    pub(super) fn view(&self, id: u64) -> Result<View<'_>> {
        self.pvars.get_with(id, |handle| handle.view(id)).ok_or(Error::InvalidHandle)
    }

    /// Returns a handle of a session, whose plug-in may be inactive.
    #[inline]
    pub(super) fn view_in_session(&self, session: SessionId, handle: PvarHandle) -> Result<View<'_>> {
        // A handle is freed with its session, so the session need not be looked up if the handle is found.
        match self.view(handle.0) {
            Ok(view) if view.session == session.0 => Ok(view),
            _ => Err(self.check_exists(session).err().unwrap_or(Error::InvalidHandle)),
        }
    }

    /// Returns a valid handle of a session.
    #[inline]
    pub(super) fn valid_view(&self, session: SessionId, handle: PvarHandle) -> Result<View<'_>> {
        let view = self.view_in_session(session, handle)?;
        view.check_active()?;
        Ok(view)
    }

    /// Handles the deactivation of a plug-in: stops the handles of its variables and ends the registrations for its events.
    /// Callbacks may run before this returns. Tools still have to free their handles.
    pub fn release(&self, activation: &Activation) {
        self.stop_handles_of(activation);
        self.abandon_registrations_of(activation);
    }

    /// Stops the handles of the variables of an inactive plug-in, so that the cells stop counting for them. Custom variables
    /// are notified when the handles are freed.
    fn stop_handles_of(&self, activation: &Activation) {
        for (id, handle) in self.pvars.iter() {
            let belongs = |view: &View<'_>| {
                view.desc.activation().is_some_and(|its| std::ptr::eq(its, activation))
                    && view.desc.behavior() != Behavior::Custom
            };
            // Read before the identifier is checked, so that a later handle in the same slot is not stopped.
            let mut seen = handle.running();
            while let Ok(view) = self.view(id)
                && belongs(&view)
                && !view.stop_if(seen)
            {
                seen = handle.running();
            }
        }
    }
}

impl View<'_> {
    /// Fails if the handle's variable belongs to a plug-in that was deactivated.
    #[inline]
    pub(super) fn check_active(&self) -> Result<()> {
        check_active(self.desc.activation(), Error::InvalidHandle)
    }

    /// Passes a request to a custom variable.
    pub(super) fn act(&self, request: Request, buffer: *mut u8, count: usize) -> Result<()> {
        let handle = HandleId(self.id);
        self.desc.custom(&Action { request, handle, object: &self.object, buffer, count })
    }
}
