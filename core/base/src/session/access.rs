//! The six access calls. They take no lock and allocate nothing.

use std::sync::atomic::Ordering::{Acquire, Release};

use super::elements::{Arithmetic, check_buffer, check_values, text_or_all};
use super::handle::View;
use super::{HandleSelection, Interface, PvarHandle, SessionId};
use crate::atomic_record::Flags;
use crate::cell::{Behavior, PvarFlags, Request};
use crate::vocabulary::Datatype;
use crate::{Error, Result};

impl Interface {
    /// Starts a handle; no effect if it is started. For all handles: skips those that are started or cannot be.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] for a continuous variable, or if one of all handles failed;
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    pub fn start(&self, session: SessionId, which: HandleSelection) -> Result<()> {
        self.start_or_stop(session, which, true)
    }

    /// Stops a handle; no effect if it is stopped. For all handles: skips those that are stopped or cannot be.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::start`].
    pub fn stop(&self, session: SessionId, which: HandleSelection) -> Result<()> {
        self.start_or_stop(session, which, false)
    }

    fn start_or_stop(&self, session: SessionId, which: HandleSelection, run: bool) -> Result<()> {
        self.check_initialized()?;
        match which {
            HandleSelection::One(handle) => {
                let view = self.valid_view(session, handle)?;
                if view.desc.flags().has(PvarFlags::CONTINUOUS) {
                    return Err(Error::PvarNoStartStop);
                }
                start_or_stop_one(&view, run)
            }
            HandleSelection::All => {
                let startable = |view: &View<'_>| !view.desc.flags().has(PvarFlags::CONTINUOUS);
                self.for_all(session, startable, |view| start_or_stop_one(view, run), Error::PvarNoStartStop)
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
        self.check_exists(session)?;
        let mut done = Ok(());
        for (id, _) in self.pvars.iter().filter(|(_, handle)| handle.session() == session.0) {
            // A handle that was freed meanwhile is no longer the session's.
            let Ok(view) = self.view(id) else { continue };
            let counts = || view.is_current() && view.check_active().is_ok();
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
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the frame of a call is a fifth of a read's instructions")]
    pub unsafe fn read(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        self.check_initialized()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        if handle.is_plausible()
            && let Some(found) = self.pvars.peek(handle.0)
        {
            if check_buffer(out, Datatype::Uint64).is_ok()
                && let Some(read) = found.read_word_sum(handle.0, session.0)
            {
                // SAFETY: not null and aligned; the caller ensures that it has the handle's element, which is a word.
                return read.map(|word| unsafe { Arithmetic(Datatype::Uint64).store(out, word) });
            }
            // SAFETY: not null; the caller ensures that it has the elements of the handle.
            if let Some(read) = unsafe { found.read_plain(handle.0, session.0, out) } {
                return read;
            }
        }
        // SAFETY: not null; the caller ensures that it has the elements of the handle.
        unsafe { self.read_view(session, handle, out) }
    }

    /// Copies the value of a handle of any kind. Not inlined, so that reads of plain handles do not save its registers.
    ///
    /// # Safety
    ///
    /// The conditions of [`Interface::read`] hold, and `out` is not null.
    #[inline(never)]
    unsafe fn read_view(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        let view = self.view_in_session(session, handle)?;
        check_buffer(out, view.desc.datatype())?;
        view.check_active()?;
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
        self.check_initialized()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.valid_view(session, handle)?;
        check_buffer(value, view.desc.datatype())?;
        if view.desc.flags().has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        if view.desc.behavior() == Behavior::Custom {
            // SAFETY: not null; the caller ensures that it has the handle's elements, or text up to its NUL.
            let count = unsafe { text_or_all(value, view.desc.datatype(), view.count) };
            return view.act(Request::Write, value.cast_mut(), count);
        }
        // SAFETY: not null and aligned; the caller ensures that it has the handle's elements.
        unsafe { check_values(view.desc, value, view.count) }?;
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
    pub fn reset(&self, session: SessionId, which: HandleSelection) -> Result<()> {
        self.check_initialized()?;
        match which {
            HandleSelection::One(handle) => self.valid_view(session, handle)?.reset(),
            HandleSelection::All => {
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
        self.check_initialized()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.valid_view(session, handle)?;
        let flags = view.desc.flags();
        if !flags.has(PvarFlags::ATOMIC) {
            return Err(Error::PvarNoAtomic);
        }
        if flags.has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        check_buffer(out, view.desc.datatype())?;
        // SAFETY: not null and aligned; the caller ensures that it has the handle's elements.
        unsafe { view.exchange_account(out) }
    }
}

fn start_or_stop_one(view: &View<'_>, run: bool) -> Result<()> {
    view.set_running(run)?;
    let result = view.check_active();
    if result.is_err() && run {
        // The thread that deactivated the plug-in may have listed running handles before this one was started.
        view.set_running(false)?;
    }
    result
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
                let is_current = || self.is_current();
                let changed = if run { cursor.start(is_current) } else { cursor.stop(is_current) }?;
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
        let done = self.start_or_stop_custom(run);
        self.handle.acting.store(false, Release);
        done
    }

    fn start_or_stop_custom(&self, run: bool) -> Result<()> {
        let seen = self.control()?;
        if seen.runs() == run {
            return Ok(());
        }
        let (request, flags, more) =
            if run { (Request::Start, Flags::RUNS, 1) } else { (Request::Stop, Flags::NONE, -1) };
        self.act(request, std::ptr::null_mut(), 0)?;
        if !self.handle.atomic_record.change_flags(|now| if now == seen { Some(flags) } else { None }) {
            // Freed meanwhile.
            return Err(Error::InvalidHandle);
        }
        self.desc.watch(more);
        Ok(())
    }

    /// Copies the value of the handle.
    ///
    /// # Safety
    ///
    /// `out` is valid for reads and writes of `count` elements, and aligned for one.
    unsafe fn read(&self, out: *mut u8) -> Result<()> {
        match self.cursor {
            _ if self.is_custom() => self.act(Request::Read, out, self.count),
            Some(cursor) => {
                let word = cursor.read(|| self.is_current())?;
                // SAFETY: `out` has `count` aligned elements, and handles of watermarks have one.
                unsafe { Arithmetic(self.desc.datatype()).store(out, word) };
                Ok(())
            }
            None if self.count == 1 => {
                let word = self.read_scalar()?;
                // SAFETY: `out` has one aligned element: the caller ensures it.
                unsafe { Arithmetic(self.desc.datatype()).store(out, word) };
                Ok(())
            }
            // SAFETY: `out` has `count` aligned elements: the caller ensures it.
            None => unsafe { self.read_array(out) },
        }
    }

    fn reset(&self) -> Result<()> {
        match self.cursor {
            _ if self.desc.flags().has(PvarFlags::READONLY) => Err(Error::PvarNoWrite),
            _ if self.is_custom() => self.act(Request::Reset, std::ptr::null_mut(), 0),
            Some(cursor) => cursor.reset(|| self.is_current()),
            None => self.reset_account(),
        }
    }
}
