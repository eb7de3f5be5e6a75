//! Objects that tools may have bound control variables to.

use mpit::object;
use mpit::words::Bind;

use crate::arguments::{C, Freed};

/// Drops what is bound to an object before the library can give its handle to another one.
pub(crate) fn freeing(kind: Bind, handle: Freed<C>) {
    if let Some(handle) = handle.get() {
        object::freed(kind, handle as u64);
    }
}
