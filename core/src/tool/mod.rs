//! The interface for tools, in Rust: what the C functions do, with lifetimes instead of rules.
//!
//! ```
//! use mpit::cell::Counter;
//! use mpit::tool::Tool;
//! use mpit::words::Class;
//!
//! /// Tokens passed on.
//! #[mpit::pvar(class = "COUNTER")]
//! static TOKENS: Counter<u64> = Counter::new();
//!
//! let tool = Tool::new();
//! let session = tool.session()?;
//! let tokens = session.handle("tokens", Class::Counter, None)?;
//! tokens.start()?;
//! TOKENS.increment();
//! assert_eq!(tokens.read::<u64>()?, [1]);
//! # Ok::<(), mpit::Error>(())
//! ```

mod events;

use std::marker::PhantomData;

pub use events::{Listener, Occurrence};

use crate::cell::{Value, fits};
use crate::desc::PvarDesc;
use crate::object::Object;
use crate::registry::Registry;
use crate::session::{CvarHandle, Interface, PvarHandle, SessionId, Which};
use crate::words::{Class, Datatype, ThreadLevel};
use crate::{Error, Result};

/// The interface, up for as long as this value lives.
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
    /// Brings the interface of this process up (`MPI_T_init_thread`).
    #[must_use]
    pub fn new() -> Self {
        Self::on(Interface::global())
    }

    /// Brings another interface up.
    #[must_use]
    pub fn on(interface: &'static Interface) -> Self {
        interface.init(ThreadLevel::Multiple);
        Self { interface }
    }

    /// What there is to see: variables, categories and enumerations with all they say about themselves.
    #[must_use]
    pub fn registry(&self) -> &'static Registry {
        self.interface.registry()
    }

    /// Makes a session (`MPI_T_pvar_session_create`).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfSessions`].
    pub fn session(&self) -> Result<Session<'_>> {
        let id = self.interface.session_create()?;
        Ok(Session { interface: self.interface, id, of: PhantomData })
    }

    /// Makes a handle of a control variable that is bound to no object, by name.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`], and those of [`Interface::cvar_handle_alloc`].
    pub fn cvar(&self, name: &str) -> Result<Setting<'_>> {
        self.cvar_of(name, None)
    }

    /// Makes a handle on a control variable that may be bound to an object.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`], and those of [`Interface::cvar_handle_alloc`].
    pub fn cvar_of(&self, name: &str, object: Option<&Object<'_>>) -> Result<Setting<'_>> {
        let index = self.registry().cvar_index(name).ok_or(Error::InvalidName)?;
        let (id, count) = self.interface.cvar_handle_alloc(index, object)?;
        let datatype = self.registry().cvar(index).ok_or(Error::InvalidIndex)?.desc().element();
        Ok(Setting { interface: self.interface, id, count, datatype, of: PhantomData })
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // Ours was one of the references, so there is one to give back.
        let _ = self.interface.finalize();
    }
}

/// A performance experiment session: handles in it are independent of all others.
#[derive(Debug)]
pub struct Session<'t> {
    interface: &'static Interface,
    id: SessionId,
    of: PhantomData<&'t Tool>,
}

