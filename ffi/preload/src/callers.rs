//! The caller of an MPI function: the program, the MPI library itself, or an object between them.
//!
//! MPI libraries call functions whose names we export: ROMIO, one-sided operations over messages, Fortran
//! interfaces. The object that contains the return address distinguishes these calls from the program's:
//!
//! | caller | example | recorded |
//! |---|---|---|
//! | [`Caller::Library`] | libmpi, Open MPI's components (`mca_*.so`), this library | never |
//! | [`Caller::Wrapper`] | the library's Fortran interface | unless inside a recorded call ([`nesting`]) |
//! | [`Caller::Tool`] | a profiling tool behind us | unless inside a recorded call, and not by `PMPI_` names |
//! | [`Caller::Program`] | all others, also in callbacks; generated code | always |
//!
//! A callback whose last statement is an MPI call may be compiled to a tail call, whose return address is in
//! the library. Libraries call MPI functions by name and callbacks by pointer, so the instruction before the
//! return address distinguishes them ([`is_by_name`]).
//!
//! Objects are looked up once, and again after an object was closed ([`crate::unloading`]). The fast path (`trampoline`) compares the return address with the range of the
//! first caller, which is usually the executable.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use mpit_ffi::host::{Host, objects::Object};

use crate::isolation::with_errno_kept;
use crate::nesting;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    Library,
    Wrapper,
    Tool,
    Program,
}

/// The return address of a call in progress. Only the trampolines make it.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct ReturnAddress(usize);

impl ReturnAddress {
    pub(crate) fn get(self) -> usize {
        self.0
    }
}

/// An address range whose kind of caller is known. Machine code reads it.
#[repr(C)]
pub(crate) struct CallerRange {
    start: usize,
    /// 0 once an object was closed that may have had the range.
    len: AtomicUsize,
    next: AtomicPtr<CallerRange>,
    caller: Caller,
    /// True for an object that is never unloaded.
    is_permanent: bool,
}

/// The empty range, which contains no return address.
static EMPTY: CallerRange = CallerRange::new(0..0, Caller::Program, true);

/// The ranges of the program, in order of their first calls. Begins with an empty range.
pub(crate) static PROGRAM_RANGES: AtomicPtr<CallerRange> = AtomicPtr::new((&raw const EMPTY).cast_mut());

static OTHER_RANGES: AtomicPtr<CallerRange> = AtomicPtr::new(null_mut());

/// The maximum number of stored ranges. In programs with more objects that call MPI, the others are looked up at each call.
const MAX_RANGES: usize = 64;

static STORED_RANGES: AtomicUsize = AtomicUsize::new(0);

static HAS_CLOSABLE_RANGES: AtomicBool = AtomicBool::new(false);

impl CallerRange {
    const fn new(range: Range<usize>, caller: Caller, is_permanent: bool) -> Self {
        let len = AtomicUsize::new(range.end - range.start);
        Self { start: range.start, len, next: AtomicPtr::new(null_mut()), caller, is_permanent }
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len.load(Relaxed)
    }
}

fn ranges(list: &'static AtomicPtr<CallerRange>) -> impl Iterator<Item = &'static CallerRange> {
    let at = |link: &'static AtomicPtr<CallerRange>| {
        let stored = link.load(Acquire);
        // SAFETY: links are null or refer to ranges that are leaked.
        unsafe { stored.as_ref() }
    };
    std::iter::successors(at(list), move |stored| at(&stored.next))
}

/// Returns true if ranges are stored that closing an object makes invalid.
pub(crate) fn has_closable_ranges() -> bool {
    HAS_CLOSABLE_RANGES.load(Relaxed)
}

/// Forgets the ranges of objects that may be unloaded: one of them is, and the next object may be at its address.
pub(crate) fn forget_closable_ranges() {
    HAS_CLOSABLE_RANGES.store(false, Relaxed);
    for list in [&PROGRAM_RANGES, &OTHER_RANGES] {
        for stored in ranges(list).filter(|stored| !stored.is_permanent) {
            stored.len.store(0, Relaxed);
        }
    }
}

/// Appends a range to its list, or replaces the empty range. The next object at the address of one that was unloaded has its entry.
fn store_range(range: Range<usize>, caller: Caller, is_permanent: bool) {
    let list = if caller == Caller::Program { &PROGRAM_RANGES } else { &OTHER_RANGES };
    if !is_permanent {
        let is_former = |stored: &&CallerRange| {
            !stored.is_permanent && stored.start == range.start && stored.caller == caller
        };
        if let Some(former) = ranges(list).find(is_former) {
            former.len.store(range.end - range.start, Relaxed);
            return;
        }
    }
    if STORED_RANGES.fetch_add(1, Relaxed) >= MAX_RANGES {
        STORED_RANGES.fetch_sub(1, Relaxed);
        return;
    }
    let new: *mut CallerRange = Box::leak(Box::new(CallerRange::new(range, caller, is_permanent)));
    let none = (&raw const EMPTY).cast_mut();
    if list.compare_exchange(none, new, AcqRel, Acquire).is_ok() {
        return;
    }
    let mut link = list;
    while let Err(present) = link.compare_exchange(null_mut(), new, AcqRel, Acquire) {
        // SAFETY: `compare_exchange` failed, so `present` is not null, and ranges are leaked.
        link = unsafe { &(*present).next };
    }
}

