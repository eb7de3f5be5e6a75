//! The operations of the tools interface on events and sources.

use std::ffi::c_void;
use std::sync::atomic::{Ordering::SeqCst, fence};

use super::Interface;
use crate::desc::{Activation, check_active};
use crate::event::{Abi, PinGuard, Registration, RegistrationId, instance};
use crate::object::Object;
use crate::vocabulary::{Bind, Safety};
use crate::{Error, Result, barrier};

impl Interface {
    /// Registers for an event type, bound to an object if the type requires one (`MPI_T_event_handle_alloc`). No callback is set
    /// yet.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], also for an event of a plug-in that is not active; [`Error::InvalidHandle`] when the
    /// object is missing or of another kind; [`Error::OutOfHandles`].
    pub fn event_handle_alloc(
        &self,
        index: u32,
        object: Option<&Object<'_>>,
        abi: &'static Abi,
    ) -> Result<RegistrationId> {
        self.check_initialized()?;
        barrier::prepare();
        instance::prepare();
        let desc = self.registry().event(index).ok_or(Error::InvalidIndex)?;
        check_active(desc.activation(), Error::InvalidIndex)?;
        let object = match (desc.bind(), object) {
            (Bind::NoObject, _) => 0,
            (kind, Some(object)) if object.kind() == kind => object.id(),
            _ => return Err(Error::InvalidHandle),
        };
        let id = desc.cell().register(desc, object, abi, |make| self.add_registration(make))?;
        // The thread that deactivated the plug-in may have listed the registrations before this one was added.
        fence(SeqCst);
        if let Err(error) = check_active(desc.activation(), Error::InvalidIndex) {
            // SAFETY: null is permitted, and means that no free callback runs.
            unsafe { self.event_handle_free(id, std::ptr::null_mut(), std::ptr::null_mut()) }?;
            return Err(error);
        }
        Ok(id)
    }

    /// Checks that a registration is valid.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_check(&self, id: RegistrationId) -> Result<()> {
        self.registration(id).map(drop)
    }

    /// Sets the callback for a level; null removes it (`MPI_T_event_register_callback`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`]; [`Error::NotAccessible`] when too many threads change the registration at once.
    ///
    /// # Safety
    ///
    /// `function` is null, or an event callback that the registration's [`Abi`] may call with this `user_data` as long as the
    /// registration lasts. No code with another [`Abi`] sets functions of the same registration.
    pub unsafe fn event_register_callback(
        &self,
        id: RegistrationId,
        safety: Safety,
        function: *mut c_void,
        user_data: *mut c_void,
    ) -> Result<()> {
        if self.registration(id)?.set_callback(safety, function, user_data) {
            Ok(())
        } else {
            Err(Error::NotAccessible)
        }
    }

    /// Returns true if a callback is set for a level.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn event_has_callback(&self, id: RegistrationId, safety: Safety) -> Result<bool> {
        Ok(self.registration(id)?.has_callback(safety))
    }

    /// Sets the handler of drops; null: drops are not counted (`MPI_T_event_set_dropped_handler`).
    ///
    /// # Errors
    ///
    /// Those of [`Interface::event_register_callback`].
    ///
    /// # Safety
    ///
    /// `handler` is null, or a handler of drops that the registration's [`Abi`] may call as long as the registration lasts.
    pub unsafe fn event_set_dropped_handler(&self, id: RegistrationId, handler: *mut c_void) -> Result<()> {
        if self.registration(id)?.set_drop_handler(handler) { Ok(()) } else { Err(Error::NotAccessible) }
    }

    /// Frees a registration (`MPI_T_event_handle_free`). Drops are reported if a callback's level admits it. Then the free
    /// callback, unless null, runs once.
    ///
    /// Both happen when no callback of the registration can run any more: before this returns, or, if an event of the type is
    /// being delivered, after the last such callback has returned.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    ///
    /// # Safety
    ///
    /// `free_callback` is null, or a free callback that the registration's [`Abi`] may call once with this `user_data`.
    pub unsafe fn event_handle_free(
        &self,
        id: RegistrationId,
        user_data: *mut c_void,
        free_callback: *mut c_void,
    ) -> Result<()> {
        self.check_initialized()?;
        let (slot, generation) = self.slot_of(id)?;
        if let Some(pin) = slot.pin_generation(generation)
            && pin.free(free_callback, user_data)
        {
            return Ok(());
        }
        let abandoned = slot.pin_abandoned(Some(generation)).ok_or(Error::InvalidHandle)?;
        abandoned.set_free_callback(free_callback, user_data);
        Ok(())
    }

    /// Ends the registrations for the events of a plug-in that was deactivated: drops are reported, and then no callback begins
    /// any more. Tools can only free the registrations.
    pub(crate) fn abandon_registrations_of(&self, activation: &Activation) {
        let is_its =
            |slot: &&Registration| slot.event.activation().is_some_and(|its| std::ptr::eq(its, activation));
        for registration in self.registrations().filter(is_its) {
            if let Some(pin) = registration.pin(Safety::None) {
                pin.abandon();
            }
        }
    }

    /// Ends all registrations when the interface is finalized. Callbacks that are running in other threads finish; no other ones
    /// begin.
    pub(crate) fn end_registrations(&self) {
        for registration in self.registrations().filter_map(|slot| slot.pin(Safety::None)) {
            registration.remove_functions();
            registration.free(std::ptr::null_mut(), std::ptr::null_mut());
        }
        for registration in self.registrations().filter_map(|slot| slot.pin_abandoned(None)) {
            registration.remove_functions();
            registration.set_free_callback(std::ptr::null_mut(), std::ptr::null_mut());
        }
    }

    fn registration(&self, id: RegistrationId) -> Result<PinGuard<'static>> {
        self.check_initialized()?;
        let (slot, generation) = self.slot_of(id)?;
        slot.pin_generation(generation).ok_or(Error::InvalidHandle)
    }

    /// Returns the slot and the generation of a registration, which may have been freed.
    fn slot_of(&self, id: RegistrationId) -> Result<(&'static Registration, u64)> {
        let (number, generation) = id.parts().ok_or(Error::InvalidHandle)?;
        let slot = self.registration_slot(number).ok_or(Error::InvalidHandle)?;
        Ok((slot, generation))
    }
}