impl Session<'_> {
    /// Makes a handle of a variable, by name and class; `object` for variables that are bound to one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`], and those of [`Interface::handle_alloc`].
    pub fn handle(&self, name: &str, class: Class, object: Option<&Object<'_>>) -> Result<Handle<'_>> {
        let index = self.interface.registry().pvar_index(name, class).ok_or(Error::InvalidName)?;
        self.handle_at(index, object)
    }

    /// Makes a handle of a variable, by index (`MPI_T_pvar_handle_alloc`).
    ///
    /// # Errors
    ///
    /// Those of [`Interface::handle_alloc`].
    pub fn handle_at(&self, index: u32, object: Option<&Object<'_>>) -> Result<Handle<'_>> {
        let (id, count) = self.interface.handle_alloc(self.id, index, object)?;
        let desc = self.interface.registry().pvar(index).ok_or(Error::InvalidIndex)?;
        Ok(Handle { session: self, id, count, desc })
    }

    /// Starts all handles of the session that can be.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::start`].
    pub fn start_all(&self) -> Result<()> {
        self.interface.start(self.id, Which::All)
    }

    /// Stops all handles of the session that can be.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::stop`].
    pub fn stop_all(&self) -> Result<()> {
        self.interface.stop(self.id, Which::All)
    }

    /// Resets all handles of the session that are not read-only.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::reset`].
    pub fn reset_all(&self) -> Result<()> {
        self.interface.reset(self.id, Which::All)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // It lives as long as this value, unless the interface went down, and then it is gone.
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
    /// The number of elements of its value.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// What it is a handle of.
    #[must_use]
    pub fn desc(&self) -> &'static PvarDesc {
        self.desc
    }

    /// Starts it; no effect if it runs.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::start`].
    pub fn start(&self) -> Result<()> {
        self.session.interface.start(self.session.id, Which::One(self.id))
    }

    /// Stops it; no effect if it is stopped.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::stop`].
    pub fn stop(&self) -> Result<()> {
        self.session.interface.stop(self.session.id, Which::One(self.id))
    }

    /// Resets it to the starting value of its class.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::reset`].
    pub fn reset(&self) -> Result<()> {
        self.session.interface.reset(self.session.id, Which::One(self.id))
    }

    /// Its value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `T` is not the variable's type, and those of [`Interface::read`].
    pub fn read<T: Value>(&self) -> Result<Vec<T>> {
        self.copy_out(|out| {
            // SAFETY: `copy_out` gives room for `count` elements of the variable's type.
            unsafe { self.session.interface.read(self.session.id, self.id, out) }
        })
    }

    /// Its value, and resets it, in one atomic step.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `T` is not the variable's type, and those of [`Interface::readreset`].
    pub fn read_and_reset<T: Value>(&self) -> Result<Vec<T>> {
        self.copy_out(|out| {
            // SAFETY: as in `read`.
            unsafe { self.session.interface.readreset(self.session.id, self.id, out) }
        })
    }

    fn copy_out<T: Value>(&self, copy: impl FnOnce(*mut u8) -> Result<()>) -> Result<Vec<T>> {
        if !fits::<T>(self.desc.element()) {
            return Err(Error::Invalid);
        }
        let mut value = vec![T::from_word(0); self.count];
        copy(value.as_mut_ptr().cast())?;
        Ok(value)
    }

    /// Sets its value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `value` is not of the variable's type and count, and those of
    /// [`Interface::write`].
    pub fn write<T: Value>(&self, value: &[T]) -> Result<()> {
        if !fits::<T>(self.desc.element()) || value.len() != self.count {
            return Err(Error::Invalid);
        }
        // SAFETY: `value` has `count` elements of the variable's type.
        unsafe { self.session.interface.write(self.session.id, self.id, value.as_ptr().cast()) }
    }

    /// Sets the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, or the text is too long or contains a NUL; those of
    /// [`Interface::write`].
    pub fn write_text(&self, text: &str) -> Result<()> {
        let text = terminated(text, self.desc.element(), self.count)?;
        // SAFETY: the text ends in a NUL within the count.
        unsafe { self.session.interface.write(self.session.id, self.id, text.as_ptr()) }
    }

    /// The value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, and those of [`Interface::read`].
    pub fn read_text(&self) -> Result<String> {
        self.read::<u8>().map(|bytes| from_c(&bytes))
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // It lives as long as this value, unless the interface went down, and then it is gone.
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
    /// Its value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `T` is not the variable's type, and those of [`Interface::cvar_read`].
    pub fn read<T: Value>(&self) -> Result<Vec<T>> {
        if !fits::<T>(self.datatype) {
            return Err(Error::Invalid);
        }
        let mut value = vec![T::from_word(0); self.count];
        // SAFETY: `value` has room for `count` elements of the variable's type.
        unsafe { self.interface.cvar_read(self.id, value.as_mut_ptr().cast()) }?;
        Ok(value)
    }

    /// Sets its value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when `value` is not of the variable's type and count, and those of
    /// [`Interface::cvar_write`].
    pub fn write<T: Value>(&self, value: &[T]) -> Result<()> {
        if !fits::<T>(self.datatype) || value.len() != self.count {
            return Err(Error::Invalid);
        }
        // SAFETY: `value` has `count` elements of the variable's type.
        unsafe { self.interface.cvar_write(self.id, value.as_ptr().cast()) }
    }

    /// Sets the value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, or the text is too long or contains a NUL; those of
    /// [`Interface::cvar_write`].
    pub fn write_text(&self, text: &str) -> Result<()> {
        let text = terminated(text, self.datatype, self.count)?;
        // SAFETY: the text ends in a NUL within the count.
        unsafe { self.interface.cvar_write(self.id, text.as_ptr()) }
    }

    /// The value of a text variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the variable is not text, and those of [`Interface::cvar_read`].
    pub fn read_text(&self) -> Result<String> {
        self.read::<u8>().map(|bytes| from_c(&bytes))
    }
}

impl Drop for Setting<'_> {
    fn drop(&mut self) {
        // It lives as long as this value, unless the interface went down, and then it is gone.
        let _ = self.interface.cvar_handle_free(self.id);
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
