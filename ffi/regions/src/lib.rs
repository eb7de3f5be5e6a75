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
//! * It changes nothing that a program sees: it forwards all calls of Caliper with their results, and returns what NVTX returns without a
//!   tool. Exceptions are handles, which only go back to this library.
//! * It holds no lock, so a child of a fork finds none held.
//! * No failed allocation ends the process, and functions that C calls do not panic.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

mod caliper;
mod kokkos;
mod nvtx;
mod text;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicBool, AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};

type BeginFunction = unsafe extern "C" fn(u64, *const c_char);
type EndFunction = unsafe extern "C" fn(u64);

/// The functions of `libmpit_preload.so`, once they are searched; null without that library.
static BEGIN: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static END: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static IS_SEARCHED: AtomicBool = AtomicBool::new(false);

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
}

impl KeyKind {
    /// Returns the key of a number or address, whose upper 8 bits are not used.
    fn key(self, number: u64) -> u64 {
        (self as u64) << 56 | number & (u64::MAX >> 8)
    }
}

/// Returns the functions of `libmpit_preload.so`, if it is in the process. Holds no lock: the search takes that of the dynamic linker.
fn preload() -> Option<(BeginFunction, EndFunction)> {
    if !IS_SEARCHED.load(Acquire) {
        let found = [symbol(c"mpit_region_begin_by_key"), symbol(c"mpit_region_end_by_key")];
        // Each thread that searches finds the same.
        BEGIN.store(found[0], Relaxed);
        END.store(found[1], Relaxed);
        IS_SEARCHED.store(true, Release);
    }
    let (begin, end) = (BEGIN.load(Relaxed), END.load(Relaxed));
    if begin.is_null() || end.is_null() {
        return None;
    }
    // SAFETY: `libmpit_preload.so` defines the name, as a function of this type.
    let begin = unsafe { std::mem::transmute::<*mut c_void, BeginFunction>(begin) };
    // SAFETY: `libmpit_preload.so` defines this name as well, as a function of this type.
    let end = unsafe { std::mem::transmute::<*mut c_void, EndFunction>(end) };
    Some((begin, end))
}

/// Returns the first definition of a name in the process; null if there is none.
fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with NUL.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
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
