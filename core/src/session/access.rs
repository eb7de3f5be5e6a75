//! The six access calls. They take no lock and allocate nothing.

use std::sync::atomic::Ordering::{Acquire, Release};

use super::elements::{Arithmetic, aligned, legal, text_or_all};
use super::handle::View;
use super::pvar::valid;
use super::{Interface, PvarHandle, SessionId, Which};
use crate::atomic_record::Flags;
use crate::cell::Request;
use crate::desc::{Behavior, PvarFlags};
use crate::{Error, Result};

impl Interface {
    /// Starts a handle; no effect if it is started. For all handles: skips those that are started or cannot be.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] for a continuous variable, or if one of all handles failed;
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    pub fn start(&self, session: SessionId, which: Which) -> Result<()> {
        self.start_or_stop(session, which, true)
    }

    /// Stops a handle; no effect if it is stopped. For all handles: skips those that are stopped or cannot be.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::start`].
    pub fn stop(&self, session: SessionId, which: Which) -> Result<()> {
        self.start_or_stop(session, which, false)
    }

    fn start_or_stop(&self, session: SessionId, which: Which, run: bool) -> Result<()> {
        self.up()?;
        match which {
            Which::One(handle) => {
                let view = self.owned(session, handle)?;
                if view.desc.flags().has(PvarFlags::CONTINUOUS) {
                    return Err(Error::PvarNoStartStop);
                }
                turn(&view, run)
            }
            Which::All => {
                let startable = |view: &View<'_>| !view.desc.flags().has(PvarFlags::CONTINUOUS);
                self.for_all(session, startable, |view| turn(view, run), Error::PvarNoStartStop)
            }
        }
    }

