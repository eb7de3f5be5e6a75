//! Images that register their lists while they are loaded.

use std::ffi::{CStr, CString, c_void};

use super::{IMAGES, ListsOfImage};
use crate::os::terminal::print;

/// Adds the lists of an image. If it was loaded too late for a reader of the lists, adds its definitions to the registry, or reports
/// that a host has not received them.
pub(super) fn add(lists: &'static ListsOfImage) {
    let Some(object) = Object::of(std::ptr::from_ref(lists).cast()) else { return };
    if !object.keep_loaded() {
        report(&object, "it may be unloaded");
        return;
    }
    let (add_late, is_exported) = {
        let mut images = IMAGES.lock();
        images.registered.push(lists);
        (images.add_late, images.is_exported)
    };
    if is_exported {
        report(&object, "it was loaded after a tool had received those of the library that contains mpit");
    }
    if let Some(add_late) = add_late {
        // SAFETY: the image is kept loaded.
        add_late(unsafe { lists.to_lists() });
    }
}

fn report(object: &Object, why: &str) {
    let file = object.file.to_string_lossy();
    print(&format!("definitions in {file} are not listed: {why}"));
}

/// A loaded object, as the dynamic linker describes it.
struct Object {
    #[cfg(target_os = "linux")]
    base: *mut c_void,
    file: CString,
}

impl Object {
    /// Returns the object that contains an address.
    fn of(address: *const c_void) -> Option<Self> {
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: `info` is a local variable.
        let is_found = unsafe { libc::dladdr(address, &raw mut info) } != 0;
        if !is_found || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the dynamic linker keeps the NUL-terminated name of an object until it unloads the object, which it is loading now.
        let file = unsafe { CStr::from_ptr(info.dli_fname) }.to_owned();
        Some(Self {
            #[cfg(target_os = "linux")]
            base: info.dli_fbase,
            file,
        })
    }

    /// Returns true if the object is never unloaded, which libraries are kept from.
    fn keep_loaded(&self) -> bool {
        if self.is_program() {
            return true;
        }
        let flags = libc::RTLD_NOLOAD | libc::RTLD_LAZY | libc::RTLD_NODELETE;
        // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs. The handle is never closed.
        !unsafe { libc::dlopen(self.file.as_ptr(), flags) }.is_null()
    }

    /// Returns true for the program, whose name the dynamic linker may not accept.
    #[cfg(target_os = "linux")]
    fn is_program(&self) -> bool {
        // SAFETY: reads the auxiliary vector of the process.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) };
        let program = Self::of(std::ptr::with_exposed_provenance(headers as usize));
        program.is_some_and(|program| program.base == self.base)
    }

    /// Other dynamic linkers accept the name of the program.
    #[cfg(not(target_os = "linux"))]
    fn is_program(&self) -> bool {
        false
    }
}
