//! The search for the MPI library and its functions.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use mpit_sync::lock::Inside;

use crate::abi::Handle;
use crate::abi::identify::Symbols;

/// A function that every MPI library defines, and this crate does not.
const LIBRARY_SYMBOL: &CStr = c"PMPI_Init";

/// A function that every MPI library defines for programs.
const PROGRAM_SYMBOL: &CStr = c"MPI_Init";

/// A function that every implementation of the tools interface defines.
const MPI_T_SYMBOL: &CStr = c"PMPI_T_init_thread";

/// A loaded object, open.
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

    fn find_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `open_loaded` opened the object, and it is never closed.
        unsafe { symbol(self.handle, name) }
    }

    fn own_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.find_symbol(name).filter(|address| file_of(*address).as_deref() == Some(&self.file))
    }
}

/// The MPI library of this program. The functions of the profiling interface may be in an object of their own.
#[derive(Debug)]
pub(super) struct Library {
    profiling: Loaded,
    /// The object with the `MPI_` functions, if it is a different one.
    with_mpi_names: Option<Loaded>,
}

impl Library {
    pub(super) fn find() -> Option<Self> {
        let Some(address) = next(LIBRARY_SYMBOL) else {
            // Not in the program's scope: loaded with `RTLD_LOCAL`, as Python does.
            return Self::find_private();
        };
        let program = || next(PROGRAM_SYMBOL).and_then(Loaded::of_address);
        Some(Self::new(Loaded::of_address(address)?, program))
    }

    /// Completes a library by the object that `program` finds, if `profiling` has no `MPI_` functions.
    fn new(profiling: Loaded, program: impl FnOnce() -> Option<Loaded>) -> Self {
        let is_whole = profiling.own_symbol(PROGRAM_SYMBOL).is_some();
        Self { profiling, with_mpi_names: if is_whole { None } else { program() } }
    }

    /// Searches all loaded objects for an MPI library.
    fn find_private() -> Option<Self> {
        let addresses = collect_from_objects(|object| {
            let base = file_name(object.name);
            let is_library = base.starts_with(b"libmpi") || base.starts_with(b"libpmpi");
            if is_library && !base.starts_with(b"libmpit") { object.first_address() } else { None }
        });
        let files: Vec<CString> = addresses.into_iter().filter_map(name_of).collect();
        let first = |name: &CStr| {
            files
                .iter()
                .filter_map(|file| Loaded::open(file.clone()))
                .find(|file| file.own_symbol(name).is_some())
        };
        Some(Self::new(first(LIBRARY_SYMBOL)?, || first(PROGRAM_SYMBOL)))
    }

    /// Finds another implementation of MPI_T in this program, after the calling object in the search order.
    pub(super) fn find_other_tools_interface() -> Option<Self> {
        let profiling = Loaded::of_address(next(MPI_T_SYMBOL)?)?;
        Some(Self { profiling, with_mpi_names: None })
    }

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
///
/// # Safety
///
/// `library` is an open handle of `dlopen`, or a pseudo-handle.
pub(super) unsafe fn symbol(library: *mut c_void, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the handle is open or a pseudo-handle, and `name` is NUL-terminated.
    NonNull::new(unsafe { libc::dlsym(library, name.as_ptr()) })
}

/// A loaded object, as the dynamic linker describes it.
pub(crate) struct MappedObject<'a> {
    /// Empty for the executable.
    pub(crate) name: &'a CStr,
    pub(crate) base: usize,
    pub(crate) headers: &'a [ProgramHeader],
    /// The number of objects that were ever loaded; `None` from older dynamic linkers.
    pub(crate) loaded: Option<u64>,
    /// The number of objects that were ever unloaded; `None` from older dynamic linkers.
    pub(crate) unloaded: Option<u64>,
}

pub(crate) type ProgramHeader = libc::Elf64_Phdr;

impl MappedObject<'_> {
    /// Returns an address in the object.
    pub(crate) fn first_address(&self) -> Option<NonNull<c_void>> {
        let header = self.headers.iter().find(|header| header.p_type == libc::PT_LOAD)?;
        NonNull::new(std::ptr::with_exposed_provenance_mut(self.base.wrapping_add(header.p_vaddr as usize)))
    }

    /// Returns the segments with notes that are mapped for reading, each with its alignment. The caller holds the dynamic linker's lock.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (&[u8], usize)> {
        let is_mapped = |note: &ProgramHeader| {
            self.headers.iter().any(|header| {
                header.p_type == libc::PT_LOAD
                    && header.p_flags & libc::PF_R != 0
                    && note.p_vaddr >= header.p_vaddr
                    && note.p_vaddr + note.p_filesz <= header.p_vaddr + header.p_filesz
            })
        };
        let notes = self.headers.iter().filter(move |note| note.p_type == libc::PT_NOTE && is_mapped(note));
        notes.map(|note| {
            let start = std::ptr::with_exposed_provenance(self.base.wrapping_add(note.p_vaddr as usize));
            // SAFETY: the segment is inside of one that the dynamic linker has mapped for reading, and the object stays loaded while
            // the dynamic linker's lock is held.
            let bytes = unsafe { std::slice::from_raw_parts(start, note.p_filesz as usize) };
            (bytes, note.p_align as usize)
        })
    }

    pub(crate) fn contains(&self, address: usize) -> bool {
        self.headers.iter().any(|header| {
            let offset = address.wrapping_sub(self.base).wrapping_sub(header.p_vaddr as usize);
            header.p_type == libc::PT_LOAD && offset < header.p_memsz as usize
        })
    }
}

