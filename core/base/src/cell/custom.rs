//! Custom variables, which keep the state of each handle themselves.

use super::{Behavior, Cell, Value};
use crate::object::Object;
use crate::{Error, Result};

/// The identity of a handle, never reused in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandleId(pub(crate) u64);

/// An operation on a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Request {
    /// The handle is allocated.
    Bind,
    /// The handle is freed.
    Unbind,
    /// The handle is started.
    Start,
    /// The handle is stopped.
    Stop,
    /// The handle is reset.
    Reset,
    /// The handle is read.
    Read,
    /// The handle is written.
    Write,
}

/// A request to a handle of a [`Custom`] variable.
#[doc(hidden)]
pub struct Action<'a> {
    pub(crate) request: Request,
    pub(crate) handle: HandleId,
    pub(crate) object: &'a Object<'a>,
    /// `count` elements: the destination of a `Read`, the value of a `Write`.
    pub(crate) buffer: *mut u8,
    pub(crate) count: usize,
}

/// A GENERIC variable with custom behavior: the type defines what starting, stopping, reading and writing a handle does.
///
/// ```
/// use mpit::cell::{Custom, HandleId};
///
/// /// Writes its report to the log when it is stopped.
/// struct Log;
///
/// impl Custom for Log {
///     type Value = std::ffi::c_char;
///     const COUNT: usize = 256;
///
///     fn stop(&self, _handle: HandleId) -> mpit::Result<()> {
///         Ok(())
///     }
/// }
/// ```
pub trait Custom: Send + Sync + 'static {
    /// The type of one element; `c_char` for text.
    type Value: Value;
    /// The number of elements of the value.
    const COUNT: usize;

    /// Allocates a handle.
    ///
    /// # Errors
    ///
    /// An error refuses the handle.
    fn bind(&self, _handle: HandleId, _object: &Object<'_>) -> Result<()> {
        Ok(())
    }

    /// Frees a handle. A started handle is not stopped first.
    fn unbind(&self, _handle: HandleId) {}

    /// Starts a handle, which is stopped.
    ///
    /// # Errors
    ///
    /// An error leaves it stopped.
    fn start(&self, _handle: HandleId) -> Result<()> {
        Ok(())
    }

    /// Stops a handle, which is started.
    ///
    /// # Errors
    ///
    /// An error leaves it started, so that the tool may try again.
    fn stop(&self, _handle: HandleId) -> Result<()> {
        Ok(())
    }

    /// Reads the value of a handle. `out` is all 0.
    ///
    /// # Errors
    ///
    /// An error is passed to the tool.
    fn read(&self, _handle: HandleId, _out: &mut [Self::Value]) -> Result<()> {
        Ok(())
    }

    /// Writes the value of a handle. Text ends at its NUL, which `value` does not include.
    ///
    /// # Errors
    ///
    /// An error refuses the value.
    fn write(&self, _handle: HandleId, _value: &[Self::Value]) -> Result<()> {
        Err(Error::PvarNoWrite)
    }

    /// Resets a handle.
    ///
    /// # Errors
    ///
    /// An error leaves the handle as it is.
    fn reset(&self, _handle: HandleId) -> Result<()> {
        Err(Error::PvarNoWrite)
    }
}

#[diagnostic::do_not_recommend]
impl<C: Custom> super::sealed::Sealed for C {}

#[diagnostic::do_not_recommend]
impl<C: Custom> Cell for C {
    type Value = <C as Custom>::Value;
    const BEHAVIOR: Behavior = Behavior::Custom;
    const IS_SCALAR: bool = false;

    fn count(&self, _object: &Object<'_>) -> usize {
        C::COUNT
    }

    fn fill(&self, _object: &Object<'_>, _out: &mut [Self::Value]) -> Result<()> {
        Err(Error::Invalid)
    }

    fn custom(&self, action: &Action<'_>) -> Result<()> {
        let buffer = action.buffer.cast::<Self::Value>();
        match action.request {
            Request::Bind => self.bind(action.handle, action.object),
            Request::Unbind => {
                self.unbind(action.handle);
                Ok(())
            }
            Request::Start => self.start(action.handle),
            Request::Stop => self.stop(action.handle),
            Request::Reset => self.reset(action.handle),
            Request::Read => {
                // SAFETY: the access call that made this `Read` action passes a buffer of `count` aligned elements. Zero is a
                // value of every `Value` type.
                unsafe { buffer.write_bytes(0, action.count) };
                // SAFETY: `count` aligned elements, initialized above, which the tool does not access during the call.
                let out = unsafe { std::slice::from_raw_parts_mut(buffer, action.count) };
                self.read(action.handle, out)
            }
            Request::Write => {
                // SAFETY: the access call that made this `Write` action passes `count` aligned, initialized elements.
                let value = unsafe { std::slice::from_raw_parts(buffer, action.count) };
                self.write(action.handle, value)
            }
        }
    }
}
