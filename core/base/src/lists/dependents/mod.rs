//! Images that use this copy of the crate and do not contain it.
//!
//! A crate of the type `dylib` that depends on `mpit` contains it. The program that depends on that crate has definitions in lists of
//! its own, which the linker of the library knows nothing of. So each image with definitions has a constructor, which passes the bounds
//! of the image's lists to the copy of the crate that its definitions were compiled for. In the image with the copy it returns at once.
//!
//! The macro [`register_lists`](crate::__mpit_register_lists) is expanded for each definition, and the linker keeps one constructor: its
//! section is in a group (COMDAT) with the name of the copy.
//!
//! Lists have the same names in all copies of the same version (0.1), whose descriptors may differ. So each image also has a list of the
//! copies that it was compiled for. With more than one, its definitions are reported, and not read.

mod loading;
mod register_lists;

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::lists::{Bounds, ListBounds, Lists};
use crate::lock::Mutex;
use crate::os::terminal::print;

/// The version of this copy and a place in it, for messages.
const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), " (", file!(), ")\0");

/// The major and the minor version, as [`TEXT`] begins with them. Copies that are equal in them have lists of the same names.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"), ".");

/// The text of this copy, by whose address it is identified.
#[doc(hidden)]
#[used]
pub static COPY: [u8; TEXT.len()] = *TEXT.as_bytes().first_chunk().unwrap();

/// The function that constructors call. They read its address from here because the compiler may drop or rename a function that only
/// assembler code refers to.
#[doc(hidden)]
#[used]
pub static REGISTER: unsafe extern "C" fn(*const ListsOfImage) = register;

/// The lists of an image, as the macro [`register_lists`](crate::__mpit_register_lists) describes them.
#[doc(hidden)]
#[repr(C)]
pub struct ListsOfImage {
    /// The texts of the copies that the image was compiled for, one or several times each.
    copies: Bounds<*const c_char>,
    lists: ListBounds,
}

// SAFETY: the pointers lead to descriptors, which are `Sync`, and to constant text. Nothing of it is written.
unsafe impl Sync for ListsOfImage {}
// SAFETY: it owns nothing, and the pointers lead to descriptors, which are `Sync`, and to constant text.
unsafe impl Send for ListsOfImage {}

impl ListsOfImage {
    /// Returns the lists; empty if several copies of this crate have elements in them, which is reported.
    ///
    /// # Safety
    ///
    /// The image is never unloaded.
    unsafe fn to_lists(&self) -> Lists {
        // SAFETY: bounds of the list of copies, and the caller ensures that the image stays loaded.
        if has_several(unsafe { self.copies.elements() }) {
            return Lists::default();
        }
        // SAFETY: the bounds of lists with elements of this copy alone (checked above), in an image that stays loaded, which the caller
        // ensures.
        unsafe { self.lists.lists() }
    }
}

/// A reader of the lists, which does not see the lists of images that are loaded later.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// The registry of this process, and its function that adds the lists of later images.
    Registry { add_late: fn(Lists) },
    /// The export to a host, which has then received all definitions.
    Export,
    /// Any other one.
    Other,
}

/// The images that registered their lists.
struct Images {
    registered: Vec<&'static ListsOfImage>,
    /// The function of the registry that has read the lists.
    add_late: Option<fn(Lists)>,
    is_exported: bool,
}

static IMAGES: Mutex<Images> =
    Mutex::new(Images { registered: Vec::new(), add_late: None, is_exported: false });

/// Returns the lists of the images that use this copy and do not contain it.
pub(crate) fn lists(reader: Reader) -> impl Iterator<Item = Lists> {
    let registered = {
        let mut images = IMAGES.lock();
        match reader {
            Reader::Registry { add_late } => images.add_late = Some(add_late),
            Reader::Export => images.is_exported = true,
            Reader::Other => {}
        }
        images.registered.clone()
    };
    // SAFETY: `register` has only accepted images that are never unloaded.
    registered.into_iter().map(|image| unsafe { image.to_lists() })
}

/// Registers the lists of an image, in its constructor.
///
/// # Safety
///
/// `lists` was made by the macro `register_lists`, compiled for this copy.
unsafe extern "C" fn register(lists: *const ListsOfImage) {
    // SAFETY: a static of the image that is being loaded: the caller ensures it. Only an image that is kept loaded is used below.
    let lists: &'static ListsOfImage = unsafe { &*lists };
    if lists.copies.start == own_copies().start {
        return;
    }
    let _ = crate::panic::catch_panic(|| loading::add(lists));
}

/// Returns true if this image was compiled for further copies of this crate whose definitions are in the same lists. Reports them.
pub(crate) fn has_other_copies() -> bool {
    // SAFETY: bounds of the list of copies of this image, and code of an unloaded image does not run.
    has_several(unsafe { own_copies().elements() })
}

/// Returns true if not all copies are this one. Reports that, once.
fn has_several(copies: &[*const c_char]) -> bool {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    let mut distinct = Vec::new();
    for copy in copies {
        if !distinct.contains(copy) {
            distinct.push(*copy);
        }
    }
    // SAFETY: each copy has a constant, NUL-terminated text in the image of the list, or in one that this image depends on.
    let texts = distinct.iter().map(|copy| unsafe { CStr::from_ptr(*copy) }.to_string_lossy());
    let texts: Vec<_> = texts.filter(|text| text.starts_with(VERSION)).collect();
    if texts.len() > 1 && !IS_REPORTED.swap(true, Relaxed) {
        print(&format!(
            "no definitions of the program, or of a library of it, are listed, because they were made by several copies of \
             the crate mpit: {}; let all crates depend on one copy (`cargo tree --invert mpit`)",
            texts.join(", ")
        ));
    }
    texts.len() > 1
}

#[cfg(target_os = "linux")]
fn own_copies() -> Bounds<*const c_char> {
    /// The element of this copy.
    #[used]
    #[unsafe(link_section = "mpit_copies")]
    static ELEMENT: &[u8; TEXT.len()] = &COPY;

    unsafe extern "C" {
        #[link_name = "__start_mpit_copies"]
        static START: *const c_char;
        #[link_name = "__stop_mpit_copies"]
        static END: *const c_char;
    }
    Bounds { start: &raw const START, end: &raw const END }
}

#[cfg(not(target_os = "linux"))]
fn own_copies() -> Bounds<*const c_char> {
    Bounds { start: std::ptr::null(), end: std::ptr::null() }
}
