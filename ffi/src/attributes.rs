//! Attributes of ours on objects of the library: the number of the object, deleted when the object is freed.
//!
//! Best effort: without them, an object that is freed unseen is taken for the one that is made later under the same handle.

use std::ffi::{c_int, c_void};
use std::panic::{UnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::abi::{Abi, Handle};
use crate::host::Host;
use crate::host::mpi::{CopyAttribute, DeleteAttribute};

/// The attribute of one kind of object: the library's functions for it, and its key.
#[derive(Debug)]
pub(crate) struct Attribute {
    functions: Functions,
    /// Made at the first need; `None` inside if the library refused.
    key: OnceLock<Option<c_int>>,
}

/// The library's functions for attributes of one kind of object.
#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) create_keyval:
        unsafe fn(CopyAttribute, DeleteAttribute, *mut c_int, *mut c_void) -> Option<c_int>,
    pub(crate) free_keyval: unsafe fn(*mut c_int) -> Option<c_int>,
    pub(crate) set: unsafe fn(Handle, c_int, *mut c_void) -> Option<c_int>,
    pub(crate) get: unsafe fn(Handle, c_int, *mut c_void, *mut c_int) -> Option<c_int>,
    /// Called when the attribute is deleted; it lets no panic out.
    pub(crate) deleted: DeleteAttribute,
}

impl Attribute {
    pub(crate) const fn new(functions: Functions) -> Self {
        Self { functions, key: OnceLock::new() }
    }

    /// Gives an object its number. The object is alive.
    pub(crate) fn set(&self, object: Handle, number: u64) {
        if let Some(key) = self.key() {
            let value = std::ptr::without_provenance_mut(number as usize);
            // SAFETY: the key is one of this kind; callers pass only objects in use, as `Objects` does.
            unsafe { (self.functions.set)(object, key, value) };
        }
    }

    /// Returns the number that an object was given. The object is alive.
    pub(crate) fn get(&self, object: Handle) -> Option<u64> {
        let (key, mut value, mut flag) = (self.key()?, null_mut::<c_void>(), 0);
        // SAFETY: the key is one of this kind, callers pass only objects in use, and there is room for what was set.
        let asked = unsafe { (self.functions.get)(object, key, (&raw mut value).cast(), &raw mut flag) };
        (asked == Some(Abi::SUCCESS) && flag != 0).then(|| value.addr() as u64)
    }

    fn key(&self) -> Option<c_int> {
        if let Some(key) = self.key.get() {
            return *key;
        }
        // Outside of the cell: the library's code runs.
        let made = self.make_key();
        let kept = *self.key.get_or_init(|| made);
        if kept != made
            && let Some(mut unused) = made
        {
            // Another thread was faster.
            // SAFETY: the key is ours, and no object has an attribute of it.
            unsafe { (self.functions.free_keyval)(&raw mut unused) };
        }
        kept
    }

    fn make_key(&self) -> Option<c_int> {
        let mut key = Host::get()?.abi().keyval_invalid;
        let Functions { create_keyval, deleted, .. } = self.functions;
        // SAFETY: both functions have the signatures that attributes ask for, and live as long as the process.
        let made = unsafe { create_keyval(never_copy, deleted, &raw mut key, null_mut()) };
        if made == Some(Abi::SUCCESS) { Some(key) } else { None }
    }
}

/// Runs `act` after an attribute was deleted. A panic stops here, so that the library's own work goes on.
pub(crate) fn after_deletion(act: impl FnOnce() + UnwindSafe) -> c_int {
    // The panic hook has reported it.
    drop(catch_unwind(act));
    Abi::SUCCESS
}

/// Refuses to copy an attribute: a duplicate is an object with a number of its own.
unsafe extern "C" fn never_copy(
    _object: Handle,
    _keyval: c_int,
    _extra: *mut c_void,
    _value: *mut c_void,
    _copy: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    if !flag.is_null() {
        // SAFETY: not null, and the library's to be written.
        unsafe { flag.write(0) };
    }
    Abi::SUCCESS
}
