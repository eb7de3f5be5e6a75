//! Sessions, and the handles of performance variables in them.

use std::cell::Cell as StdCell;
use std::collections::HashSet;

use super::handle::{Handle, Room, View};
use super::{Interface, PvarHandle, SessionId};
use crate::cell::{Action, HandleId, Request};
use crate::desc::{Behaviour, PvarDesc, PvarFlags};
use crate::object::Object;
use crate::plugin::{Lease, Life};
use crate::words::Bind;
use crate::{Error, Result};

impl Interface {
    /// Makes a session.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfSessions`].
    pub fn session_create(&self) -> Result<SessionId> {
        self.up()?;
        self.sessions.take((), || (), |(), _| ()).map(SessionId).ok_or(Error::OutOfSessions)
    }

    /// Ends a session and frees the handles in it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`].
    pub fn session_free(&self, session: SessionId) -> Result<()> {
        self.up()?;
        if !self.sessions.free(session.0, ()) {
            return Err(Error::InvalidSession);
        }
        for (id, _) in self.pvars.iter().filter(|(_, handle)| handle.session() == session.0) {
            self.end_handle(id);
        }
        Ok(())
    }

    /// Whether a session is live.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`] when not, [`Error::NotInitialized`].
    pub fn check_session(&self, session: SessionId) -> Result<()> {
        self.up()?;
        self.live(session)
    }

    /// Makes a handle of a variable, bound to an object if the variable asks for one; `object` is ignored if not.
    /// Returns it with the number of elements that a buffer must have room for.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`]; [`Error::InvalidIndex`], also for a variable of a plug-in that is not active;
    /// [`Error::InvalidHandle`] when the object is missing or of another kind; [`Error::OutOfHandles`]; what a custom variable says.
    pub fn handle_alloc(
        &self,
        session: SessionId,
        index: u32,
        object: Option<&Object<'_>>,
    ) -> Result<(PvarHandle, usize)> {
        self.up()?;
        self.live(session)?;
        let desc = self.registry.pvar(index).ok_or(Error::InvalidIndex)?;
        let lease = Lease::begin(desc.life())?;
        let object = match (desc.binding(), object) {
            (Bind::NoObject, _) => Object::NONE,
            (kind, Some(object)) if object.kind() == kind => *object,
            _ => return Err(Error::InvalidHandle),
        };
        let count = desc.count(&object)?;
        i32::try_from(count).map_err(|_| Error::Memory)?;
        let room = Room::of(desc.behaviour(), count, &object);
        let fill = |handle: &Handle, _| handle.fill(session.0, desc, lease, count, &object);
        let id = self.pvars.take(room, || Handle::with_room(room), fill).ok_or(Error::OutOfHandles)?;
        // The session may have ended meanwhile, without knowing of this handle.
        if let Err(error) = self.live(session).and_then(|()| self.begin_handle(id, desc)) {
            self.discard(id, room);
            return Err(error);
        }
        if !lease.holds() {
            self.end_handle(id);
            return Err(Error::InvalidIndex);
        }
        Ok((PvarHandle(id), count))
    }

    /// Tells a custom variable of its handle; starts the handle of a continuous one.
    fn begin_handle(&self, id: u64, desc: &'static PvarDesc) -> Result<()> {
        let view = self.view(id)?;
        if desc.behaviour() == Behaviour::Custom {
            view.act(Request::Bind, std::ptr::null_mut(), 0)?;
        }
        if !desc.flag_set().has(PvarFlags::CONTINUOUS) {
            return Ok(());
        }
        let begun = view.set_running(true);
        if begun.is_err() && desc.behaviour() == Behaviour::Custom {
            let _ = view.act(Request::Unbind, std::ptr::null_mut(), 0);
        }
        begun
    }

    /// Frees a handle. One that runs is stopped silently.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    pub fn handle_free(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.up()?;
        self.held(session, handle)?;
        if self.end_handle(handle.0) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    /// Returns the numbers of the objects of a kind that handles of performance variables are bound to.
    #[must_use]
    pub fn bound_objects(&self, kind: Bind) -> HashSet<u64> {
        let views = self.pvars.iter().filter_map(|(id, _)| self.view(id).ok());
        views.filter(|view| view.object.kind == kind).map(|view| view.object.id).collect()
    }

