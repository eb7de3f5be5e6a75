//! An attribute that this crate sets on objects of the MPI library. Its value is the object's number, and its
//! deletion shows that the object is freed.
//!
//! If the library refuses the attribute, an object that is freed unseen is mistaken for the next one with the same handle.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::OnceLock;

use mpit::internal::panic::catch_panic;

use crate::abi::{Abi, Handle, Kind, LiveHandle};
use crate::host::Host;
use crate::host::mpi::{CopyAttribute, DeleteAttribute};

/// The attribute for one kind of object.
#[derive(Debug)]
pub struct Attribute<K> {
    functions: Functions,
    /// Created on first use; contains `None` if the library refused.
    key: OnceLock<Option<c_int>>,
    kind: PhantomData<fn() -> K>,
}

#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) create_keyval:
        unsafe fn(CopyAttribute, DeleteAttribute, *mut c_int, *mut c_void) -> Option<c_int>,
    pub(crate) free_keyval: unsafe fn(*mut c_int) -> Option<c_int>,
    pub(crate) set: unsafe fn(Handle, c_int, *mut c_void) -> Option<c_int>,
    pub(crate) get: unsafe fn(Handle, c_int, *mut c_void, *mut c_int) -> Option<c_int>,
    /// The delete callback.
    pub(crate) deleted: DeleteAttribute,
}

impl<K: Kind> Attribute<K> {
    /// Describes the attribute.
    ///
    /// # Safety
    ///
    /// The functions are the library's functions for objects of this kind, and the delete callback does not panic.
    pub(crate) const unsafe fn new(functions: Functions) -> Self {
        Self { functions, key: OnceLock::new(), kind: PhantomData }
    }

    pub(crate) fn set(&self, object: LiveHandle<'_, K>, number: u64) {
        if let Some(key) = self.key() {
            let value = std::ptr::without_provenance_mut(number as usize);
            // SAFETY: the object is live, and `set` and the key are for its kind (condition of `new`).
            unsafe { (self.functions.set)(object.get(), key, value) };
        }
    }

    /// Returns the number that was set on an object.
    pub(crate) fn get(&self, object: LiveHandle<'_, K>) -> Option<u64> {
        let (key, mut value, mut flag) = (self.key()?, null_mut::<c_void>(), 0);
        // SAFETY: the object is live, `get` and the key are for its kind (condition of `new`), and the library writes the pointer
        // that was set into `value`.
        let code = unsafe { (self.functions.get)(object.get(), key, (&raw mut value).cast(), &raw mut flag) };
        if code == Some(Abi::SUCCESS) && flag != 0 { Some(value.addr() as u64) } else { None }
    }

    fn key(&self) -> Option<c_int> {
        if let Some(key) = self.key.get() {
            return *key;
        }
        // Outside of `get_or_init`, because the library's code runs.
        let new = self.make_key();
        let key = *self.key.get_or_init(|| new);
        // Another thread may have created a key in the meantime.
        if key != new
            && let Some(mut unused) = new
        {
            // SAFETY: this thread created the key, and no object has an attribute of it.
            unsafe { (self.functions.free_keyval)(&raw mut unused) };
        }
        key
    }

    fn make_key(&self) -> Option<c_int> {
        let mut key = Host::get()?.abi().keyval_invalid;
        let Functions { create_keyval, deleted, .. } = self.functions;
        // SAFETY: both functions have the signatures of attribute callbacks, and stay loaded until the process ends.
        let new = unsafe { create_keyval(never_copy, deleted, &raw mut key, null_mut()) };
        if new == Some(Abi::SUCCESS) { Some(key) } else { None }
    }
}

/// Runs the body of a delete callback, and stops a panic, which must not reach the library.
pub(crate) fn in_delete_callback(body: impl FnOnce()) -> c_int {
    // The panic hook has reported the panic.
    let _ = catch_panic(body);
    Abi::SUCCESS
}

/// Refuses to copy the attribute: a duplicate is a new object and gets its own number.
unsafe extern "C" fn never_copy(
    _object: Handle,
    _keyval: c_int,
    _extra: *mut c_void,
    _value: *mut c_void,
    _copy: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    if !flag.is_null() {
        // SAFETY: `flag` is not null, and the library passes a variable for the result.
        unsafe { flag.write(0) };
    }
    Abi::SUCCESS
}
