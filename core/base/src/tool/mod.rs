//! The tools interface with Rust types: the operations of the C functions, with lifetimes in place of rules.
//!
//! A [`Tool`] reads the variables of its own process. [`Tool::registry`] lists them; a [`Session`] allocates handles of
//! performance variables, whose values are independent of those of other sessions; [`Tool::cvar`] allocates a handle of a control
//! variable; [`Tool::on`] and [`Tool::listen`] register callbacks for events.
//!
//! ```
//! use mpit::prelude::*;
//!
//! /// Tokens passed on.
//! #[pvar(class = "COUNTER")]
//! static TOKENS: Counter<u64> = Counter::new();
//!
//! let tool = Tool::new();
//! let session = tool.session()?;
//! let tokens = session.handle("tokens", Class::Counter, None)?;
//! tokens.start()?;
//! TOKENS.increment();
//! assert_eq!(tokens.value::<u64>()?, 1);
//! # Ok::<(), mpit::Error>(())
//! ```
//!
//! Where a definition is in the same program, its static or type can take the place of the name: [`Session::handle_of`],
//! [`Tool::setting_of`], [`Tool::on`].

mod events;
mod typed;

use std::marker::PhantomData;

pub use crate::cell::desc::PvarDesc;
pub use crate::cvar::desc::CvarDesc;
pub use crate::desc::{EnumDesc, EnumItem};
pub use crate::event::delivery::EventInstance;
pub use crate::event::desc::{EventDesc, SourceDesc};
pub use crate::registry::{Category, Registry};
#[doc(inline)]
pub use crate::vocabulary::{Class, Datatype, Scope, Verbosity};
pub use events::Listener;
pub use typed::{HandleOf, SettingOf};

use crate::cell::{Value, fits};
use crate::object::Object;
use crate::session::{CvarHandle, HandleSelection, Interface, PvarHandle, SessionId};
use crate::vocabulary::ThreadLevel;
use crate::{Error, Result};

/// A reference to the interface, which stays initialized until this value is dropped.
#[derive(Debug)]
pub struct Tool {
    interface: &'static Interface,
}

impl Default for Tool {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool {
    /// Initializes the interface of this process (`MPI_T_init_thread`).
    #[must_use]
    pub fn new() -> Self {
        Self::of(Interface::global())
    }

    /// Initializes another interface.
    #[doc(hidden)]
    #[must_use]
    pub fn of(interface: &'static Interface) -> Self {
        interface.init(ThreadLevel::Multiple);
        Self { interface }
    }

    /// Returns the registry: variables, categories and enumerations with their descriptions.
    pub fn registry(&self) -> &'static Registry {
        self.interface.registry()
    }

    /// Creates a session (`MPI_T_pvar_session_create`).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfSessions`].
    pub fn session(&self) -> Result<Session<'_>> {
        let id = self.interface.session_create()?;
        Ok(Session { interface: self.interface, id, of: PhantomData })
    }

    /// Allocates a handle of a control variable that is bound to no object, by name.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`]; [`Error::InvalidHandle`] for a variable that is bound to an object; [`Error::OutOfHandles`].
    pub fn cvar(&self, name: &str) -> Result<Setting<'_>> {
        self.cvar_of(name, None)
    }

    /// Allocates a handle of a control variable that may be bound to an object.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`]; [`Error::InvalidHandle`] for an object that is missing or of another kind;
    /// [`Error::OutOfHandles`].
    pub fn cvar_of(&self, name: &str, object: Option<&Object<'_>>) -> Result<Setting<'_>> {
        let index = self.registry().cvar_index(name).ok_or(Error::InvalidName)?;
        self.cvar_at(index, object)
    }

    fn cvar_at(&self, index: u32, object: Option<&Object<'_>>) -> Result<Setting<'_>> {
        let (id, count) = self.interface.cvar_handle_alloc(index, object)?;
        let datatype = self.registry().cvar(index).ok_or(Error::InvalidIndex)?.datatype();
        Ok(Setting { interface: self.interface, id, count, datatype, of: PhantomData })
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // `Tool::of` took one reference, so this one cannot fail for lack of it.
        let _ = self.interface.finalize();
    }
}

/// A performance experiment session, whose handles are independent of all others.
#[derive(Debug)]
pub struct Session<'t> {
    interface: &'static Interface,
    id: SessionId,
    of: PhantomData<&'t Tool>,
}

