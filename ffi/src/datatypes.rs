//! Sizes of datatypes, which convert counts to bytes.
//!
//! The size of a predefined type never changes. The size of a derived type is read when the type is committed
//! and dropped before it is freed. Recorded calls therefore need no query: for an invalid handle the library
//! would call the program's error handler, and after the call another thread may have freed the type.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::host::revision;
use mpit::object::Bind;
use mpit_components::live;

use crate::abi::{Abi, Handle, LiveDatatype};
use crate::handle_table::HandleTable;
use crate::host::{Host, mpi};
use crate::sessions;

/// The sizes of predefined types that were used, and of committed types.
static SIZES: HandleTable<AtomicU64> = HandleTable::new();

/// Returns the bytes of one element, without gaps.
#[inline]
pub fn size(abi: &Abi, datatype: LiveDatatype<'_>) -> u64 {
    known_size(abi, datatype.get()).unwrap_or_else(|| query_size(datatype))
}

/// Returns the bytes of one element without calling the library about a handle that may be invalid: `None` for
/// a derived type whose commit was not observed.
#[inline]
pub fn known_size(abi: &Abi, datatype: Handle) -> Option<u64> {
    SIZES.get(datatype).map(|size| size.load(Relaxed)).or_else(|| register_predefined(abi, datatype))
}

/// Returns the size of a type from the cache of recent lookups; makes no calls.
#[inline]
pub fn cached_size(datatype: Handle) -> Option<u64> {
    SIZES.cached(datatype).map(|size| size.load(Relaxed))
}

/// Drops the size of a handle.
fn forget(datatype: Handle) {
    if SIZES.remove(datatype).is_some() {
        revision::advance();
    }
}

/// Stores the size of a derived type that the library has committed.
pub fn committed(datatype: LiveDatatype<'_>) {
    let size = query_size(datatype);
    forget(datatype.get());
    insert(datatype.get(), size);
}

fn insert(datatype: Handle, size: u64) {
    SIZES.insert_reusing(datatype, |known| known.store(size, Relaxed));
    live::set_size(datatype as u64, size);
}

/// Drops the size of a type that is about to be freed: the library may reuse its handle.
pub fn freeing(datatype: Handle) {
    forget(datatype);
}

#[inline(never)]
fn register_predefined(abi: &Abi, datatype: Handle) -> Option<u64> {
    // Programs pass such handles if a type is not significant.
    if abi.is_null(Bind::Datatype, datatype) {
        return Some(0);
    }
    if !abi.is_predefined(datatype, |name| Host::get()?.object(name)) || !sessions::is_mpi_active() {
        return None;
    }
    // SAFETY: a predefined type exists while MPI is initialized (checked).
    let size = query_size(unsafe { LiveDatatype::new(datatype) });
    insert(datatype, size);
    Some(size)
}

fn query_size(datatype: LiveDatatype<'_>) -> u64 {
    // SAFETY: the type is live, and `value` passes a local variable.
    let size = mpi::value(|size| unsafe { mpi::type_size_x(datatype.get(), size) });
    size.map_or_else(|| query_int_size(datatype), |size| size.max(0).cast_unsigned())
}

fn query_int_size(datatype: LiveDatatype<'_>) -> u64 {
    // SAFETY: the type is live, and `value` passes a local variable.
    let size = mpi::value(|size| unsafe { mpi::type_size(datatype.get(), size) }).unwrap_or(0);
    u64::from(size.max(0).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::{Relaxed, SIZES, cached_size, freeing, revision};

    /// A route has the size of a type.
    #[test]
    fn freed_types_end_routes() {
        const TYPE: usize = 0x7001;
        SIZES.insert_reusing(TYPE, |known| known.store(24, Relaxed));
        assert_eq!(SIZES.get(TYPE).map(|size| size.load(Relaxed)), Some(24));
        let before = revision::current();
        freeing(TYPE);
        assert!(SIZES.get(TYPE).is_none() && cached_size(TYPE).is_none());
        assert!(revision::current() > before);
    }
}
