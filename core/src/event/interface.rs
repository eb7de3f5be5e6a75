//! Events and sources, as tools reach them.

use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

use super::registration::{Abi, Function, Registration, RegistrationId};
use super::ring::Ring;
use crate::cvar::Cvar;
use crate::object::Object;
use crate::session::Interface;
use crate::words::{Bind, Safety};
use crate::{Error, Result};

/// Instances that may wait at each source for a context that admits their callbacks, for registrations that ask for it
/// with the hint `mpit_defer`. What does not fit is counted as dropped. Counts for sources of which nothing waited yet.
#[mpit::cvar(name = "event_waiting", scope = "LOCAL", verbosity = "TUNER_DETAIL", component = "mpit")]
static WAITING: Cvar<u32> = Cvar::new(256).range(2..=1 << 20);

/// What a tool may ask for when it registers for an event; everything else is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `mpit_defer`: what no callback can be given at once waits for a context that admits it.
    pub defer: Option<bool>,
}

impl Hints {
    /// The key of [`Hints::defer`]; its values are `true` and `false`.
    pub const DEFER: &'static str = "mpit_defer";

    /// Takes a key and its value; whether they were understood.
    pub fn set(&mut self, key: &str, value: &str) -> bool {
        let defer = match (key, value) {
            (Self::DEFER, "true") => true,
            (Self::DEFER, "false") => false,
            _ => return false,
        };
        self.defer = Some(defer);
        true
    }
}

impl Interface {
    /// Registers for an event type, bound to an object if the type asks for one (`MPI_T_event_handle_alloc`). Nothing
    /// is called yet.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`]; [`Error::InvalidHandle`] when the object is missing or of another kind;
    /// [`Error::OutOfHandles`].
    pub fn event_handle_alloc(
        &self,
        index: u32,
        object: Option<&Object<'_>>,
        hints: Hints,
        abi: &'static Abi,
    ) -> Result<RegistrationId> {
        self.up()?;
        let desc = self.registry().event(index).ok_or(Error::InvalidIndex)?;
        let object = match (desc.binding(), object) {
            (Bind::NoObject, _) => 0,
            (kind, Some(object)) if object.kind() == kind => object.id(),
            _ => return Err(Error::InvalidHandle),
        };
        let id = desc.cell().register(desc, object, abi, |make| self.add_registration(make))?;
        self.event_handle_set_hints(id, hints)?;
        Ok(id)
    }

    /// Takes those hints that are given (`MPI_T_event_handle_set_info`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_handle_set_hints(&self, id: RegistrationId, hints: Hints) -> Result<()> {
        let registration = self.registration(id)?;
        if let Some(defer) = hints.defer {
            if defer {
                let source = registration.desc.source().cell();
                source.waiting.get_or_init(|| Ring::new(WAITING.get() as usize));
            }
            registration.defers.store(defer, SeqCst);
        }
        Ok(())
    }

    /// The hints in force (`MPI_T_event_handle_get_info`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_handle_hints(&self, id: RegistrationId) -> Result<Hints> {
        Ok(Hints { defer: Some(self.registration(id)?.defers.load(SeqCst)) })
    }

    /// Registers a callback for a level, in place of the one before; null removes it
    /// (`MPI_T_event_register_callback`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`]; [`Error::NotAccessible`] when too many others change the registration at once.
    pub fn event_register_callback(
        &self,
        id: RegistrationId,
        safety: Safety,
        function: *mut c_void,
        user_data: *mut c_void,
    ) -> Result<()> {
        let registration = self.registration(id)?;
        let new = Function { function, user_data };
        let changed = registration.change(|functions| functions.callbacks[safety as usize] = new);
        if changed { Ok(()) } else { Err(Error::NotAccessible) }
    }

    /// Whether a callback is registered for a level.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_has_callback(&self, id: RegistrationId, safety: Safety) -> Result<bool> {
        Ok(!self.registration(id)?.functions().callbacks[safety as usize].function.is_null())
    }

    /// Sets the handler of drops in place of the one before; null: losses are not recorded
    /// (`MPI_T_event_set_dropped_handler`).
    ///
    /// # Errors
    ///
    /// As [`Interface::event_register_callback`].
    pub fn event_set_dropped_handler(&self, id: RegistrationId, handler: *mut c_void) -> Result<()> {
        let registration = self.registration(id)?;
        let changed = registration.change(|functions| functions.handler = handler);
        // What was lost before is not the new handler's to know.
        registration.take_drops();
        if changed { Ok(()) } else { Err(Error::NotAccessible) }
    }

    /// Ends a registration (`MPI_T_event_handle_free`). The free callback, unless null, runs once, when it is certain
    /// that no callback of the registration runs any more: before this returns, or, if one runs now, when it has
    /// returned.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_handle_free(
        &self,
        id: RegistrationId,
        user_data: *mut c_void,
        farewell: *mut c_void,
    ) -> Result<()> {
        let registration = self.registration(id)?;
        let (_, generation) = id.parts().ok_or(Error::InvalidHandle)?;
        if let Some(_visit) = registration.enter() {
            registration.report_drops(Safety::None);
        }
        if !registration.free(generation, farewell, user_data) {
            return Err(Error::InvalidHandle);
        }
        registration.take_drops();
        Ok(())
    }

    /// Ends all registrations, when the interface goes down.
    pub(crate) fn end_registrations(&self) {
        for registration in self.registrations() {
            if let Some((_, generation)) = registration.id().parts() {
                registration.free(generation, std::ptr::null_mut(), std::ptr::null_mut());
                registration.take_drops();
            }
        }
    }

    fn registration(&self, id: RegistrationId) -> Result<&'static Registration> {
        self.up()?;
        let (number, generation) = id.parts().ok_or(Error::InvalidHandle)?;
        let found = self.registration_slot(number).filter(|found| found.is_live(generation));
        found.ok_or(Error::InvalidHandle)
    }
}
