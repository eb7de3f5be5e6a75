//! Images that are no plug-ins: a program, or a library, that has this crate in it and runs under a host.
//!
//! Each image with this crate has a note of ELF (`.note.mpit`) that leads to a function like `mpit_plugin_v1`. Executables
//! keep no symbols for others, so a host finds the note by way of the program headers, which takes no symbol and runs no
//! code in processes that have no host.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};

use super::abi::{Host, Plugin, PluginFunction};
use super::load;
use super::table;
use crate::log::Log;
use crate::{registry, threads};

/// The name of the note, with its NUL.
pub const NOTE_NAME: &[u8] = b"mpit\0";

/// The type of the note. Its content is the distance from itself to the function, in eight bytes.
pub const NOTE_TYPE: u32 = 1;

// Names and contents of notes are padded to four bytes. The section is kept by linkers that drop unreferenced ones.
#[cfg(target_os = "linux")]
std::arch::global_asm!(
    // Visible in this image only, so that its place is known when the image is linked.
    ".hidden {image}",
    ".pushsection .note.mpit, \"a\", %note",
    ".balign 4",
    ".long 5",
    ".long 8",
    ".long 1",
    ".asciz \"mpit\"",
    ".balign 4",
    "2:",
    ".quad {image} - 2b",
    ".popsection",
    image = sym image,
);

/// Keeps the object that has the note: linkers take from an archive what is referred to.
#[used]
static IMAGE: PluginFunction = image;

/// The definitions of this image for a host; null if this image has a registry of its own in use, or was loaded as a
/// plug-in.
unsafe extern "C" fn image(host: *const Host) -> *const Plugin {
    // SAFETY: the host passes null or a struct that lives as long as the process.
    let host = unsafe { host.as_ref() };
    let found = super::export::export_image(host);
    found.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Returns true for the function that this image's own note leads to.
#[must_use]
pub fn is_own(function: PluginFunction) -> bool {
    std::ptr::fn_addr_eq(function, IMAGE)
}

/// Functions by which images that were taken over learn that several threads may communicate at once.
static LISTENING: Log<unsafe extern "C" fn(c_int)> = Log::new();

/// Takes over the definitions of an image. Faults in them are reported on standard error.
///
/// # Safety
///
/// The function is the one that a note of the image leads to, and the image stays loaded.
pub unsafe fn adopt(function: PluginFunction) {
    // SAFETY: by the caller's promise.
    let found = unsafe { load::ask(function) };
    let outcome = match found {
        Ok(None) => return,
        Ok(Some((_, plugin))) => {
            if let Some(set_concurrent) = plugin.set_concurrent {
                tell(set_concurrent, threads::concurrent());
                // Appended by one thread at a time: `adopt` is called so.
                let _ = LISTENING.push(set_concurrent);
            }
            // SAFETY: made by the image's copy of this crate, and the image stays.
            unsafe { table::register(plugin.table) }
        }
        Err(why) => Err(why),
    };
    if let Err(why) = outcome {
        report(&why);
    }
}

#[allow(clippy::print_stderr, reason = "no other way to reach the user")]
fn report(why: &str) {
    eprintln!(
        "mpit: definitions in the program or in a library of it are not listed: {}",
        why.replace(char::is_control, "?")
    );
}

/// Tells all images whether several threads may communicate at once.
pub(super) fn tell_concurrent(concurrent: bool) {
    for set_concurrent in LISTENING.iter() {
        tell(*set_concurrent, concurrent);
    }
}

fn tell(set_concurrent: unsafe extern "C" fn(c_int), concurrent: bool) {
    // SAFETY: the image stays loaded, and its function may be called by any thread.
    unsafe { set_concurrent(c_int::from(concurrent)) };
}

/// True if this image's definitions went to a host in this way: then its own registry lists them as well.
static IS_ADOPTED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_adopted() -> bool {
    IS_ADOPTED.load(Acquire)
}

/// Marks this image as one that gives its definitions away, unless it is one that lists them itself already.
pub(super) fn give() -> bool {
    if registry::is_in_use() || super::export::is_made() {
        return false;
    }
    IS_ADOPTED.store(true, Release);
    true
}
