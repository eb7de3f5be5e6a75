//! Sizes of datatypes, for the bytes of every message.
//!
//! The size of a predefined type never changes; that of a derived type is learned when the type is committed and dropped
//! before it is freed. So a call's types need no question to the library: it would refuse an invalid handle with the
//! program's error handler, and after a call another thread may have freed the type.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, mpi};
use crate::table::Table;

/// Predefined types that were used, and committed ones.
static SIZES: Table<AtomicU64> = Table::new();

/// Returns the bytes of one element, as they travel: gaps not counted. The library has accepted the type.
#[inline]
#[must_use]
pub fn size(abi: &Abi, datatype: Handle) -> u64 {
    known_size(abi, datatype).unwrap_or_else(|| ask(datatype))
}

/// Returns the same without asking the library about a handle that may be invalid: `None` for a derived type whose commit
/// was not seen.
#[inline]
#[must_use]
pub fn known_size(abi: &Abi, datatype: Handle) -> Option<u64> {
    SIZES.get(datatype).map(|size| size.load(Relaxed)).or_else(|| learn(abi, datatype))
}

/// Returns the size of a type that was asked for recently; calls nothing.
#[inline]
#[must_use]
pub fn recent_size(datatype: Handle) -> Option<u64> {
    SIZES.recent(datatype).map(|size| size.load(Relaxed))
}

/// Keeps the size of a derived type that the library has committed.
pub fn committed(abi: &Abi, datatype: Handle) {
    if !is_null(abi, datatype) {
        let size = ask(datatype);
        SIZES.remove(datatype);
        SIZES.insert_reusing(datatype, |known| known.store(size, Relaxed));
    }
}

/// Drops the size of a type that is about to be freed: the library may give its handle to another one.
pub fn freeing(datatype: Handle) {
    SIZES.remove(datatype);
}

/// Returns true for what a program gives where no type is wanted. The library would call it an error.
fn is_null(abi: &Abi, datatype: Handle) -> bool {
    datatype == 0 || datatype == abi.datatype_null()
}

#[inline(never)]
fn learn(abi: &Abi, datatype: Handle) -> Option<u64> {
    if is_null(abi, datatype) {
        return Some(0);
    }
    if !is_predefined(abi, datatype) {
        return None;
    }
    let size = ask(datatype);
    SIZES.insert_reusing(datatype, |known| known.store(size, Relaxed));
    Some(size)
}

fn is_predefined(abi: &Abi, datatype: Handle) -> bool {
    match abi.flavour {
        // Marked so, in the handle itself.
        Flavour::Mpich => datatype >> 24 == 0x4c,
        Flavour::Standard => datatype < 4096,
        Flavour::OpenMpi => open_mpi().contains(&datatype),
    }
}

/// The addresses of Open MPI's predefined types.
fn open_mpi() -> &'static [Handle] {
    static ADDRESSES: OnceLock<Vec<Handle>> = OnceLock::new();
    ADDRESSES.get_or_init(|| {
        let address = |name| Host::get()?.object(&format!("ompi_mpi_{name}"));
        OPEN_MPI.into_iter().filter_map(address).collect()
    })
}

/// The predefined types of Open MPI that programs send, by the names of their objects.
const OPEN_MPI: [&str; 40] = [
    "byte",
    "packed",
    "char",
    "signed_char",
    "unsigned_char",
    "short",
    "unsigned_short",
    "int",
    "unsigned",
    "long",
    "unsigned_long",
    "long_long_int",
    "unsigned_long_long",
    "float",
    "double",
    "long_double",
    "wchar",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "aint",
    "offset",
    "count",
    "c_bool",
    "cxx_bool",
    "c_float_complex",
    "c_double_complex",
    "integer",
    "real",
    "dblprec",
    "logical",
    "character",
    "cplex",
    "dblcplex",
    "real8",
];

fn ask(datatype: Handle) -> u64 {
    let mut size: i64 = 0;
    // SAFETY: the host has accepted the type, and the size is writable.
    if unsafe { mpi::type_size_x(datatype, &raw mut size) } == Some(Abi::SUCCESS) {
        return size.max(0).cast_unsigned();
    }
    let mut size: c_int = 0;
    // SAFETY: as above.
    unsafe { mpi::type_size(datatype, &raw mut size) };
    u64::from(size.max(0).cast_unsigned())
}
