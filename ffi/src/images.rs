//! Programs and libraries with definitions of their own that are no plug-ins: found by a note in their files, also those
//! that are loaded later.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use mpit::lock::Mutex;
use mpit::plugin::abi::PluginFunction;
use mpit::plugin::image::{self, NOTE_NAME, NOTE_TYPE};

use crate::host::{Host, find};

/// Takes over what images define that were loaded since the last time. Cheap when there are none.
pub(crate) fn adopt_new() {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    static ADOPTING: AtomicBool = AtomicBool::new(false);
    if Host::get().is_none() {
        return;
    }
    let mut loaded = 0;
    // SAFETY: `count` takes the pointer for what it is, and does not keep it.
    unsafe { find::each_object(count, (&raw mut loaded).cast()) };
    // What an image does when it is asked may come back here.
    if SEEN.load(Acquire) == loaded || ADOPTING.swap(true, AcqRel) {
        return;
    }
    SEEN.store(loaded, Release);
    adopt_all();
    ADOPTING.store(false, Release);
}

fn adopt_all() {
    static KNOWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let mut found: Vec<Found> = Vec::new();
    // SAFETY: `collect` takes the pointer to `found` for what it is, and does not keep it.
    unsafe { find::each_object(collect, (&raw mut found).cast()) };
    for Found { file, function } in found {
        // An image that has functions of MPI_T itself shows what it has by those.
        if image::is_own(function) || find::defines(&file, c"MPI_T_init_thread") {
            continue;
        }
        let address = function as usize;
        let is_known = {
            let mut known = KNOWN.lock();
            let is_known = known.contains(&address);
            if !is_known {
                known.push(address);
            }
            is_known
        };
        if !is_known {
            find::keep_loaded(address as *const c_void);
            // SAFETY: from the note of an image that stays from now on.
            unsafe { image::adopt(function) };
        }
    }
}

/// An image with a note.
struct Found {
    file: CString,
    function: PluginFunction,
}

/// # Safety
///
/// `loaded` is a `*mut u64`; `info` is what the dynamic linker passes.
unsafe extern "C" fn count(info: *mut libc::dl_phdr_info, size: usize, loaded: *mut c_void) -> c_int {
    // Before the dynamic linker counted, it passed less; then each time counts as new.
    static ALWAYS: AtomicU64 = AtomicU64::new(1);
    let number = if size >= size_of::<libc::dl_phdr_info>() {
        // SAFETY: the dynamic linker passes a whole description.
        unsafe { (*info).dlpi_adds }
    } else {
        ALWAYS.fetch_add(1, Relaxed)
    };
    // SAFETY: `adopt_new` passes the address of its variable.
    unsafe { loaded.cast::<u64>().write(number) };
    1
}

/// # Safety
///
/// `found` is a `*mut Vec<Found>`; `info` is what the dynamic linker passes.
unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description of a loaded object.
    let info = unsafe { &*info };
    // SAFETY: the name of a loaded object is a C string.
    let file = unsafe { CStr::from_ptr(info.dlpi_name) };
    // SAFETY: the object has so many program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    // SAFETY: `adopt_all` passes the address of its list.
    let found = unsafe { &mut *found.cast::<Vec<Found>>() };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
        let start = (info.dlpi_addr + header.p_vaddr) as *const u8;
        // SAFETY: notes lie in what is loaded of an object, and this is their segment.
        let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
        if let Some(function) = function_of(notes) {
            found.push(Found { file: file.to_owned(), function });
        }
    }
    0
}

/// The function that a note of ours leads to, among other notes.
fn function_of(mut notes: &[u8]) -> Option<PluginFunction> {
    const HEADER: usize = 12;
    while notes.len() >= HEADER {
        let number = |at: usize| u32::from_ne_bytes([notes[at], notes[at + 1], notes[at + 2], notes[at + 3]]);
        let (name_len, len, kind) = (number(0) as usize, number(4) as usize, number(8));
        let content = HEADER.checked_add(name_len)?.next_multiple_of(4);
        let end = content.checked_add(len)?;
        let (name, content) = (notes.get(HEADER..HEADER + name_len)?, notes.get(content..end)?);
        if name == NOTE_NAME && kind == NOTE_TYPE {
            let distance = i64::from_ne_bytes(content.try_into().ok()?);
            let address = content.as_ptr().wrapping_offset(distance as isize);
            // SAFETY: a note of this name and type leads to a function of this type.
            return Some(unsafe { std::mem::transmute::<*const u8, PluginFunction>(address) });
        }
        notes = notes.get(end.next_multiple_of(4)..)?;
    }
    None
}