/// Returns true if the call with this return address is to be recorded; `is_profiling` for a call by a `PMPI_` name.
pub(crate) fn is_recorded(return_address: ReturnAddress, is_profiling: bool) -> bool {
    match caller_of(return_address) {
        Caller::Library => false,
        Caller::Wrapper => !nesting::is_in_recorded_call(),
        // The call of the program that the tool serves is recorded already.
        Caller::Tool => !is_profiling && !nesting::is_in_recorded_call(),
        Caller::Program => true,
    }
}

pub(crate) fn caller_of(return_address: ReturnAddress) -> Caller {
    let address = return_address.get();
    if ranges(&PROGRAM_RANGES).any(|stored| stored.range().contains(&address)) {
        return Caller::Program;
    }
    let stored = ranges(&OTHER_RANGES).find(|stored| stored.range().contains(&address));
    let (caller, range) = stored.map_or_else(
        || with_errno_kept(|| look_up_caller(address)),
        |stored| (stored.caller, stored.range()),
    );
    if caller != Caller::Program && !is_by_name(return_address, &range) {
        return Caller::Program;
    }
    caller
}

#[cold]
fn look_up_caller(address: usize) -> (Caller, Range<usize>) {
    let (caller, range, is_permanent) = match Object::containing(address) {
        Some(object) => (kind_of(&object), object.range.clone(), object.is_permanent()),
        // Generated code: only its page, since objects may be loaded beside it later.
        None => (Caller::Program, address & !0xfff..(address | 0xfff) + 1, false),
    };
    // Without a host the kind of caller may be wrong, so it is not stored.
    if Host::get().is_some() {
        store_range(range.clone(), caller, is_permanent);
        if !is_permanent {
            HAS_CLOSABLE_RANGES.store(true, Relaxed);
        }
    }
    (caller, range)
}

/// Symbols of a library's Fortran interface, and those that nearly all profiling tools interpose.
const FORTRAN_SYMBOLS: [&CStr; 2] = [c"pmpi_init_", c"pmpi_init_f08_"];
const TOOL_SYMBOLS: [&CStr; 5] =
    [c"MPI_Init", c"MPI_Init_thread", c"MPI_Finalize", c"MPI_Send", c"MPI_Pcontrol"];

fn kind_of(object: &Object) -> Caller {
    let here = Object::containing(kind_of as *const c_void as usize);
    let is_ours = here.as_ref().is_some_and(|here| here.range == object.range);
    if is_ours || is_library(object) || object.file_name().starts_with(b"mca_") {
        return Caller::Library;
    }
    let is_behind_us = here.is_some_and(|here| object.is_after(&here)) && !object.is_executable();
    let defines = |names: &[&CStr]| names.iter().any(|name| object.defines(name));
    if defines(&FORTRAN_SYMBOLS) {
        Caller::Wrapper
    } else if is_behind_us && defines(&TOOL_SYMBOLS) {
        Caller::Tool
    } else {
        Caller::Program
    }
}

pub(crate) fn is_library(object: &Object) -> bool {
    Host::get().is_some_and(|host| host.is_in(object))
}

/// Returns true if the call instruction before the return address is a call by name: with an address in the
/// instruction, or through an entry of the object's own table of addresses.
#[cfg(target_arch = "x86_64")]
fn is_by_name(return_address: ReturnAddress, object: &Range<usize>) -> bool {
    let address = return_address.get();
    if address < object.start + 6 {
        return false;
    }
    let before = std::ptr::with_exposed_provenance::<[u8; 6]>(address - 6);
    // SAFETY: the object's code, which made the call that is in progress, is mapped there.
    let [first, second, displacement @ ..] = unsafe { before.read_unaligned() };
    let displacement = i32::from_le_bytes(displacement) as isize;
    let target = address.wrapping_add_signed(displacement);
    let is_direct = second == 0xe8;
    let is_through_table = first == 0xff && second == 0x15;
    (is_direct || is_through_table) && object.contains(&target)
}

/// Returns true if the call instruction before the return address is a call by name, with an address in the instruction.
#[cfg(target_arch = "aarch64")]
fn is_by_name(return_address: ReturnAddress, object: &Range<usize>) -> bool {
    if return_address.get() < object.start + 4 {
        return false;
    }
    let before = std::ptr::with_exposed_provenance::<u32>(return_address.get() - 4);
    // SAFETY: the object's code, which made the call that is in progress, is mapped there.
    let instruction = unsafe { before.read() };
    instruction >> 26 == 0b10_0101
}
