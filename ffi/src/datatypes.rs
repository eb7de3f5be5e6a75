//! Sizes of datatypes, for the bytes of every message.
//!
//! Predefined types never change, so their sizes are kept. Types that a program makes are asked for each time, since a
//! handle may be used again.

use std::ffi::c_int;
use std::sync::OnceLock;

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, mpi};
use crate::table::Table;

/// Of predefined types that were used.
static SIZES: Table<u64> = Table::new();

/// Bytes of one element, as they travel: gaps not counted.
#[inline]
#[must_use]
pub fn size(abi: &Abi, datatype: Handle) -> u64 {
    SIZES.get(datatype).copied().unwrap_or_else(|| learn(abi, datatype))
}

/// The size of the predefined type that was asked for last, if it is this one.
#[inline]
#[must_use]
pub fn last_size(datatype: Handle) -> Option<u64> {
    SIZES.last(datatype).copied()
}

#[inline(never)]
fn learn(abi: &Abi, datatype: Handle) -> u64 {
    // Given where no type is wanted. The host would call it an error, and the program's error handler.
    if datatype == 0 || datatype == abi.datatype_null() {
        return 0;
    }
    let size = ask(datatype);
    if is_predefined(abi, datatype) {
        SIZES.insert(datatype, || size);
    }
    size
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
