//! Images that are not plug-ins: a program or library that contains this crate and runs under a host, another mpit in the process.
//!
//! Each image with this crate has an ELF note (`.note.mpit`) that leads to a function like `mpit_plugin_v1`. Executables export
//! no symbols, so a host finds the note through the program headers, which needs no symbol and runs no code in processes without
//! a host. The image announces itself when it is loaded ([`super::announcement`]), so that a host need not search each time.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::abi::{Host, Plugin, PluginFunction};
use crate::registry;

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
    match super::export_image(host) {
        Some(plugin) => std::ptr::from_ref(plugin),
        None => std::ptr::null(),
    }
}

/// Returns true for the function that this image's own note leads to.
pub fn is_own(function: PluginFunction) -> bool {
    std::ptr::fn_addr_eq(function, NOTE.function)
}

/// True if a host adopted this image's definitions through the note; then its own registry lists them as well.
static IS_ADOPTED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_adopted() -> bool {
    IS_ADOPTED.load(Acquire)
}

/// Marks this image as adopted, unless its own registry is in use or it was exported already.
pub(super) fn mark_adopted() -> bool {
    if registry::existing().is_some() || super::has_export() {
        return false;
    }
    IS_ADOPTED.store(true, Release);
    true
}
