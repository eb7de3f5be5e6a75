//! Finding the MPI library and its functions.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::NonNull;

/// What every MPI library defines and we do not.
const MARK: &CStr = c"PMPI_Init";

/// The MPI library that this program uses, as a handle of the dynamic linker.
pub(super) fn library() -> Option<*mut c_void> {
    match next(MARK) {
        Some(mark) => open_loaded(&file_of(mark)?),
        // Not in the program's scope: loaded privately, as Python does it.
        None => loaded_privately(),
    }
}

/// A symbol of one library and those it needs.
pub(super) fn symbol(library: *mut c_void, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: `library` is a handle from `dlopen`, and `name` a C string.
    NonNull::new(unsafe { libc::dlsym(library, name.as_ptr()) })
}

/// The definition of a symbol that comes after ours in the program's scope.
pub(super) fn next(name: &CStr) -> Option<NonNull<c_void>> {
    symbol(libc::RTLD_NEXT, name)
}

/// The definition of a symbol that the whole program sees.
pub(super) fn in_program(name: &CStr) -> Option<NonNull<c_void>> {
    symbol(libc::RTLD_DEFAULT, name)
}

/// The file of the object that an address lies in.
fn file_of(address: NonNull<c_void>) -> Option<CString> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a writable `Dl_info`.
    let found = unsafe { libc::dladdr(address.as_ptr(), &raw mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's name of a loaded object is a C string that lives as long as the object.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// A handle of an object that is loaded already.
fn open_loaded(file: &CStr) -> Option<*mut c_void> {
    // SAFETY: nothing is loaded, so no code runs.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    (!library.is_null()).then_some(library)
}

/// Looks through all loaded objects for an MPI library.
fn loaded_privately() -> Option<*mut c_void> {
    let mut files: Vec<CString> = Vec::new();
    // SAFETY: `collect` takes the pointer to `files` for what it is, and does not keep it.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut files).cast()) };
    files.iter().find_map(|file| open_loaded(file).filter(|library| defines_mark(*library, file)))
}

/// Whether the object itself, not one that it needs, defines the mark.
fn defines_mark(library: *mut c_void, file: &CStr) -> bool {
    symbol(library, MARK).and_then(file_of).is_some_and(|found| found.as_c_str() == file)
}

/// # Safety
///
/// `files` is a `*mut Vec<CString>`; `info` is what the dynamic linker passes.
unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, files: *mut c_void) -> c_int {
    // SAFETY: by the caller's promise.
    let name = unsafe { (*info).dlpi_name };
    // SAFETY: by the caller's promise; the name is a C string.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: by the caller's promise.
    let files = unsafe { &mut *files.cast::<Vec<CString>>() };
    let base = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if base.starts_with(b"libmpi") && !base.starts_with(b"libmpit") {
        files.push(name.to_owned());
    }
    0
}