impl Session<'_> {
    /// Allocates a handle of a performance variable, by name and class; `object` is for variables that are bound to one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`], and those of [`handle_at`](Self::handle_at).
    pub fn handle(&self, name: &str, class: Class, object: Option<&Object<'_>>) -> Result<Handle<'_>> {
        let index = self.interface.registry().pvar_index(name, class).ok_or(Error::InvalidName)?;
        self.handle_at(index, object)
    }

    /// Allocates a handle of a performance variable, by index (`MPI_T_pvar_handle_alloc`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], also for a variable of a plug-in that is not active; [`Error::InvalidHandle`] when the object is
    /// missing or of another kind; [`Error::OutOfHandles`]; errors of a custom variable.
    pub fn handle_at(&self, index: u32, object: Option<&Object<'_>>) -> Result<Handle<'_>> {
        let (id, count) = self.interface.handle_alloc(self.id, index, object)?;
        let desc = self.interface.registry().pvar(index).ok_or(Error::InvalidIndex)?;
        Ok(Handle { session: self, id, count, desc })
    }

    /// Starts all handles of the session except those of continuous variables.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] if one of the handles failed.
    pub fn start_all(&self) -> Result<()> {
        self.interface.start(self.id, HandleSelection::All)
    }

    /// Stops all handles of the session except those of continuous variables.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] if one of the handles failed.
    pub fn stop_all(&self) -> Result<()> {
        self.interface.stop(self.id, HandleSelection::All)
    }

    /// Resets all handles of the session except those of read-only variables.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] if one of the handles failed.
    pub fn reset_all(&self) -> Result<()> {
        self.interface.reset(self.id, HandleSelection::All)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Fails only if the interface was finalized, which has freed the session.
        let _ = self.interface.session_free(self.id);
    }
}

/// A handle of a performance variable. It cannot outlive its session.
#[derive(Debug)]
pub struct Handle<'s> {
    session: &'s Session<'s>,
    id: PvarHandle,
    count: usize,
    desc: &'static PvarDesc,
}

impl Handle<'_> {
    /// Returns the number of elements of the value.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the descriptor of the variable.
    pub fn desc(&self) -> &'static PvarDesc {
        self.desc
    }

    /// Starts the handle; no effect if it is started.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] for a continuous variable; [`Error::InvalidHandle`] if its plug-in was deactivated.
    pub fn start(&self) -> Result<()> {
        self.session.interface.start(self.session.id, HandleSelection::One(self.id))
    }

    /// Stops the handle; no effect if it is stopped.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub fn stop(&self) -> Result<()> {
        self.session.interface.stop(self.session.id, HandleSelection::One(self.id))
    }

    /// Resets the value to the starting value of the variable's class.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable; [`Error::InvalidHandle`] if its plug-in was deactivated.
    pub fn reset(&self) -> Result<()> {
        self.session.interface.reset(self.session.id, HandleSelection::One(self.id))
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `T` is not the variable's type; [`Error::InvalidHandle`] if its plug-in was deactivated; errors of
    /// the function of a computed variable.
    pub fn read<T: Value>(&self) -> Result<Vec<T>> {
        copy_out(self.desc.datatype(), self.count, |out| {
            // SAFETY: `copy_out` passes a buffer of `count` elements, and checked that `T` is the variable's C type.
            unsafe { self.session.interface.read(self.session.id, self.id, out) }
        })
    }

    /// Returns the value of a variable with one element.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable has another number of elements; those of [`read`](Self::read).
    pub fn value<T: Value>(&self) -> Result<T> {
        single(&self.read()?)
    }

    /// Returns the value and resets it, in one atomic step.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoAtomic`] for a variable without that flag; [`Error::PvarNoWrite`] for a read-only one; those of
    /// [`read`](Self::read).
    pub fn read_and_reset<T: Value>(&self) -> Result<Vec<T>> {
        copy_out(self.desc.datatype(), self.count, |out| {
            // SAFETY: `copy_out` passes a buffer of `count` elements, and checked that `T` is the variable's C type.
            unsafe { self.session.interface.readreset(self.session.id, self.id, out) }
        })
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable or a watermark; [`Error::Invalid`] when `value` is not of the variable's
    /// type and count, or not a value of its class or enumeration; [`Error::InvalidHandle`] if its plug-in was deactivated; errors
    /// of a custom variable.
    pub fn write<T: Value>(&self, value: &[T]) -> Result<()> {
        if !fits::<T>(self.desc.datatype()) || value.len() != self.count {
            return Err(Error::Invalid);
        }
        // SAFETY: the check above ensures that `value` has `count` elements of the variable's C type.
        unsafe { self.session.interface.write(self.session.id, self.id, value.as_ptr().cast()) }
    }

    /// Sets the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, or the text is too long or contains a NUL; those of
    /// [`write`](Self::write).
    pub fn write_text(&self, text: &str) -> Result<()> {
        let text = terminated(text, self.desc.datatype(), self.count)?;
        // SAFETY: `terminated` checked that the variable is text, and returns a text whose NUL is within `count` bytes.
        unsafe { self.session.interface.write(self.session.id, self.id, text.as_ptr()) }
    }

    /// Returns the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text; those of [`read`](Self::read).
    pub fn read_text(&self) -> Result<String> {
        self.read::<u8>().map(|bytes| from_c(&bytes))
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // Fails only if the interface was finalized, which has freed the handle.
        let _ = self.session.interface.handle_free(self.session.id, self.id);
    }
}

/// A handle of a control variable.
#[derive(Debug)]
pub struct Setting<'t> {
    interface: &'static Interface,
    id: CvarHandle,
    count: usize,
    datatype: Datatype,
    of: PhantomData<&'t Tool>,
}

