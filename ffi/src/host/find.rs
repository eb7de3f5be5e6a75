//! Finding the MPI library and its functions.

use mpit::lock::Inside;
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int, c_void};

use std::ptr::NonNull;

/// What every MPI library defines and we do not.
const MARK: &CStr = c"PMPI_Init";

/// A function that every MPI library defines for programs.
const ENTRY: &CStr = c"MPI_Init";

/// A function that every implementation of the tools interface defines.
const TOOLS: &CStr = c"PMPI_T_init_thread";

/// A loaded object.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The dynamic linker's handle.
    handle: *mut c_void,
    /// The dynamic linker's name of it.
    file: CString,
}

// SAFETY: the dynamic linker's handles may be used from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    fn open(file: CString) -> Option<Self> {
        Some(Self { handle: open_loaded(&file)?, file })
    }

    fn of_address(address: NonNull<c_void>) -> Option<Self> {
        Self::open(file_of(address)?)
    }

    /// A symbol of this object or one that it needs.
    fn reach(&self, name: &CStr) -> Option<NonNull<c_void>> {
        symbol(self.handle, name)
    }

    /// A symbol of this object itself.
    fn define(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.reach(name).filter(|address| file_of(*address).as_deref() == Some(&self.file))
    }
}

/// The MPI library that this program uses. The functions of the profiling interface may lie in an object of their own.
#[derive(Debug)]
pub(super) struct Library {
    profiling: Loaded,
    /// The object with the program's `MPI_` functions, if it is another one.
    beside: Option<Loaded>,
}

impl Library {
    /// The library that this program uses.
    pub(super) fn find() -> Option<Self> {
        let Some(mark) = next(MARK) else {
            // Not in the program's scope: loaded privately, as Python does it.
            return Self::find_private();
        };
        let profiling = Loaded::of_address(mark)?;
        let beside = match profiling.define(ENTRY) {
            Some(_) => None,
            None => next(ENTRY).and_then(Loaded::of_address),
        };
        Some(Self { profiling, beside })
    }

    /// Looks through all loaded objects for an MPI library.
    fn find_private() -> Option<Self> {
        let mut files: Vec<CString> = Vec::new();
        // SAFETY: `collect` takes the pointer to `files` for what it is, and does not keep it.
        unsafe { each_object(collect, (&raw mut files).cast()) };
        let first = |name: &CStr| {
            files
                .iter()
                .filter_map(|file| Loaded::open(file.clone()))
                .find(|file| file.define(name).is_some())
        };
        let profiling = first(MARK)?;
        let beside = if profiling.define(ENTRY).is_some() { None } else { first(ENTRY) };
        Some(Self { profiling, beside })
    }

    /// Another implementation of the tools interface that this program has, behind the object that asks.
    pub(super) fn find_other_tools_interface() -> Option<Self> {
        let profiling = Loaded::of_address(next(TOOLS)?)?;
        Some(Self { profiling, beside: None })
    }

    /// A symbol of the library or of what it needs.
    pub(super) fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.profiling.reach(name)
    }

    /// A symbol of the library itself, not of what it needs.
    pub(super) fn defines(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.profiling.define(name).or_else(|| self.beside.as_ref()?.define(name))
    }

    /// The file, for messages.
    pub(super) fn file(&self) -> Cow<'_, str> {
        self.beside.as_ref().unwrap_or(&self.profiling).file.to_string_lossy()
    }
}

/// A symbol of one library and those it needs.
pub(super) fn symbol(library: *mut c_void, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: `library` is a handle from `dlopen`, and `name` a C string.
    NonNull::new(unsafe { libc::dlsym(library, name.as_ptr()) })
}

/// Calls a function for each object of the process, until it returns another value than 0. No thread forks meanwhile: the
/// dynamic linker's lock would stay locked in the child.
///
/// # Safety
///
/// `callback` takes `data` for what it is, and keeps nothing of what it is shown.
pub(crate) unsafe fn each_object(
    callback: unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int,
    data: *mut c_void,
) {
    let _unforked = Inside::enter();
    // SAFETY: by the caller's promise.
    unsafe { libc::dl_iterate_phdr(Some(callback), data) };
}

/// The definition of a symbol that comes after ours in the program's scope.
#[must_use]
pub fn next(name: &CStr) -> Option<NonNull<c_void>> {
    symbol(libc::RTLD_NEXT, name)
}

/// The definition of a symbol that the whole program sees.
pub(crate) fn in_program(name: &CStr) -> Option<NonNull<c_void>> {
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

/// Returns true if a loaded object itself defines a symbol.
#[must_use]
pub fn defines(file: &CStr, name: &CStr) -> bool {
    Loaded::open(file.to_owned()).is_some_and(|loaded| loaded.define(name).is_some())
}

/// Has the object that an address lies in stay loaded until the process ends.
pub fn keep_loaded(address: *const c_void) {
    let Some(file) = NonNull::new(address.cast_mut()).and_then(file_of) else { return };
    // SAFETY: nothing is loaded, so no code runs. The handle is never closed.
    unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY | libc::RTLD_NODELETE) };
}

/// A handle of an object that is loaded already.
fn open_loaded(file: &CStr) -> Option<*mut c_void> {
    // SAFETY: nothing is loaded, so no code runs.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    (!library.is_null()).then_some(library)
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
    let is_library = base.starts_with(b"libmpi") || base.starts_with(b"libpmpi");
    if is_library && !base.starts_with(b"libmpit") {
        files.push(name.to_owned());
    }
    0
}
