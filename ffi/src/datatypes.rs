//! The size of a datatype, on the way of every message.
//!
//! Predefined types never change, so their sizes are kept, by flavour: MPICH writes them into the handle, the standard
//! ABI numbers them below 4096, Open MPI has them at a few dozen addresses. Types that a program makes are asked for
//! each time, since an address may be used again.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, mpi};

/// Bytes of one element, as they travel: gaps not counted.
#[inline]
#[must_use]
pub fn size(abi: &Abi, datatype: Handle) -> u64 {
    match abi.flavour {
        // 0x4c marks a predefined type of one piece, whose size is the second byte.
        Flavour::Mpich if datatype >> 24 == 0x4c => (datatype as u64 >> 8) & 0xff,
        Flavour::Standard if datatype < STANDARD => standard(datatype),
        Flavour::OpenMpi => open_mpi(datatype),
        _ => ask(datatype),
    }
}

const STANDARD: usize = 4096;

/// Sizes plus 1 by handle; 0 for what was not asked yet.
fn standard(datatype: Handle) -> u64 {
    static SIZES: [AtomicU16; STANDARD] = [const { AtomicU16::new(0) }; STANDARD];
    let known = SIZES[datatype].load(Relaxed);
    if known != 0 {
        return u64::from(known) - 1;
    }
    let size = ask(datatype);
    if let Ok(kept) = u16::try_from(size + 1) {
        SIZES[datatype].store(kept, Relaxed);
    }
    size
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

/// Places for addresses: few enough to stay in the cache, many enough to be found at once.
const PLACES: usize = 256;

fn open_mpi(datatype: Handle) -> u64 {
    static SIZES: OnceLock<Box<[(Handle, u64); PLACES]>> = OnceLock::new();
    let sizes = SIZES.get_or_init(open_mpi_sizes);
    let mut at = place(datatype);
    loop {
        match sizes[at] {
            (known, size) if known == datatype => return size,
            (0, _) => return ask(datatype),
            _ => at = (at + 1) % PLACES,
        }
    }
}

fn place(datatype: Handle) -> usize {
    (datatype as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 56
}

fn open_mpi_sizes() -> Box<[(Handle, u64); PLACES]> {
    let mut sizes = Box::new([(0, 0); PLACES]);
    let Some(host) = Host::get() else { return sizes };
    for name in OPEN_MPI {
        let Some(datatype) = host.object(&format!("ompi_mpi_{name}")) else { continue };
        let mut at = place(datatype);
        while sizes[at].0 != 0 && sizes[at].0 != datatype {
            at = (at + 1) % PLACES;
        }
        sizes[at] = (datatype, ask(datatype));
    }
    sizes
}

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
