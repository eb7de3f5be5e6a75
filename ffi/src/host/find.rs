//! The search for the MPI library and its functions.

use mpit::internal::lock::Inside;
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::NonNull;

use crate::abi::Handle;
use crate::abi::identify::Symbols;

/// A function that every MPI library defines, and this crate does not.
const LIBRARY_SYMBOL: &CStr = c"PMPI_Init";

/// A function that every MPI library defines for programs.
const PROGRAM_SYMBOL: &CStr = c"MPI_Init";

/// A function that every implementation of the tools interface defines.
const MPI_T_SYMBOL: &CStr = c"PMPI_T_init_thread";

/// A loaded object.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The handle of `dlopen`.
    handle: *mut c_void,
    /// The dynamic linker's name of the object.
    file: CString,
}

// SAFETY: handles of `dlopen` may be used from any thread.
unsafe impl Send for Loaded {}
// SAFETY: handles of `dlopen` may be used from any thread.
unsafe impl Sync for Loaded {}

impl Loaded {
    fn open(file: CString) -> Option<Self> {
        Some(Self { handle: open_loaded(&file)?, file })
    }

    fn of_address(address: NonNull<c_void>) -> Option<Self> {
        Self::open(file_of(address)?)
    }

    /// Returns a symbol of this object or of one that it needs.
    fn find_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        symbol(self.handle, name)
    }

    /// Returns a symbol that this object itself defines.
    fn own_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.find_symbol(name).filter(|address| file_of(*address).as_deref() == Some(&self.file))
    }
}

/// The MPI library of this program. The functions of the profiling interface may be in an object of their
/// own.
#[derive(Debug)]
pub(super) struct Library {
    profiling: Loaded,
    /// The object with the `MPI_` functions, if it is a different one.
    with_mpi_names: Option<Loaded>,
}

impl Library {
    /// Finds the library that this program uses.
    pub(super) fn find() -> Option<Self> {
        let Some(address) = next(LIBRARY_SYMBOL) else {
            // Not in the program's scope: loaded with `RTLD_LOCAL`, as Python does.
            return Self::find_private();
        };
        let profiling = Loaded::of_address(address)?;
        let with_mpi_names = match profiling.own_symbol(PROGRAM_SYMBOL) {
            Some(_) => None,
            None => next(PROGRAM_SYMBOL).and_then(Loaded::of_address),
        };
        Some(Self { profiling, with_mpi_names })
    }

    /// Searches all loaded objects for an MPI library.
    fn find_private() -> Option<Self> {
        let mut files: Vec<CString> = Vec::new();
        // SAFETY: `collect` expects a pointer to a `Vec<CString>`, and does not keep it.
        unsafe { each_object(collect, (&raw mut files).cast()) };
        let first = |name: &CStr| {
            files
                .iter()
                .filter_map(|file| Loaded::open(file.clone()))
                .find(|file| file.own_symbol(name).is_some())
        };
        let profiling = first(LIBRARY_SYMBOL)?;
        let with_mpi_names =
            if profiling.own_symbol(PROGRAM_SYMBOL).is_some() { None } else { first(PROGRAM_SYMBOL) };
        Some(Self { profiling, with_mpi_names })
    }

    /// Finds another implementation of MPI_T in this program, after the calling object in the search order.
    pub(super) fn find_other_tools_interface() -> Option<Self> {
        let profiling = Loaded::of_address(next(MPI_T_SYMBOL)?)?;
        Some(Self { profiling, with_mpi_names: None })
    }

    /// Returns the file name for messages.
    pub(super) fn file(&self) -> Cow<'_, str> {
        self.with_mpi_names.as_ref().unwrap_or(&self.profiling).file.to_string_lossy()
    }
}

impl Symbols for Library {
    fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.profiling.find_symbol(name)
    }

    fn defines(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.profiling.own_symbol(name).or_else(|| self.with_mpi_names.as_ref()?.own_symbol(name))
    }

    /// The global scope comes first: executables have copies of a library's variables (copy relocations), which
    /// the library itself uses, too.
    fn variable(&self, name: &str) -> Option<Handle> {
        let name = CString::new(name).ok()?;
        let address = in_program(&name).or_else(|| self.symbol(&name))?;
        Some(address.as_ptr() as usize)
    }
}

/// Returns a symbol of a library or of an object that it needs.
pub(super) fn symbol(library: *mut c_void, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: `library` is a handle of `dlopen` or a pseudo-handle, and `name` is NUL-terminated.
    NonNull::new(unsafe { libc::dlsym(library, name.as_ptr()) })
}

/// Calls a function for each loaded object, until it returns a value other than 0. Delays forks meanwhile: in
/// the child, the dynamic linker's lock would stay locked.
///
/// # Safety
///
/// `callback` expects `data`, and keeps no pointer that it receives.
pub(crate) unsafe fn each_object(
    callback: unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int,
    data: *mut c_void,
) {
    let _unforked = Inside::enter();
    // SAFETY: `callback` keeps no pointer and expects `data`, the condition of this function, so both are valid during
    // the call.
    unsafe { libc::dl_iterate_phdr(Some(callback), data) };
}

/// Returns the definition of a symbol that follows ours in the program's scope.
#[must_use]
pub fn next(name: &CStr) -> Option<NonNull<c_void>> {
    symbol(libc::RTLD_NEXT, name)
}

/// Returns the definition of a symbol in the program's global scope.
pub(crate) fn in_program(name: &CStr) -> Option<NonNull<c_void>> {
    symbol(libc::RTLD_DEFAULT, name)
}

/// Returns the file of the object that contains an address.
fn file_of(address: NonNull<c_void>) -> Option<CString> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a local variable.
    let found = unsafe { libc::dladdr(address.as_ptr(), &raw mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker keeps the NUL-terminated name of an object until it unloads the object.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// Returns true if a loaded object itself defines a symbol.
#[must_use]
pub fn defines(file: &CStr, name: &CStr) -> bool {
    Loaded::open(file.to_owned()).is_some_and(|loaded| loaded.own_symbol(name).is_some())
}

/// Keeps the object that contains an address loaded until the process ends.
pub fn keep_loaded(address: *const c_void) {
    let Some(file) = NonNull::new(address.cast_mut()).and_then(file_of) else { return };
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs. The handle is never closed.
    unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY | libc::RTLD_NODELETE) };
}

/// Returns a handle of an object that is already loaded.
fn open_loaded(file: &CStr) -> Option<*mut c_void> {
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if library.is_null() { None } else { Some(library) }
}

/// Appends the name of an object to the list if it may be an MPI library.
///
/// # Safety
///
/// `files` is a `*mut Vec<CString>` that is not used elsewhere; `info` comes from the dynamic linker.
unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, files: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description that is valid during this call.
    let name = unsafe { (*info).dlpi_name };
    // SAFETY: the dynamic linker's name of an object is NUL-terminated and valid during this call.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: `find_private` passes its vector, and does not use it during the call.
    let files = unsafe { &mut *files.cast::<Vec<CString>>() };
    let base = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_library = base.starts_with(b"libmpi") || base.starts_with(b"libpmpi");
    if is_library && !base.starts_with(b"libmpit") {
        files.push(name.to_owned());
    }
    0
}
