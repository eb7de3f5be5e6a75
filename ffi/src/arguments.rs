//! The arguments of exported C functions. Their pointers are wrapped when a call begins, so that the function's body needs no
//! `unsafe` to write its results.

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::{Error, Result};

/// An argument of a C function.
pub trait Argument {
    /// The form in which the function's body uses the argument.
    type Wrapped;

    /// Wraps the argument.
    ///
    /// # Safety
    ///
    /// A pointer is null, or valid until the call returns for all that the function reads and writes through it.
    unsafe fn wrap(self) -> Self::Wrapped;
}

/// The address of a variable of the caller, or null. It need not be aligned, because tools read into packed structs.
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Returns the address.
    pub fn address(self) -> *mut T {
        self.0
    }

    /// Refuses a null pointer.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for null.
    pub fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::Invalid) } else { Ok(()) }
    }

    /// Returns the value; `None` for null.
    pub fn get(self) -> Option<T> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so `wrap` received an address valid for reads.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// Writes the value, unless the pointer is null.
    pub fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so `wrap` received an address valid for writes.
            unsafe { self.0.write_unaligned(value) };
        }
    }
}

/// A string of the caller, or null.
#[derive(Debug)]
pub struct Text(*const c_char);

impl Text {
    /// Returns the string; `None` for null.
    pub fn get(&self) -> Option<&CStr> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so `wrap` received a string, which ends with a NUL.
        Some(unsafe { CStr::from_ptr(self.0) })
    }
}

/// A type of variables that functions of ours write.
pub trait Variable: Copy {}

impl Variable for c_char {}
impl Variable for c_int {}
impl Variable for i64 {}
impl Variable for isize {}
impl Variable for usize {}

impl<T: Variable> Argument for *mut T {
    type Wrapped = Out<T>;

    unsafe fn wrap(self) -> Out<T> {
        Out(self)
    }
}

macro_rules! arguments {
    ($($type:ty => $wrapped:ty: $wrap:expr;)+) => {$(
        impl Argument for $type {
            type Wrapped = $wrapped;

            unsafe fn wrap(self) -> $wrapped {
                $wrap(self)
            }
        }
    )+};
}

arguments! {
    *const c_char => Text: Text;
    *mut c_void => *mut c_void: std::convert::identity;
    *const c_void => *const c_void: std::convert::identity;
    c_int => c_int: std::convert::identity;
    usize => usize: std::convert::identity;
}
