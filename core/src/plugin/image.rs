//! Images that are not plug-ins: a program or library that contains this crate and runs under a host, another mpit in the process.
//!
//! Each image with this crate has an ELF note (`.note.mpit`) that leads to a function like `mpit_plugin_v1`. Executables export
//! no symbols, so a host finds the note through the program headers, which needs no symbol and runs no code in processes without
//! a host. The image announces itself when it is loaded ([`super::announcement`]), so that a host need not search each time.

use std::ffi::c_int;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::{load, table};
use crate::abi::{Host, Plugin, PluginFunction};
use crate::log::Log;
use crate::{registry, threads};

/// The name of the note, with its NUL.
pub const NOTE_NAME: &[u8] = b"mpit\0";

/// The type of the note. Its content is the address of the function, which the dynamic linker relocates.
pub const NOTE_TYPE: u32 = 2;

/// An ELF note, whose name and content are padded to four bytes.
#[repr(C, packed(4))]
struct Note {
    name_len: u32,
    len: u32,
    kind: u32,
    name: [u8; NOTE_NAME.len().next_multiple_of(4)],
    function: PluginFunction,
}

/// The note of this image. Linkers that drop unreferenced sections keep notes.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".note.mpit"))]
static NOTE: Note = Note {
    name_len: NOTE_NAME.len() as u32,
    len: size_of::<PluginFunction>() as u32,
    kind: NOTE_TYPE,
    name: *b"mpit\0\0\0\0",
    function: image,
};

/// Returns the definitions of this image to a host; null if the image uses a registry of its own or was loaded as a plug-in.
unsafe extern "C" fn image(host: *const Host) -> *const Plugin {
    // SAFETY: the host passes null or a `Host` that is valid for the rest of the process (`mpit_plugin.h`).
    let host = unsafe { host.as_ref() };
    match super::export::export_image(host) {
        Some(plugin) => std::ptr::from_ref(plugin),
        None => std::ptr::null(),
    }
}

/// Returns true for the function that this image's own note leads to.
pub fn is_own(function: PluginFunction) -> bool {
    std::ptr::fn_addr_eq(function, NOTE.function)
}

/// The functions that notify adopted images of the thread level.
static LISTENING: Log<unsafe extern "C" fn(c_int)> = Log::new();

/// Adopts the definitions of an image. Faults in them are reported on standard error. Callers are serialized; otherwise the image
/// may miss changes of the thread level.
///
/// # Safety
///
/// The function is the one that a note of the image leads to, and the image stays loaded.
pub unsafe fn adopt(function: PluginFunction) {
    // SAFETY: the function is the one that the image's note leads to, and the image stays loaded: the caller ensures it.
    let found = unsafe { load::describe(function) };
    let outcome = match found {
        Ok(None) => return,
        Ok(Some((_, plugin))) => {
            if let Some(set_concurrent) = plugin.set_concurrent {
                super::listen_to_thread_level();
                notify(set_concurrent, threads::concurrent());
                // Cannot fail for a concurrent writer: callers of `adopt` are serialized.
                let _ = LISTENING.push(set_concurrent);
            }
            // SAFETY: the image's copy of this crate made the table as `mpit_plugin.h` specifies, and the image stays loaded.
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

/// Notifies all adopted images of the thread level: true if several threads may communicate at once.
pub(super) fn notify_concurrent(concurrent: bool) {
    for set_concurrent in LISTENING.iter() {
        notify(*set_concurrent, concurrent);
    }
}

fn notify(set_concurrent: unsafe extern "C" fn(c_int), concurrent: bool) {
    // SAFETY: the image stays loaded (contract of `adopt`), and its function may be called by any thread (`mpit_plugin.h`).
    unsafe { set_concurrent(c_int::from(concurrent)) };
}

/// True if a host adopted this image's definitions through the note; then its own registry lists them as well.
static IS_ADOPTED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_adopted() -> bool {
    IS_ADOPTED.load(Acquire)
}

/// Marks this image as adopted, unless its own registry is in use or it was exported already.
pub(super) fn mark_adopted() -> bool {
    if registry::existing().is_some() || super::export::has_export() {
        return false;
    }
    IS_ADOPTED.store(true, Release);
    true
}
