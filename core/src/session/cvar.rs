//! Handles of control variables.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

use super::elements::{aligned, text_or_all};
use super::{CvarHandle, Interface};
use crate::cvar::sources::Source;
use crate::desc::CvarDesc;
use crate::plugin::Lease;
use crate::registry::CvarEntry;
use crate::words::{Datatype, Scope};
use crate::{Error, Result};

/// A handle of a control variable.
#[derive(Debug, Default)]
pub(super) struct Handle {
    index: AtomicU32,
    /// The epoch of the variable that it was made in.
    epoch: AtomicU64,
}

impl Interface {
    /// Makes a handle of a control variable. Returns it with the number of elements of the value.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], also for a variable of a plug-in that is not active; [`Error::OutOfHandles`].
    pub fn cvar_handle_alloc(&self, index: u32) -> Result<(CvarHandle, usize)> {
        self.up()?;
        let entry = self.registry.cvar(index).ok_or(Error::InvalidIndex)?;
        let lease = Lease::begin(entry.desc().life())?;
        let fill = |handle: &Handle, _| {
            handle.index.store(index, SeqCst);
            handle.epoch.store(lease.epoch(), SeqCst);
        };
        let id = self.cvars.take((), Handle::default, fill).ok_or(Error::OutOfHandles)?;
        Ok((CvarHandle(id), entry.desc().count()))
    }

    /// Frees a handle of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_handle_free(&self, handle: CvarHandle) -> Result<()> {
        self.up()?;
        if self.cvars.free(handle.0, ()) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    /// The index of the variable that a handle is of.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_of(&self, handle: CvarHandle) -> Result<u32> {
        self.up()?;
        self.cvars.get(handle.0).map(|handle| handle.index.load(SeqCst)).ok_or(Error::InvalidHandle)
    }

    /// The variable of a valid handle, and how long it is valid.
    fn cvar_at(&self, handle: CvarHandle) -> Result<(&'static CvarEntry, Lease)> {
        let seen = |handle: &Handle| Some((handle.index.load(SeqCst), handle.epoch.load(SeqCst)));
        let (index, epoch) = self.cvars.look(handle.0, seen).ok_or(Error::InvalidHandle)?;
        let entry = self.registry.cvar(index).ok_or(Error::InvalidHandle)?;
        let lease = Lease::of(entry.desc().life(), epoch);
        lease.check()?;
        Ok((entry, lease))
    }

    /// Copies the value of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a null or misaligned buffer, [`Error::InvalidHandle`].
    ///
    /// # Safety
    ///
    /// `out` is null, or valid for writes of the elements that [`Interface::cvar_handle_alloc`] told.
    pub unsafe fn cvar_read(&self, handle: CvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let (entry, lease) = self.cvar_at(handle)?;
        let desc = entry.desc();
        aligned(out, desc.element())?;
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { desc.read(out) }?;
        lease.check()
    }

    /// Sets a control variable. Text must end within the variable's count.
    ///
    /// # Errors
    ///
    /// [`Error::CvarSetNever`] for one that tools cannot set, or no longer after MPI is initialized;
    /// [`Error::Invalid`] for a value that the variable does not accept, and for a null or misaligned buffer;
    /// [`Error::InvalidHandle`].
    ///
    /// # Safety
    ///
    /// `value` is null, or valid for reads of the elements that [`Interface::cvar_handle_alloc`] told; for text, of
    /// the bytes up to and with the first NUL if that is less.
    pub unsafe fn cvar_write(&self, handle: CvarHandle, value: *const u8) -> Result<()> {
        self.up()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let (entry, _) = self.cvar_at(handle)?;
        let desc = entry.desc();
        aligned(value, desc.element())?;
        if !settable(desc) {
            return Err(Error::CvarSetNever);
        }
        // SAFETY: not null, and otherwise by the caller's promise.
        let count = unsafe { text_or_all(value, desc.element(), desc.count()) };
        if desc.element() == Datatype::Char && count == desc.count() {
            return Err(Error::Invalid);
        }
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { desc.write(value, count) }?;
        entry.set_source(Source::Tool);
        Ok(())
    }
}

/// Whether a tool may ever set a variable from now on.
fn settable(desc: &CvarDesc) -> bool {
    let frozen = desc.is_before_init() && crate::host::is_initialized();
    !frozen && !matches!(desc.reach(), Scope::Constant | Scope::ReadOnly)
}
