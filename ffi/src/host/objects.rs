//! Loaded objects: which one an address lies in, what it defines and what it imports.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ops::Range;
use std::ptr::{NonNull, null_mut};

use super::find;

/// A loaded object: the executable or a shared library.
#[derive(Debug)]
pub struct Object {
    /// The addresses of its segments, with the gaps between them.
    pub range: Range<usize>,
    /// The name by which the dynamic linker knows it; empty for the executable.
    name: CString,
    base: usize,
    dynamic: *const Dynamic,
    /// The position in the order of loading.
    position: usize,
    /// The number of objects that were loaded before the dynamic linker got its place, all of them at the start of the
    /// program.
    initial: usize,
}

/// A question to the dynamic linker: the object that holds an address.
struct Search {
    address: usize,
    linker: usize,
    position: usize,
    initial: Option<usize>,
    found: Option<Object>,
}

impl Object {
    /// The object that an address lies in.
    #[must_use]
    pub fn containing(address: usize) -> Option<Self> {
        // SAFETY: the auxiliary vector always exists; 0 stands for an absent entry.
        let linker = unsafe { libc::getauxval(libc::AT_BASE) } as usize;
        let mut search = Search { address, linker, position: 0, initial: None, found: None };
        // SAFETY: `compare` takes the pointer for a `Search`, and does not keep it.
        unsafe { find::each_object(compare, (&raw mut search).cast()) };
        let initial = search.initial.unwrap_or_default();
        search.found.map(|object| Self { initial, ..object })
    }

    /// Returns true for the executable.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        self.position == 0
    }

    /// Returns true if it comes later than another one in the order of loading, which for the objects that a program starts with is
    /// the order in which symbols are looked up.
    #[must_use]
    pub fn is_after(&self, other: &Self) -> bool {
        self.position > other.position
    }

    /// Returns true if it certainly stays until the process ends: the dynamic linker loaded it at the start.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        self.position < self.initial
    }

    /// The last component of its path.
    #[must_use]
    pub fn file_name(&self) -> &[u8] {
        self.name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// The definition of a symbol that it finds in itself or in the objects that it depends on.
    #[must_use]
    pub fn sees(&self, name: &CStr) -> Option<*mut c_void> {
        let flags = libc::RTLD_NOLOAD | libc::RTLD_LAZY;
        let file = if self.is_executable() { std::ptr::null() } else { self.name.as_ptr() };
        // SAFETY: nothing is loaded, so no code runs.
        let handle = NonNull::new(unsafe { libc::dlopen(file, flags) })?;
        let found = find::symbol(handle.as_ptr(), name);
        // SAFETY: the handle is from `dlopen`; the object stays, since its code or its symbols are in use.
        unsafe { libc::dlclose(handle.as_ptr()) };
        found.map(NonNull::as_ptr)
    }

    /// Returns true if it defines a symbol itself.
    #[must_use]
    pub fn defines(&self, name: &CStr) -> bool {
        self.sees(name).is_some_and(|address| self.range.contains(&address.addr()))
    }

    /// Returns true if a symbol that it takes from other objects has a name with one of these beginnings.
    #[must_use]
    pub fn imports(&self, beginnings: &[&[u8]]) -> bool {
        self.imported().any(|name| beginnings.iter().any(|start| name.starts_with(start)))
    }

    /// The names of the symbols that it takes from other objects.
    fn imported(&self) -> impl Iterator<Item = &'static [u8]> {
        let table = self.entry(tags::SYMTAB).unwrap_or_default();
        let strings = self.entry(tags::STRTAB).unwrap_or_default();
        let count = if table == 0 || strings == 0 { 0 } else { self.imported_count() };
        (1..count).filter_map(move |index| {
            let symbol = std::ptr::with_exposed_provenance::<Symbol>(table).wrapping_add(index);
            // SAFETY: the dynamic symbol table has at least so many entries, by the object's own hash table.
            let symbol = unsafe { symbol.read_unaligned() };
            let name = strings + symbol.name as usize;
            // SAFETY: an entry's name is a C string in the object's string table, which is mapped while the object is.
            let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(name)) };
            (symbol.section == 0).then_some(name.to_bytes())
        })
    }

    /// The number of entries at the beginning of the symbol table among which are all imported ones.
    fn imported_count(&self) -> usize {
        // GNU's hash table has only definitions, and says at which entry they begin; the older one has all.
        let (table, word) = match (self.entry(tags::GNU_HASH), self.entry(tags::HASH)) {
            (Some(table), _) | (None, Some(table)) => (table, 1),
            (None, None) => return 0,
        };
        let word = std::ptr::with_exposed_provenance::<u32>(table).wrapping_add(word);
        // SAFETY: both tables begin with more than two words.
        unsafe { word.read_unaligned() as usize }
    }

    /// The address that an entry of the dynamic section holds.
    fn entry(&self, tag: i64) -> Option<usize> {
        let mut entry = self.dynamic;
        if entry.is_null() {
            return None;
        }
        loop {
            // SAFETY: a dynamic section ends with an entry whose tag is 0, behind which the loop does not go.
            let found = unsafe { entry.read_unaligned() };
            if found.tag == 0 {
                return None;
            }
            if found.tag == tag {
                let value = found.value as usize;
                // The dynamic linker of glibc relocates the addresses of most objects where they are.
                return Some(if value < self.base { value + self.base } else { value });
            }
            entry = entry.wrapping_add(1);
        }
    }
}