/// Returns the content of a note with an owner and a type among notes of an ELF file, each of which begins at a multiple of `align`.
pub(crate) fn note_in<'a>(mut notes: &'a [u8], align: usize, owner: &[u8], kind: u32) -> Option<&'a [u8]> {
    /// The lengths of owner and content, and the type.
    const HEADER: usize = 12;
    loop {
        let number = |at: usize| Some(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?));
        let (owner_len, len, found) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let begin = HEADER.checked_add(owner_len)?.checked_next_multiple_of(align)?;
        let end = begin.checked_add(len)?;
        let content = notes.get(begin..end)?;
        if found == kind && notes.get(HEADER..HEADER + owner_len) == Some(owner) {
            return Some(content);
        }
        notes = notes.get(end.checked_next_multiple_of(align)?..)?;
    }
}

/// A name of an object, with space for any that the system accepts.
pub(crate) struct NameBuffer {
    bytes: [u8; Self::SIZE],
    len: usize,
}

impl NameBuffer {
    const SIZE: usize = libc::PATH_MAX as usize;

    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::SIZE], len: 0 }
    }

    pub(crate) fn set(&mut self, name: &CStr) {
        let name = name.to_bytes();
        self.len = name.len().min(self.bytes.len());
        self.bytes[..self.len].copy_from_slice(&name[..self.len]);
    }

    pub(crate) fn to_name(&self) -> CString {
        CString::new(&self.bytes[..self.len]).unwrap_or_default()
    }
}

/// Returns what `pick` returns for the loaded objects, in load order. `pick` allocates nothing.
pub(crate) fn collect_from_objects<T>(mut pick: impl FnMut(&MappedObject<'_>) -> Option<T>) -> Vec<T> {
    let mut picked = Vec::with_capacity(16);
    loop {
        let mut is_full = false;
        each_object(|object| {
            if let Some(item) = pick(object) {
                is_full = picked.len() == picked.capacity();
                if !is_full {
                    picked.push(item);
                }
            }
            is_full
        });
        if !is_full {
            return picked;
        }
        picked.clear();
        picked.reserve(2 * picked.capacity());
    }
}

/// Calls a function for each loaded object in load order, until it returns true. Returns true if it has done so. Delays forks meanwhile: in
/// the child, the dynamic linker's lock would stay locked. The function must not allocate: the lock of an allocator that searches
/// objects itself, for stack traces, may be held by a thread that waits for the dynamic linker.
pub(crate) fn each_object<F: FnMut(&MappedObject<'_>) -> bool>(mut is_last: F) -> bool {
    let _inside = Inside::enter();
    // SAFETY: `visit` of this type expects a pointer to an `F`, and does not keep it.
    unsafe { libc::dl_iterate_phdr(Some(visit::<F>), (&raw mut is_last).cast()) != 0 }
}

/// Calls the function of [`each_object`].
///
/// # Safety
///
/// `is_last` is an `*mut F` that is not used elsewhere; `info` comes from the dynamic linker.
unsafe extern "C" fn visit<F: FnMut(&MappedObject<'_>) -> bool>(
    info: *mut libc::dl_phdr_info,
    size: usize,
    is_last: *mut c_void,
) -> c_int {
    // SAFETY: `each_object` passes its function, and does not use it during the call.
    let is_last = unsafe { &mut *is_last.cast::<F>() };
    // SAFETY: the dynamic linker passes a description that is valid during this call.
    let info = unsafe { &*info };
    // SAFETY: the dynamic linker's name of an object is NUL-terminated and valid during this call.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    // SAFETY: `dlpi_phdr` has `dlpi_phnum` program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let has_counts = size >= size_of::<libc::dl_phdr_info>();
    let (loaded, unloaded) =
        if has_counts { (Some(info.dlpi_adds), Some(info.dlpi_subs)) } else { (None, None) };
    is_last(&MappedObject { name, base: info.dlpi_addr as usize, headers, loaded, unloaded }).into()
}

/// Returns the definition of a symbol that follows ours in the program's scope.
pub fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: `RTLD_NEXT` is a pseudo-handle, which is valid at any time.
    unsafe { symbol(libc::RTLD_NEXT, name) }
}

/// Returns the definition of a symbol in the program's global scope.
pub fn in_program(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: `RTLD_DEFAULT` is a pseudo-handle, which is valid at any time.
    unsafe { symbol(libc::RTLD_DEFAULT, name) }
}

