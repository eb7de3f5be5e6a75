//! Programs and libraries that define variables and are not plug-ins. They are found by an ELF note, also if
//! they are loaded later.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use mpit::internal::lock::{Inside, Mutex};
use mpit::internal::plugin::abi::PluginFunction;
use mpit::internal::plugin::image::{self, NOTE_NAME, NOTE_TYPE};
use mpit::internal::registry::has_unknown;
use mpit::tool::Registry;

use crate::host::Host;
use crate::host::find::{self, MappedObject};

/// The number of objects that the dynamic linker had loaded when images were last adopted.
static SEEN: AtomicU64 = AtomicU64::new(0);

/// Returns the number of objects that the dynamic linker has loaded so far, if images loaded since the last adoption may be
/// among them.
pub(crate) fn newly_loaded(inside: &Inside) -> Option<u64> {
    static ALWAYS_NEW: AtomicU64 = AtomicU64::new(1);
    Host::get()?;
    let mut loaded = 0;
    find::each_object_inside(inside, |object| {
        // Without a count of the dynamic linker, every call finds new images.
        loaded = object.loaded.unwrap_or_else(|| ALWAYS_NEW.fetch_add(1, Relaxed));
        true
    });
    if SEEN.load(Acquire) == loaded { None } else { Some(loaded) }
}

/// Registers the definitions of images loaded since the last call. `loaded` is the result of [`newly_loaded`].
#[cold]
pub(crate) fn adopt(loaded: u64) {
    static ADOPTING: AtomicBool = AtomicBool::new(false);
    // The guard is against recursion: an image's function may call this one.
    if ADOPTING.swap(true, AcqRel) {
        return;
    }
    if adopt_all() {
        SEEN.store(loaded, Release);
    }
    ADOPTING.store(false, Release);
}

/// Registers the definitions of images if a setting of this process may be for one of them, so that it has its value when
/// `MPI_Init` returns. Otherwise they are left until a tool lists variables: a program that reads its own definitions after
/// `MPI_Init` receives its events only while they are not registered here.
pub(crate) fn adopt_for_settings() {
    if has_unknown(Registry::global())
        && let Some(loaded) = newly_loaded(&Inside::enter())
    {
        adopt(loaded);
    }
}

/// Returns false if an image is not relocated yet, because another thread is loading it.
fn adopt_all() -> bool {
    static ADOPTED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let mut is_complete = true;
    for Found { object, function } in find::collect_from_objects(image_in) {
        let Some(function) = function else {
            is_complete = false;
            continue;
        };
        // An image that defines the functions of MPI_T itself shows its definitions through them.
        let has_tools_interface =
            || find::name_of(object).is_some_and(|file| find::defines(&file, c"MPI_T_init_thread"));
        if image::is_own(function) || has_tools_interface() {
            continue;
        }
        let address = function as usize;
        let is_new = ADOPTED.lock().insert(address);
        if is_new {
            find::keep_loaded(address as *const c_void);
            // SAFETY: the function came from the note of an image, which `keep_loaded` keeps in the process.
            unsafe { image::adopt(function) };
        }
    }
    is_complete
}

/// An image with our note.
struct Found {
    /// An address in its object.
    object: NonNull<c_void>,
    /// `None` if the image is not relocated yet.
    function: Option<PluginFunction>,
}

/// Returns the image of an object, if that has our note.
fn image_in(object: &MappedObject<'_>) -> Option<Found> {
    let mut notes = object.headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
    notes.find_map(|header| {
        let start = (object.base + header.p_vaddr as usize) as *const u8;
        // SAFETY: a `PT_NOTE` segment lies in the mapped part of the object, and `p_memsz` is its length.
        let address = address_in(unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) })?;
        let function = if address == 0 || address < object.base {
            None
        } else {
            // SAFETY: `core/src/plugin/image.rs` defines notes of this name and type with the address of such a function. The
            // dynamic linker has added the object's address, since the sum is not below it.
            Some(unsafe { std::mem::transmute::<usize, PluginFunction>(address) })
        };
        Some(Found { object: object.first_address()?, function })
    })
}

/// Returns the address in our note; other notes are skipped.
fn address_in(mut notes: &[u8]) -> Option<usize> {
    const HEADER: usize = 12;
    while notes.len() >= HEADER {
        let number = |at: usize| u32::from_ne_bytes([notes[at], notes[at + 1], notes[at + 2], notes[at + 3]]);
        let (name_len, len, kind) = (number(0) as usize, number(4) as usize, number(8));
        let content = HEADER.checked_add(name_len)?.next_multiple_of(4);
        let end = content.checked_add(len)?;
        let (name, content) = (notes.get(HEADER..HEADER + name_len)?, notes.get(content..end)?);
        if name == NOTE_NAME && kind == NOTE_TYPE {
            return Some(usize::from_ne_bytes(content.try_into().ok()?));
        }
        notes = notes.get(end.next_multiple_of(4)..)?;
    }
    None
}
