//! Variables that keep the state of each handle themselves.

use std::cell::Cell as StdCell;

use super::{Cell, Value};
use crate::desc::Behaviour;
use crate::object::Object;
use crate::{Error, Result};

/// Which handle something happens to. Unique for the life of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandleId(pub(crate) u64);

/// What happens to a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Request {
    /// It is made.
    Bind,
    /// It is freed.
    Unbind,
    /// It is started.
    Start,
    /// It is stopped.
    Stop,
    /// It is reset.
    Reset,
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// A request to a handle of a [`Custom`] variable, as it crosses a C boundary.
#[repr(C)]
pub struct Action<'a> {
    pub(crate) request: Request,
    pub(crate) handle: HandleId,
    pub(crate) object: &'a Object<'a>,
    /// `Read`: where to; `Write`: where from. `count` elements.
    pub(crate) buffer: StdCell<*mut u8>,
    pub(crate) count: usize,
}

/// A GENERIC variable with behaviour of its own: what starting, stopping, reading and writing a handle means is
/// up to the type.
///
/// ```
/// use mpit::cell::{Custom, HandleId};
///
/// /// Writes what it is told to the log when it is stopped.
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
    /// Elements that a tool's buffer must have room for.
    const COUNT: usize;

    /// A handle is made.
    ///
    /// # Errors
    ///
    /// An error refuses the handle.
    fn bind(&self, _handle: HandleId, _object: &Object<'_>) -> Result<()> {
        Ok(())
    }

    /// A handle is freed. One that is started is not stopped first.
    fn unbind(&self, _handle: HandleId) {}

    /// A stopped handle is started.
    ///
    /// # Errors
    ///
    /// An error leaves it stopped.
    fn start(&self, _handle: HandleId) -> Result<()> {
        Ok(())
    }

    /// A started handle is stopped.
    ///
    /// # Errors
    ///
    /// An error leaves it started, so that the tool may try again.
    fn stop(&self, _handle: HandleId) -> Result<()> {
        Ok(())
    }

    /// The handle's value. `out` is all 0.
    ///
    /// # Errors
    ///
    /// When there is none.
    fn read(&self, _handle: HandleId, _out: &mut [Self::Value]) -> Result<()> {
        Ok(())
    }

    /// A tool sets the handle's value. Text ends at its NUL, which `value` does not include.
    ///
    /// # Errors
    ///
    /// When the value is refused.
    fn write(&self, _handle: HandleId, _value: &[Self::Value]) -> Result<()> {
        Err(Error::PvarNoWrite)
    }

    /// A tool resets the handle.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    fn reset(&self, _handle: HandleId) -> Result<()> {
        Err(Error::PvarNoWrite)
    }
}

#[diagnostic::do_not_recommend]
impl<C: Custom> super::sealed::Sealed for C {}

#[diagnostic::do_not_recommend]
impl<C: Custom> Cell for C {
    type Value = <C as Custom>::Value;
    const BEHAVIOUR: Behaviour = Behaviour::Custom;

    fn count(&self, _object: &Object<'_>) -> usize {
        C::COUNT
    }

    fn fill(&self, _object: &Object<'_>, _out: &mut [Self::Value]) -> Result<()> {
        Err(Error::Invalid)
    }

    fn custom(&self, action: &Action<'_>) -> Result<()> {
        let buffer = action.buffer.get().cast::<Self::Value>();
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
                // SAFETY: the maker of a `Read` action promises room for `count` aligned elements. Zero is a
                // value of every `Value` type.
                unsafe { buffer.write_bytes(0, action.count) };
                // SAFETY: as above, and initialized just now.
                let out = unsafe { std::slice::from_raw_parts_mut(buffer, action.count) };
                self.read(action.handle, out)
            }
            Request::Write => {
                // SAFETY: the maker of a `Write` action promises `count` aligned, initialized elements.
                let value = unsafe { std::slice::from_raw_parts(buffer, action.count) };
                self.write(action.handle, value)
            }
        }
    }
}