/// An entry of a dynamic section, as ELF has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// An entry of a symbol table, as ELF has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    /// 0 for what another object defines.
    section: u16,
    value: u64,
    size: u64,
}

/// The tags of a dynamic section.
mod tags {
    pub(super) const HASH: i64 = 4;
    pub(super) const STRTAB: i64 = 5;
    pub(super) const SYMTAB: i64 = 6;
    pub(super) const GNU_HASH: i64 = 0x6fff_fef5;
}

/// # Safety
///
/// `search` is a `*mut Search`; `info` is what the dynamic linker passes.
unsafe extern "C" fn compare(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: by the contract of this function, nothing else refers to the search while objects are listed.
    let search = unsafe { &mut *search.cast::<Search>() };
    // SAFETY: the dynamic linker passes a description that is valid during this call.
    let info = unsafe { &*info };
    let position = search.position;
    search.position += 1;
    let base = info.dlpi_addr as usize;
    if base == search.linker {
        search.initial = Some(position);
    }
    let mut range = Range { start: usize::MAX, end: 0 };
    let mut dynamic = null_mut();
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: an object has so many program headers.
        let header = unsafe { info.dlpi_phdr.wrapping_add(index).read() };
        let start = base.wrapping_add(header.p_vaddr as usize);
        match header.p_type {
            libc::PT_LOAD => {
                range.start = range.start.min(start);
                range.end = range.end.max(start + header.p_memsz as usize);
            }
            libc::PT_DYNAMIC => dynamic = std::ptr::with_exposed_provenance_mut(start),
            _ => {}
        }
    }
    if search.found.is_none() && range.contains(&search.address) {
        // SAFETY: an object's name is a C string, valid during this call.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_owned();
        search.found = Some(Object { range, name, base, dynamic, position, initial: 0 });
    }
    0
}

/// Looks for the definition of a symbol in the objects that are loaded, in their order, one after the other. `is_wanted`
/// says which definitions count.
#[must_use]
pub fn first_definition(name: &CStr, is_wanted: impl Fn(&Object) -> bool) -> Option<*mut c_void> {
    let mut bases: Vec<usize> = Vec::new();
    // SAFETY: `collect` takes the pointer for a vector of addresses, and does not keep it.
    unsafe { find::each_object(collect, (&raw mut bases).cast()) };
    bases
        .into_iter()
        .filter_map(Object::containing)
        .filter(is_wanted)
        .find_map(|object| object.sees(name).filter(|address| object.range.contains(&address.addr())))
}

/// # Safety
///
/// `addresses` is a `*mut Vec<usize>`; `info` is what the dynamic linker passes.
unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, addresses: *mut c_void) -> c_int {
    // SAFETY: by the contract of this function, nothing else refers to the list while objects are listed.
    let addresses = unsafe { &mut *addresses.cast::<Vec<usize>>() };
    // SAFETY: the dynamic linker passes a description that is valid during this call.
    let info = unsafe { &*info };
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: an object has so many program headers.
        let header = unsafe { info.dlpi_phdr.wrapping_add(index).read() };
        if header.p_type == libc::PT_LOAD {
            addresses.push((info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize));
            break;
        }
    }
    0
}
