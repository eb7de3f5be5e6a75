//! Values of control variables bound to datatypes, error handlers, groups, operations and infos, whose only
//! identity is the handle.

use mpit::internal::session::object_freed;
use mpit::object::Bind;

use crate::abi::Handle;
use crate::objects::Freeing;

/// Prepares for a call that frees an object and overwrites its handle. After the call has succeeded, control
/// variables drop the values for that object; a failed call changes nothing.
///
/// The library may reuse the handle in another thread before the values are dropped; then a value that a tool
/// sets at once for the new object is dropped, too.
#[must_use]
pub fn freeing(kind: Bind, handle: Handle) -> Option<Freeing> {
    if handle == 0 {
        return None;
    }
    Some(Freeing::new(handle, kind as u64, |handle, kind, succeeded| {
        if succeeded && let Some(kind) = Bind::ALL.get(kind as usize) {
            object_freed(*kind, handle as u64);
        }
    }))
}
