//! Handles of control variables.

use std::sync::atomic::Ordering::SeqCst;

use super::elements::{check_buffer, text_or_all};
use super::handle::{CvarBinding, FREED};
use super::{CvarHandle, Interface};
use crate::cvar::CvarDesc;
use crate::cvar::sources::ValueSource;
use crate::desc::check_active;
use crate::object::Object;
use crate::vocabulary::{Bind, Datatype, Scope};
use crate::{Error, Result};

impl Interface {
    /// Allocates a handle of a control variable, bound to an object if the variable requires one. Returns it with the number of
    /// elements of the value.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], also for a variable of a plug-in that is not active; [`Error::InvalidHandle`] for an object
    /// that is missing or of another kind; [`Error::OutOfHandles`].
    pub fn cvar_handle_alloc(&self, index: u32, object: Option<&Object<'_>>) -> Result<(CvarHandle, usize)> {
        self.check_initialized()?;
        let desc = self.registry.cvar(index).ok_or(Error::InvalidIndex)?;
        check_active(desc.activation(), Error::InvalidIndex)?;
        let object = match (desc.bind(), object) {
            (Bind::NoObject, _) => 0,
            (kind, Some(object)) if object.kind() == kind && object.id() != FREED => object.id(),
            _ => return Err(Error::InvalidHandle),
        };
        let fill = |handle: &CvarBinding, _| {
            handle.index.store(index, SeqCst);
            handle.object.store(object, SeqCst);
        };
        if desc.bind() != Bind::NoObject {
            self.has_bound_cvars.store(true, SeqCst);
        }
        let id = self.cvars.take((), CvarBinding::default, fill).ok_or(Error::OutOfHandles)?;
        Ok((CvarHandle(id), desc.count()))
    }

    /// Invalidates the handles that are bound to an object that was freed, and drops its values of control variables. Runs
    /// functions of variables, so the caller must hold no lock.
    pub fn object_freed(&self, kind: Bind, id: u64) {
        if self.has_bound_cvars.load(SeqCst) {
            for (_, handle) in self.cvars.iter() {
                let desc = self.registry.cvar(handle.index.load(SeqCst));
                if desc.is_some_and(|desc| desc.bind() == kind) {
                    // Fails for a handle of another object, which stays valid.
                    let _ = handle.object.compare_exchange(id, FREED, SeqCst, SeqCst);
                }
            }
        }
        self.registry.drop_values(&Object::new(kind, id));
    }

    /// Frees a handle of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_handle_free(&self, handle: CvarHandle) -> Result<()> {
        self.check_initialized()?;
        if self.cvars.free(handle.0) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    /// Returns the index of the variable of a handle.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_of(&self, handle: CvarHandle) -> Result<u32> {
        self.check_initialized()?;
        self.cvars.get(handle.0).map(|handle| handle.index.load(SeqCst)).ok_or(Error::InvalidHandle)
    }

    /// Returns the variable, its index, and the object of a valid handle.
    fn cvar_at(&self, handle: CvarHandle) -> Result<(&'static CvarDesc, u32, Object<'static>)> {
        let seen = |handle: &CvarBinding| Some((handle.index.load(SeqCst), handle.object.load(SeqCst)));
        let (index, object) = self.cvars.get_with(handle.0, seen).ok_or(Error::InvalidHandle)?;
        let desc = self.registry.cvar(index).ok_or(Error::InvalidHandle)?;
        check_active(desc.activation(), Error::InvalidHandle)?;
        if object == FREED {
            return Err(Error::InvalidHandle);
        }
        Ok((desc, index, Object::new(desc.bind(), object)))
    }

    /// Copies the value of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a null or misaligned buffer; [`Error::InvalidHandle`], also when the object that it is bound to
    /// was freed.
    ///
    /// # Safety
    ///
    /// `out` is null, or valid for writes of as many elements as [`Interface::cvar_handle_alloc`] returned.
    pub unsafe fn cvar_read(&self, handle: CvarHandle, out: *mut u8) -> Result<()> {
        self.check_initialized()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let (desc, _, object) = self.cvar_at(handle)?;
        check_buffer(out, desc.datatype())?;
        // SAFETY: not null and aligned; the caller ensures that it has the variable's elements.
        unsafe { desc.read(&object, out) }
    }

    /// Sets a control variable. Text must end within the variable's count.
    ///
    /// # Errors
    ///
    /// [`Error::CvarSetNever`] for a variable that tools cannot set, and after MPI is initialized for another value of a variable that
    /// cannot be set then; [`Error::Invalid`] for a value that the variable does not accept, and for a null or misaligned buffer;
    /// [`Error::InvalidHandle`], also when the object that it is bound to was freed.
    ///
    /// # Safety
    ///
    /// `value` is null, or valid for reads of as many elements as [`Interface::cvar_handle_alloc`] returned; for text, of the
    /// bytes up to and including the first NUL if these are fewer.
    pub unsafe fn cvar_write(&self, handle: CvarHandle, value: *const u8) -> Result<()> {
        self.check_initialized()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let (desc, index, object) = self.cvar_at(handle)?;
        check_buffer(value, desc.datatype())?;
        if matches!(desc.scope(), Scope::Constant | Scope::ReadOnly) {
            return Err(Error::CvarSetNever);
        }
        // SAFETY: not null; the caller ensures that it has the variable's elements, or text up to its NUL.
        let count = unsafe { text_or_all(value, desc.datatype(), desc.count()) };
        if is_frozen(desc) {
            // A tool that writes back what it has read changes nothing.
            // SAFETY: not null; `count` elements are readable, the number that `text_or_all` found.
            let is_equal = unsafe { has_value(desc, &object, value, count) };
            return if is_equal { Ok(()) } else { Err(Error::CvarSetNever) };
        }
        if desc.datatype() == Datatype::Char && count == desc.count() {
            return Err(Error::Invalid);
        }
        // SAFETY: not null and aligned; `count` elements are readable, the number that `text_or_all` found.
        unsafe { desc.write(&object, value, count) }?;
        if object.kind() == Bind::NoObject {
            self.registry.set_cvar_source(index, ValueSource::Tool);
        } else if self.cvar_at(handle).is_err() {
            // If the object was freed after the handle was checked, its new value must be dropped again.
            desc.drop_value(&object);
        }
        Ok(())
    }
}

/// Returns true if tools could set the variable only before MPI was initialized.
fn is_frozen(desc: &CvarDesc) -> bool {
    desc.is_before_init() && crate::host::is_initialized()
}

/// Returns true if the variable has the value of these elements; of text, without the NUL. False if its value cannot be read.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements, at most those of the variable.
unsafe fn has_value(desc: &CvarDesc, object: &Object<'_>, value: *const u8, count: usize) -> bool {
    let Some(present) = desc.words(object) else { return false };
    let bytes = || present.iter().flat_map(|word| word.to_ne_bytes());
    let is_equal = bytes().take(count * desc.datatype().size()).enumerate().all(|(at, byte)| {
        // SAFETY: `at` is less than `count` elements, which are readable (condition of this function).
        byte == unsafe { value.wrapping_add(at).read() }
    });
    is_equal && (desc.datatype() != Datatype::Char || bytes().nth(count) == Some(0))
}