    /// Applies `act` to each valid handle of a session that `fits`, even after a failure.
    fn for_all(
        &self,
        session: SessionId,
        fits: impl Fn(&View<'_>) -> bool,
        act: impl Fn(&View<'_>) -> Result<()>,
        failure: Error,
    ) -> Result<()> {
        self.live(session)?;
        let mut done = Ok(());
        for (id, _) in self.pvars.iter().filter(|(_, handle)| handle.session() == session.0) {
            // A handle that was freed meanwhile is no longer the session's.
            let Ok(view) = self.view(id) else { continue };
            let counts = || valid(&view).is_ok();
            if view.session == session.0 && counts() && fits(&view) && act(&view).is_err() && counts() {
                done = Err(failure);
            }
        }
        done
    }

    /// Copies the value of a handle.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a null or misaligned buffer; [`Error::InvalidSession`], [`Error::InvalidHandle`];
    /// errors of the function of a computed variable.
    ///
    /// # Safety
    ///
    /// `out` is null, or valid for reads and writes of as many elements as [`Interface::handle_alloc`] returned.
    #[inline]
    pub unsafe fn read(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.held(session, handle)?;
        aligned(out, view.desc.datatype())?;
        valid(&view)?;
        // SAFETY: not null and aligned; the caller ensures that it has the elements of the handle.
        unsafe { view.read(out) }
    }

    /// Sets the value of a handle. Text ends at the first NUL, so the buffer may be shorter than the handle's count.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable or a watermark; [`Error::Invalid`] for a null or misaligned
    /// buffer and for a value that the class or the enumeration does not have; [`Error::InvalidSession`],
    /// [`Error::InvalidHandle`]; errors of a custom variable.
    ///
    /// # Safety
    ///
    /// `value` is null, or valid for reads of as many elements as [`Interface::handle_alloc`] returned; for text, of the bytes up
    /// to the first NUL if these are fewer.
    pub unsafe fn write(&self, session: SessionId, handle: PvarHandle, value: *const u8) -> Result<()> {
        self.up()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.owned(session, handle)?;
        aligned(value, view.desc.datatype())?;
        if view.desc.flags().has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        if view.desc.behavior() == Behavior::Custom {
            // SAFETY: not null; the caller ensures that it has the handle's elements, or text up to its NUL.
            let count = unsafe { text_or_all(value, view.desc.datatype(), view.count) };
            return view.act(Request::Write, value.cast_mut(), count);
        }
        // SAFETY: not null and aligned; the caller ensures that it has the handle's elements.
        unsafe { legal(view.desc, value, view.count) }?;
        if view.cursor.is_some() {
            // The value of a watermark is a past level, which tools cannot change.
            return Err(Error::PvarNoWrite);
        }
        // SAFETY: not null and aligned; the caller ensures that it has the handle's elements.
        unsafe { view.write_account(value) }
    }

    /// Resets a handle to the starting value of its class. For all handles: skips those of read-only variables.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable, or if one of all handles failed; [`Error::InvalidSession`],
    /// [`Error::InvalidHandle`].
    pub fn reset(&self, session: SessionId, which: Which) -> Result<()> {
        self.up()?;
        match which {
            Which::One(handle) => self.owned(session, handle)?.reset(),
            Which::All => {
                let writable = |view: &View<'_>| !view.desc.flags().has(PvarFlags::READONLY);
                let reset = |view: &View<'_>| view.reset();
                self.for_all(session, writable, reset, Error::PvarNoWrite)
            }
        }
    }

    /// Copies the value of a handle and resets it, in one atomic step.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoAtomic`] for a variable without that flag, [`Error::PvarNoWrite`] for a read-only one, and
    /// those of [`Interface::read`].
    ///
    /// # Safety
    ///
    /// The conditions of [`Interface::read`] hold.
    pub unsafe fn readreset(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.owned(session, handle)?;
        let flags = view.desc.flags();
        if !flags.has(PvarFlags::ATOMIC) {
            return Err(Error::PvarNoAtomic);
        }
        if flags.has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        aligned(out, view.desc.datatype())?;
        // SAFETY: not null and aligned; the caller ensures that it has the handle's elements.
        unsafe { view.exchange_account(out) }
    }
}

/// Starts or stops a valid handle.
fn turn(view: &View<'_>, run: bool) -> Result<()> {
    view.set_running(run)?;
    let outcome = valid(view);
    if outcome.is_err() && run {
        // The thread that deactivated the plug-in may have listed running handles before this one was started.
        view.set_running(false)?;
    }
    outcome
}

/// The access calls on the three kinds of handles: of custom variables, watermarks, and accounts.
impl View<'_> {
    fn is_custom(&self) -> bool {
        self.desc.behavior() == Behavior::Custom
    }

    pub(super) fn set_running(&self, run: bool) -> Result<()> {
        match self.cursor {
            _ if self.is_custom() => self.set_custom_running(run),
            Some(cursor) => {
                let changed = if run { cursor.start() } else { cursor.stop() }?;
                if changed {
                    self.desc.watch(if run { 1 } else { -1 });
                }
                Ok(())
            }
            None if run => self.start_account(),
            None => self.stop_account(),
        }
    }

    /// Passes a start or stop to a custom variable. Calls meanwhile are refused.
    fn set_custom_running(&self, run: bool) -> Result<()> {
        if self.handle.acting.swap(true, Acquire) {
            return Err(Error::PvarNoStartStop);
        }
        let mut done = Ok(());
        if self.handle.atomic_record.control().runs() != run {
            done = self.act(if run { Request::Start } else { Request::Stop }, std::ptr::null_mut(), 0);
            if done.is_ok() {
                self.handle.atomic_record.change_flags(|_| Some(if run { Flags::RUNS } else { Flags::NONE }));
                self.desc.watch(if run { 1 } else { -1 });
            }
        }
        self.handle.acting.store(false, Release);
        done
    }

    /// Copies the value of the handle.
    ///
    /// # Safety
    ///
    /// `out` is valid for reads and writes of `count` elements, and aligned for one.
    #[inline]
    unsafe fn read(&self, out: *mut u8) -> Result<()> {
        match self.cursor {
            _ if self.is_custom() => self.act(Request::Read, out, self.count),
            Some(cursor) => {
                // SAFETY: the caller ensures that `out` has `count` elements, and handles of watermarks have one.
                unsafe { Arithmetic(self.desc.datatype()).store(out, cursor.read()) };
                Ok(())
            }
            // SAFETY: `out` has `count` aligned elements: the caller ensures it.
            None => unsafe { self.read_account(out) },
        }
    }

    fn reset(&self) -> Result<()> {
        match self.cursor {
            _ if self.desc.flags().has(PvarFlags::READONLY) => Err(Error::PvarNoWrite),
            _ if self.is_custom() => self.act(Request::Reset, std::ptr::null_mut(), 0),
            Some(cursor) => cursor.reset(),
            None => self.reset_account(),
        }
    }
}