    /// Ends a handle with all that belongs to it; whether this call did it.
    pub(super) fn end_handle(&self, id: u64) -> bool {
        let Ok(view) = self.view(id) else { return false };
        let room = Room::of(view.desc.behaviour(), view.count, &view.object);
        let Some(ran) = self.discard(id, room) else { return false };
        if ran {
            view.desc.watch(-1);
        }
        if view.desc.behaviour() == Behaviour::Custom {
            // There is nobody left to tell of an error.
            let _ = view.act(Request::Unbind, std::ptr::null_mut(), 0);
        }
        true
    }

    /// Ends an identifier; whether the handle ran, or `None` if somebody else was faster.
    fn discard(&self, id: u64, room: Room) -> Option<bool> {
        let mut ran = false;
        self.pvars.end(id, room, |handle| ran = handle.retire()).then_some(ran)
    }

    #[inline]
    pub(super) fn live(&self, session: SessionId) -> Result<()> {
        self.sessions.get(session.0).copied().ok_or(Error::InvalidSession)
    }

    /// What a handle is, at one moment at which it was valid.
    #[inline]
    pub(super) fn view(&self, id: u64) -> Result<View<'_>> {
        self.pvars.look(id, |handle| handle.view(id)).ok_or(Error::InvalidHandle)
    }

    /// A handle of a session, valid or not any more.
    #[inline]
    pub(super) fn held(&self, session: SessionId, handle: PvarHandle) -> Result<View<'_>> {
        // A handle lives no longer than its session, so a live one that says it is of this session is enough.
        match self.view(handle.0) {
            Ok(view) if view.session == session.0 => Ok(view),
            _ => Err(self.live(session).err().unwrap_or(Error::InvalidHandle)),
        }
    }

    /// A valid handle of a session.
    #[inline]
    pub(super) fn owned(&self, session: SessionId, handle: PvarHandle) -> Result<View<'_>> {
        let view = self.held(session, handle)?;
        self.valid(&view)?;
        Ok(view)
    }

    /// Whether a handle is still valid: always, unless its variable is a plug-in's.
    #[inline]
    pub(super) fn valid(&self, view: &View<'_>) -> Result<()> {
        view.desc.life().map_or(Ok(()), |life| self.valid_in(view.id, life))
    }

    /// Looked up again, to spare the others that look.
    #[inline(never)]
    fn valid_in(&self, id: u64, life: &'static Life) -> Result<()> {
        let epoch = self.pvars.look(id, |handle| Some(handle.epoch())).ok_or(Error::InvalidHandle)?;
        Lease::of(Some(life), epoch).check()
    }

    /// The epoch of a life is over: stops the handles of its variables and ends the registrations for its events. Callbacks
    /// may run meanwhile, and tools still have to free what they made.
    pub fn release(&self, life: &Life) {
        self.stop_handles_of(life);
        self.abandon_registrations_of(life);
    }

    /// Stops the handles of a life's variables that are not valid any more, so that nobody works for them. They are
    /// still to be freed. A variable that keeps its handles itself hears of them then.
    fn stop_handles_of(&self, life: &Life) {
        for (id, handle) in self.pvars.iter() {
            let is_over = |view: &View<'_>| {
                view.desc.life().is_some_and(|its| std::ptr::eq(its, life))
                    && view.desc.behaviour() != Behaviour::Custom
                    && self.valid(view).is_err()
            };
            // Looked at before the identifier is checked, so that what is stopped is no later handle in its place.
            let mut seen = handle.running();
            while let Ok(view) = self.view(id)
                && is_over(&view)
                && !view.stop_if(seen)
            {
                seen = handle.running();
            }
        }
    }
}

impl View<'_> {
    /// Hands a request to a custom variable.
    pub(super) fn act(&self, request: Request, buffer: *mut u8, count: usize) -> Result<()> {
        let action = Action {
            request,
            handle: HandleId(self.id),
            object: &self.object,
            buffer: StdCell::new(buffer),
            count,
        };
        self.desc.custom(&action)
    }
}