/// Returns the first definition of a symbol in the program's global scope. Unlike [`in_program`], it is never in an object
/// that was loaded privately.
pub(crate) fn in_scope_of_program(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: null stands for the program, which is loaded, so no code runs.
    let program = unsafe { libc::dlopen(std::ptr::null(), libc::RTLD_LAZY) };
    if program.is_null() {
        return None;
    }
    // SAFETY: the handle is open, and it is never closed, which has no effect on the program.
    unsafe { symbol(program, name) }
}

/// Returns the dynamic linker's name of the object that contains an address; empty for the executable.
pub(crate) fn name_of(address: NonNull<c_void>) -> Option<CString> {
    let (mut name, mut is_found) = (NameBuffer::new(), false);
    each_object(|object| {
        is_found = object.contains(address.addr().get());
        if is_found {
            name.set(object.name);
        }
        is_found
    });
    if is_found { Some(name.to_name()) } else { None }
}

/// Calls a function for the object that contains an address, in any namespace of the dynamic linker. [`each_object`] knows only that of
/// this library.
pub(crate) fn object_of_any_namespace(address: usize, mut visit: impl FnMut(&MappedObject<'_>) -> bool) {
    let _inside = Inside::enter();
    let Some(info) = describe_address(std::ptr::with_exposed_provenance(address)) else { return };
    let header = info.dli_fbase.cast::<libc::Elf64_Ehdr>();
    // SAFETY: an object that the dynamic linker describes begins with the header of its file, and stays loaded while its code calls.
    let is_header = unsafe { header.cast::<[u8; 4]>().read() } == *b"\x7fELF";
    if !is_header {
        return;
    }
    // SAFETY: the object begins with such a header.
    let header = unsafe { &*header };
    let headers = info.dli_fbase.wrapping_byte_add(header.e_phoff as usize).cast::<ProgramHeader>();
    // SAFETY: linkers put the program headers behind the header of the file, into the segment that begins with it.
    let headers = unsafe { std::slice::from_raw_parts(headers, usize::from(header.e_phnum)) };
    let Some(first) = headers.iter().find(|header| header.p_type == libc::PT_LOAD) else { return };
    let base = info.dli_fbase.addr().wrapping_sub((first.p_vaddr - first.p_offset) as usize);
    // SAFETY: the dynamic linker keeps the NUL-terminated name of an object until it unloads the object.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    visit(&MappedObject { name, base, headers, loaded: None, unloaded: None });
}

/// Returns the dynamic linker's description of an address in an object, with a name and a start.
fn describe_address(address: *const c_void) -> Option<libc::Dl_info> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: null_mut(),
    };
    // SAFETY: `info` is a local variable.
    let found = unsafe { libc::dladdr(address, &raw mut info) } != 0;
    if found && !info.dli_fname.is_null() && !info.dli_fbase.is_null() { Some(info) } else { None }
}

/// Returns the file of the object that contains an address.
fn file_of(address: NonNull<c_void>) -> Option<CString> {
    let name = name_of(address)?;
    // Only `dladdr` knows the name of the executable. It also compares the address with all symbols of the object.
    if name.is_empty() { file_of_executable(address) } else { Some(name) }
}

fn file_of_executable(address: NonNull<c_void>) -> Option<CString> {
    let info = describe_address(address.as_ptr())?;
    // SAFETY: the dynamic linker keeps the NUL-terminated name of an object until it unloads the object.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// Returns true if a loaded object itself defines a symbol.
pub fn defines(file: &CStr, name: &CStr) -> bool {
    Loaded::open(file.to_owned()).is_some_and(|loaded| loaded.own_symbol(name).is_some())
}

/// Keeps the object that contains an address loaded until the process ends.
pub fn keep_loaded(address: *const c_void) {
    let Some(file) = NonNull::new(address.cast_mut()).and_then(file_of) else { return };
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs. The handle is never closed.
    unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY | libc::RTLD_NODELETE) };
}

/// Returns the number of times that objects were loaded or unloaded, in all namespaces of the dynamic linker; `None` from older ones.
pub fn changes_of_objects() -> Option<u64> {
    let mut changes = None;
    each_object(|object| {
        changes = object.loaded.zip(object.unloaded).map(|(loaded, unloaded)| loaded + unloaded);
        true
    });
    changes
}

/// Closes a handle of `dlopen` by the definition of `dlclose` that follows ours in the program's scope.
///
/// # Safety
///
/// The rules of `dlclose`.
pub unsafe fn close(library: *mut c_void) -> c_int {
    static DLCLOSE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    let mut function = DLCLOSE.load(Relaxed);
    if function.is_null() {
        let Some(found) = next(c"dlclose") else { return -1 };
        function = found.as_ptr();
        DLCLOSE.store(function, Relaxed);
    }
    // SAFETY: the C library defines this name with these parameters, and so do objects that replace it.
    let function = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut c_void) -> c_int>(function)
    };
    // SAFETY: the caller follows the rules of the function.
    unsafe { function(library) }
}

/// Returns a handle of an object that is already loaded.
fn open_loaded(file: &CStr) -> Option<*mut c_void> {
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if library.is_null() { None } else { Some(library) }
}

/// Returns the last component of a path.
pub(super) fn file_name(path: &CStr) -> &[u8] {
    path.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}
