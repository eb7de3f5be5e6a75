//! The caller of a function: the program, the MPI library itself, or an object between them.
//!
//! MPI libraries call themselves by names that we export: ROMIO, one-sided operations over messages, Fortran interfaces. The
//! object that the return address lies in tells these calls from the program's:
//!
//! | caller | such as | recorded |
//! |---|---|---|
//! | [`Caller::Library`] | libmpi, Open MPI's components (`mca_*.so`), ourselves | never |
//! | [`Caller::Wrapper`] | the library's Fortran interface | unless inside a call that is recorded ([`depth`]) |
//! | [`Caller::Tool`] | a profiling tool behind us | the same, but not by `PMPI_` names |
//! | [`Caller::Program`] | all others, in callbacks as well; generated code | always |
//!
//! A callback whose last statement is an MPI call may jump there, so that the return address is that of the library's call
//! of the callback. A library calls an MPI function by its name and a callback by a pointer, so the instruction before the
//! return address tells ([`is_by_name`]).
//!
//! Objects are looked up once; the fast path (`trampoline`) compares the return address with the range of the object that
//! called first, most often the executable.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use mpit_ffi::host::{Host, objects::Object};

use crate::depth;
use crate::trampoline::with_errno_kept;

/// The maker of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The MPI library itself.
    Library,
    /// The library's Fortran interface, which calls MPI on behalf of the program.
    Wrapper,
    /// A profiling tool between us and the library.
    Tool,
    /// The program and its other libraries.
    Program,
}

/// A range of addresses whose calls are known. Read by machine code.
#[repr(C)]
pub(crate) struct Known {
    start: usize,
    len: usize,
    next: AtomicPtr<Known>,
    caller: Caller,
}

static NONE: Known = Known::new(0..0, Caller::Program);

/// The ranges of the program's calls, the first of them first. Begins with one that holds no address.
pub(crate) static PROGRAM: AtomicPtr<Known> = AtomicPtr::new((&raw const NONE).cast_mut());

/// The ranges of other calls.
static OTHERS: AtomicPtr<Known> = AtomicPtr::new(null_mut());

/// Ranges that are remembered. Programs in which more objects call MPI have them looked up at each call.
const MOST: usize = 64;

static REMEMBERED: AtomicUsize = AtomicUsize::new(0);

