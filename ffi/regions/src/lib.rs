//! `libmpit_regions.so`: annotations that programs have for other tools, as regions of `libmpit_preload.so`.
//!
//! | module | how the program's calls get here |
//! |---|---|
//! | [`kokkos`] | Kokkos opens the library that `KOKKOS_TOOLS_LIBS` names, and looks its functions up |
//! | [`nvtx`] | NVTX's header opens the library that `NVTX_INJECTION64_PATH` names, and takes its functions from a table |
//! | [`caliper`] | the library is preloaded, in front of Caliper's |
//!
//! A library of its own, because its symbols would otherwise be in front of those of other tools for Kokkos in each program.
//!
//! # API boundary
//!
//! The interface is C, that of the other libraries. No Rust code links this crate.
//!
//! # Invariants
//!
//! * It needs only the libraries of the C compiler. Without `libmpit_preload.so` in the process, annotations have no effect.
//! * It changes nothing that a program sees: it forwards all calls of Caliper, and returns what NVTX returns without a tool. Exceptions
//!   are handles, which only go back to this library.
//! * No failed allocation ends the process, and functions that C calls do not panic.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

mod caliper;
mod kokkos;
mod nvtx;
mod text;

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

type BeginFunction = unsafe extern "C" fn(u64, *const c_char);
type EndFunction = unsafe extern "C" fn(u64);

/// The functions of `libmpit_preload.so`, if it is in the process.
static PRELOAD: OnceLock<Option<(BeginFunction, EndFunction)>> = OnceLock::new();

/// The kinds of keys by which regions end.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum KeyKind {
    KokkosRegion = 1,
    KokkosKernel,
    KokkosSection,
    NvtxDomain,
    NvtxRange,
    CaliperRegion,
    CaliperAttribute,
    CaliperAttributeName,
    CaliperObject,
}

impl KeyKind {
    /// Returns the key of a number or address, whose upper 8 bits are not used.
    fn key(self, number: u64) -> u64 {
        (self as u64) << 56 | number & (u64::MAX >> 8)
    }
}

fn preload() -> Option<(BeginFunction, EndFunction)> {
    *PRELOAD.get_or_init(|| {
        let (begin, end) = (symbol(c"mpit_region_begin_by_key")?, symbol(c"mpit_region_end_by_key")?);
        // SAFETY: `libmpit_preload.so` defines the name, as a function of this type.
        let begin = unsafe { std::mem::transmute::<*mut c_void, BeginFunction>(begin) };
        // SAFETY: `libmpit_preload.so` defines this name as well, as a function of this type.
        let end = unsafe { std::mem::transmute::<*mut c_void, EndFunction>(end) };
        Some((begin, end))
    })
}

/// Returns the first definition of a name in the process.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with NUL.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() { None } else { Some(found) }
}

/// Begins a region.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
unsafe fn begin(key: u64, name: *const c_char) {
    if let Some((begin, _)) = preload() {
        // SAFETY: the caller passes such an address.
        unsafe { begin(key, name) };
    }
}

/// Ends the innermost region that began with a key.
fn end(key: u64) {
    if let Some((_, end)) = preload() {
        // SAFETY: the function has no preconditions.
        unsafe { end(key) };
    }
}
