//! Programs and libraries that define variables and are not plug-ins. They are found by an ELF note, also if
//! they are loaded later.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use mpit::internal::plugin;
use mpit::internal::plugin::abi::PluginFunction;
use mpit::internal::plugin::announcement::ANNOUNCED_TO;
use mpit::internal::plugin::image::{self, NOTE_NAME, NOTE_TYPE};
use mpit::internal::registry::has_unknown;
use mpit::tool::Registry;
use mpit_sync::lock::Mutex;

use crate::host::Host;
use crate::host::find::{self, MappedObject};

/// The number of announcements by images, plus 1. Announcements come before `main`, so the word is next to others that the dynamic linker
/// writes when the preload library is loaded.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".data.destinations"))]
static ANNOUNCED: AtomicU64 = AtomicU64::new(1);

/// The value of `ANNOUNCED` before the last complete search. Stays 0 while images cannot announce themselves.
static SEARCHED_AT: AtomicU64 = AtomicU64::new(0);

/// Counts the announcement of an image.
#[inline]
pub fn announced() {
    ANNOUNCED.fetch_add(1, Release);
}

/// Registers the definitions of images that were loaded since the last call.
#[inline]
pub(crate) fn adopt_new() {
    if SEARCHED_AT.load(Acquire) != ANNOUNCED.load(Acquire) {
        search();
    }
}

/// Returns true if the images that are loaded announce themselves here: the program's scope leads to the function of this object.
fn is_announced_to() -> bool {
    static IS_ANNOUNCED_TO: OnceLock<bool> = OnceLock::new();
    let compare = || {
        let function = find::in_scope_of_program(ANNOUNCED_TO)?;
        Some(find::name_of(function)? == find::name_of(NonNull::from(&ANNOUNCED).cast())?)
    };
    // Outside of the cell: the dynamic linker takes its lock, which a thread that waits for this cell may hold.
    if let Some(known) = IS_ANNOUNCED_TO.get() {
        return *known;
    }
    let known = compare().unwrap_or(false);
    *IS_ANNOUNCED_TO.get_or_init(|| known)
}

/// Searches the loaded images, unless the dynamic linker has loaded none since the last complete search.
#[cold]
#[inline(never)]
fn search() {
    /// The number of objects that the dynamic linker had loaded before the last complete search.
    static LOADED: AtomicU64 = AtomicU64::new(0);
    if Host::get().is_none() {
        return;
    }
    // Before the search: an image that announces itself meanwhile is searched for again.
    let announced = ANNOUNCED.load(Acquire);
    let loaded = loaded_objects();
    if LOADED.load(Acquire) != loaded {
        if !adopt() {
            return;
        }
        LOADED.store(loaded, Release);
    }
    if is_announced_to() {
        SEARCHED_AT.store(announced, Release);
    }
}

/// Returns the number of objects that the dynamic linker has loaded so far.
fn loaded_objects() -> u64 {
    static ALWAYS_NEW: AtomicU64 = AtomicU64::new(1);
    let mut loaded = 0;
    find::each_object(|object| {
        // Without a count of the dynamic linker, every call finds new images.
        loaded = object.loaded.unwrap_or_else(|| ALWAYS_NEW.fetch_add(1, Relaxed));
        true
    });
    loaded
}

/// Registers the definitions of all images that are not registered yet. Returns false if some may be left.
fn adopt() -> bool {
    static ADOPTING: AtomicBool = AtomicBool::new(false);
    // The guard is against recursion: an image's function may call this one.
    if ADOPTING.swap(true, AcqRel) {
        return false;
    }
    let is_complete = adopt_all();
    ADOPTING.store(false, Release);
    is_complete
}

/// Registers the definitions of images if a setting of this process may be for one of them, so that it has its value when
/// `MPI_Init` returns. Otherwise they are left until a tool lists variables: a program that reads its own definitions after
/// `MPI_Init` receives its events only while they are not registered here.
pub(crate) fn adopt_for_settings() {
    if has_unknown(Registry::global()) {
        adopt_new();
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
            unsafe { plugin::adopt(function) };
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
    object.notes().find_map(|(notes, _)| {
        let address = address_in(notes)?;
        let function = if address == 0 || address < object.base {
            None
        } else {
            // SAFETY: `core/base/src/export/image.rs` defines notes of this name and type with the address of such a function. The
            // dynamic linker has added the object's address, since the sum is not below it.
            Some(unsafe { std::mem::transmute::<usize, PluginFunction>(address) })
        };
        Some(Found { object: object.first_address()?, function })
    })
}

/// Returns the address in our note; other notes are skipped.
fn address_in(notes: &[u8]) -> Option<usize> {
    let content = find::note_in(notes, align_of::<u32>(), NOTE_NAME, NOTE_TYPE)?;
    Some(usize::from_ne_bytes(content.try_into().ok()?))
}