impl Setting<'_> {
    /// Returns the value of a variable with one element.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable has another number of elements; those of [`read`](Self::read).
    pub fn value<T: Value>(&self) -> Result<T> {
        single(&self.read()?)
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `T` is not the variable's type; [`Error::InvalidHandle`] if the object that it is bound to was
    /// freed, or its plug-in was deactivated.
    pub fn read<T: Value>(&self) -> Result<Vec<T>> {
        copy_out(self.datatype, self.count, |out| {
            // SAFETY: `copy_out` passes a buffer of `count` elements, and checked that `T` is the variable's C type.
            unsafe { self.interface.cvar_read(self.id, out) }
        })
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// [`Error::CvarSetNever`] for a variable that tools cannot set, and after MPI is initialized for another value of a variable that
    /// cannot be set then; [`Error::Invalid`] when `value` is not of the variable's type and count, or the variable does not accept
    /// it; [`Error::InvalidHandle`] if the object that it is bound to was freed, or its plug-in was deactivated.
    pub fn write<T: Value>(&self, value: &[T]) -> Result<()> {
        if !fits::<T>(self.datatype) || value.len() != self.count {
            return Err(Error::Invalid);
        }
        // SAFETY: the check above ensures that `value` has `count` elements of the variable's C type.
        unsafe { self.interface.cvar_write(self.id, value.as_ptr().cast()) }
    }

    /// Sets the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, or the text is too long or contains a NUL; those of
    /// [`write`](Self::write).
    pub fn write_text(&self, text: &str) -> Result<()> {
        let text = terminated(text, self.datatype, self.count)?;
        // SAFETY: `terminated` checked that the variable is text, and returns a text whose NUL is within `count` bytes.
        unsafe { self.interface.cvar_write(self.id, text.as_ptr()) }
    }

    /// Returns the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text; those of [`read`](Self::read).
    pub fn read_text(&self) -> Result<String> {
        self.read::<u8>().map(|bytes| from_c(&bytes))
    }
}

impl Drop for Setting<'_> {
    fn drop(&mut self) {
        // Fails only if the interface was finalized, which has freed the handle.
        let _ = self.interface.cvar_handle_free(self.id);
    }
}

/// Returns the elements that a function copies. Refuses a type that is not that of the variable.
fn copy_out<T: Value>(
    datatype: Datatype,
    count: usize,
    copy: impl FnOnce(*mut u8) -> Result<()>,
) -> Result<Vec<T>> {
    if !fits::<T>(datatype) {
        return Err(Error::Invalid);
    }
    let mut value = vec![T::from_word(0); count];
    copy(value.as_mut_ptr().cast())?;
    Ok(value)
}

fn single<T: Copy>(elements: &[T]) -> Result<T> {
    match elements {
        [value] => Ok(*value),
        _ => Err(Error::Invalid),
    }
}

fn terminated(text: &str, datatype: Datatype, count: usize) -> Result<Vec<u8>> {
    if datatype != Datatype::Char || text.len() >= count || text.contains('\0') {
        return Err(Error::Invalid);
    }
    Ok(text.bytes().chain([0]).collect())
}

fn from_c(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}