impl Known {
    const fn new(range: Range<usize>, caller: Caller) -> Self {
        Self { start: range.start, len: range.end - range.start, next: AtomicPtr::new(null_mut()), caller }
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

fn all(list: &'static AtomicPtr<Known>) -> impl Iterator<Item = &'static Known> {
    let at = |link: &'static AtomicPtr<Known>| {
        let known = link.load(Acquire);
        // SAFETY: links are null or lead to ranges that are never freed.
        unsafe { known.as_ref() }
    };
    std::iter::successors(at(list), move |known| at(&known.next))
}

/// Adds a range at the end of its list, in place of the one that holds no address.
fn remember(range: Range<usize>, caller: Caller) {
    if REMEMBERED.fetch_add(1, Relaxed) >= MOST {
        REMEMBERED.fetch_sub(1, Relaxed);
        return;
    }
    let new: *mut Known = Box::leak(Box::new(Known::new(range, caller)));
    let mut link = &OTHERS;
    if caller == Caller::Program {
        let none = (&raw const NONE).cast_mut();
        if PROGRAM.compare_exchange(none, new, AcqRel, Acquire).is_ok() {
            return;
        }
        link = &PROGRAM;
    }
    while let Err(present) = link.compare_exchange(null_mut(), new, AcqRel, Acquire) {
        // SAFETY: not null, and ranges are never freed.
        link = unsafe { &(*present).next };
    }
}

/// Returns true if the call with this return address is to be recorded; `is_profiling` for a call by a `PMPI_` name.
pub(crate) fn is_recorded(return_address: usize, is_profiling: bool) -> bool {
    match of(return_address) {
        Caller::Library => false,
        Caller::Wrapper => !depth::is_inside(),
        // The call that it serves was recorded already; its own messages are not the program's.
        Caller::Tool => !is_profiling && !depth::is_inside(),
        Caller::Program => true,
    }
}

/// The maker of the call with this return address.
pub(crate) fn of(return_address: usize) -> Caller {
    if all(&PROGRAM).any(|known| known.range().contains(&return_address)) {
        return Caller::Program;
    }
    let known = all(&OTHERS).find(|known| known.range().contains(&return_address));
    let (caller, range) =
        known.map_or_else(|| look_up(return_address), |known| (known.caller, known.range()));
    if caller != Caller::Program && !is_by_name(return_address, &range) {
        return Caller::Program;
    }
    caller
}

#[cold]
fn look_up(return_address: usize) -> (Caller, Range<usize>) {
    with_errno_kept(|| ask_the_linker(return_address))
}

fn ask_the_linker(return_address: usize) -> (Caller, Range<usize>) {
    let (caller, range) = match Object::containing(return_address) {
        Some(object) => (kind_of(&object), object.range),
        // Generated code: the range of a page, since other objects may come to lie beside it.
        None => (Caller::Program, return_address & !0xfff..(return_address | 0xfff) + 1),
    };
    // Before there is a library, nothing can be known of it.
    if Host::get().is_some() {
        remember(range.clone(), caller);
    }
    (caller, range)
}

/// Functions of MPI that the library's Fortran interface defines, and what is interposed by nearly all profiling tools.
const OF_FORTRAN: [&CStr; 2] = [c"pmpi_init_", c"pmpi_init_f08_"];
const OF_TOOLS: [&CStr; 5] = [c"MPI_Init", c"MPI_Init_thread", c"MPI_Finalize", c"MPI_Send", c"MPI_Pcontrol"];

fn kind_of(object: &Object) -> Caller {
    let here = Object::containing(kind_of as *const c_void as usize);
    let is_ours = here.as_ref().is_some_and(|here| here.range == object.range);
    if is_ours || is_library(object) || object.file_name().starts_with(b"mca_") {
        return Caller::Library;
    }
    let is_behind_us = here.is_some_and(|here| object.is_after(&here)) && !object.is_executable();
    let defines = |names: &[&CStr]| names.iter().any(|name| object.defines(name));
    if defines(&OF_FORTRAN) {
        Caller::Wrapper
    } else if is_behind_us && defines(&OF_TOOLS) {
        Caller::Tool
    } else {
        Caller::Program
    }
}

/// Returns true if an object is the MPI library.
pub(crate) fn is_library(object: &Object) -> bool {
    Host::get().is_some_and(|host| host.is_in(object))
}

/// Returns true if the call with this return address in an object is one by name: to an address that is part of the instruction, or
/// by an entry of the object's own table of addresses.
#[cfg(target_arch = "x86_64")]
fn is_by_name(return_address: usize, object: &Range<usize>) -> bool {
    if return_address < object.start + 6 {
        return false;
    }
    let before = std::ptr::with_exposed_provenance::<[u8; 6]>(return_address - 6);
    // SAFETY: the object's code lies there, since it has just called.
    let [first, second, displacement @ ..] = unsafe { before.read_unaligned() };
    let displacement = i32::from_le_bytes(displacement) as isize;
    let target = return_address.wrapping_add_signed(displacement);
    let is_direct = second == 0xe8;
    let is_through_table = first == 0xff && second == 0x15;
    (is_direct || is_through_table) && object.contains(&target)
}

/// Returns true if the call with this return address is one by name: to an address that is part of the instruction.
#[cfg(target_arch = "aarch64")]
fn is_by_name(return_address: usize, object: &Range<usize>) -> bool {
    if return_address < object.start + 4 {
        return false;
    }
    let before = std::ptr::with_exposed_provenance::<u32>(return_address - 4);
    // SAFETY: the object's code lies there, since it has just called.
    let instruction = unsafe { before.read() };
    instruction >> 26 == 0b10_0101
}
