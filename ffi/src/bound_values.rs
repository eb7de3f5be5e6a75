//! Values that control variables have for objects that are known by their handles alone: datatypes, error handlers, groups,
//! operations and infos.

use mpit::object;
use mpit::words::Bind;

use crate::abi::Handle;
use crate::objects::Freeing;

/// Prepares for a call that frees an object, whose handle it overwrites: control variables drop the object's values once the call has
/// succeeded. A refused call leaves them as they are. The library may give the handle to another thread before they are dropped;
/// then a value that a tool sets at once for the new object is dropped, too.
#[must_use]
pub fn freeing(kind: Bind, handle: Handle) -> Option<Freeing> {
    if handle == 0 {
        return None;
    }
    Some(Freeing::new(handle, kind as u64, |handle, kind, succeeded| {
        if succeeded && let Some(kind) = Bind::ALL.get(kind as usize) {
            object::freed(*kind, handle as u64);
        }
    }))
}
