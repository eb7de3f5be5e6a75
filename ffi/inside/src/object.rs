//! The MPI object that a handle is bound to, as `struct mpit_object`.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU32;

use mpit::Error;
use mpit::internal::plugin::abi::BoundObject;
use mpit::object::{Bind, Object};

use crate::exported;

fn kind(number: u32) -> mpit::Result<Bind> {
    Bind::ALL.get(number as usize).copied().ok_or(Error::InvalidHandle)
}

/// Returns the object that the caller passes; null for none.
///
/// # Safety
///
/// `object` is null or a `struct mpit_object` whose ranks, if it has any, are valid for `'a` and accessed atomically.
pub(crate) unsafe fn object<'a>(object: *const c_void) -> mpit::Result<Option<Object<'a>>> {
    if object.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, so the caller passes a struct.
    let object = unsafe { object.cast::<BoundObject>().read_unaligned() };
    let kind = kind(object.kind)?;
    Ok(Some(match kind {
        Bind::NoObject => Object::NONE,
        Bind::Comm if object.ranks.is_null() => Object::world(object.id, object.num_ranks),
        Bind::Comm => {
            // SAFETY: the caller passes as many ranks, which are valid for `'a`.
            let ranks = unsafe {
                std::slice::from_raw_parts(object.ranks.cast::<AtomicU32>(), object.num_ranks as usize)
            };
            Object::comm(object.id, ranks)
        }
        _ => Object::new(kind, object.id),
    }))
}

exported! {
    /// Notes that the MPI library has freed an object.
    fn mpit_core_object_freed(kind_number: c_int, id: u64) {
        let number = u32::try_from(kind_number).map_err(|_| Error::Invalid)?;
        mpit::internal::session::object_freed(kind(number)?, id);
        Ok(())
    }
}
