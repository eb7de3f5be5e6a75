//! Loaded objects: their addresses, definitions and imports.

use std::ffi::{CStr, CString, c_void};
use std::ops::Range;
use std::ptr::{NonNull, null};

use super::find::{self, NameBuffer};

/// A loaded object: the executable or a shared library.
#[derive(Debug)]
pub struct Object {
    /// The address range of its segments, including gaps.
    pub range: Range<usize>,
    /// The dynamic linker's name; empty for the executable.
    name: CString,
    base: usize,
    dynamic: *const Dynamic,
    /// The position in load order.
    position: usize,
    /// The number of objects before the dynamic linker in load order; all of them were loaded at program start.
    initial: usize,
}

impl Object {
    /// Returns the object that contains an address.
    pub fn containing(address: usize) -> Option<Self> {
        // SAFETY: `getauxval` has no preconditions; it returns 0 for an absent entry.
        let linker = unsafe { libc::getauxval(libc::AT_BASE) } as usize;
        let (mut found, mut initial, mut position) = (None, 0, 0);
        let mut name = NameBuffer::new();
        find::each_object(|object| {
            if object.base == linker {
                initial = position;
            }
            let mut range = Range { start: usize::MAX, end: 0 };
            let mut dynamic = null();
            for header in object.headers {
                let start = object.base.wrapping_add(header.p_vaddr as usize);
                match header.p_type {
                    libc::PT_LOAD => {
                        range.start = range.start.min(start);
                        range.end = range.end.max(start + header.p_memsz as usize);
                    }
                    libc::PT_DYNAMIC => dynamic = std::ptr::with_exposed_provenance(start),
                    _ => {}
                }
            }
            if found.is_none() && range.contains(&address) {
                name.set(object.name);
                found = Some((range, object.base, dynamic, position));
            }
            position += 1;
            false
        });
        let (range, base, dynamic, position) = found?;
        Some(Self { range, name: name.to_name(), base, dynamic, position, initial })
    }

    /// Returns true for the executable.
    pub fn is_executable(&self) -> bool {
        self.position == 0
    }

    /// Returns true if it follows another object in load order, which is the symbol search order for the
    /// objects loaded at program start.
    pub fn is_after(&self, other: &Self) -> bool {
        self.position > other.position
    }

    /// Returns true if it is certain never to be unloaded, because it was loaded at program start.
    pub fn is_permanent(&self) -> bool {
        self.position < self.initial
    }

    /// Returns the last component of its path.
    pub fn file_name(&self) -> &[u8] {
        find::file_name(&self.name)
    }

    /// Returns the definition of a symbol in this object or in its dependencies.
    pub fn sees(&self, name: &CStr) -> Option<*mut c_void> {
        let flags = libc::RTLD_NOLOAD | libc::RTLD_LAZY;
        let file = if self.is_executable() { null() } else { self.name.as_ptr() };
        // SAFETY: `RTLD_NOLOAD` loads nothing, so no code runs.
        let handle = NonNull::new(unsafe { libc::dlopen(file, flags) })?;
        // SAFETY: the handle is open.
        let found = unsafe { find::symbol(handle.as_ptr(), name) };
        // SAFETY: the handle came from `dlopen`; the object stays loaded, because the process still uses its code.
        unsafe { find::close(handle.as_ptr()) };
        found.map(NonNull::as_ptr)
    }

    /// Returns true if the object itself defines a symbol.
    pub fn defines(&self, name: &CStr) -> bool {
        self.sees(name).is_some_and(|address| self.range.contains(&address.addr()))
    }

    /// Returns true if the object imports a symbol whose name has one of these prefixes.
    pub fn imports(&self, beginnings: &[&[u8]]) -> bool {
        self.imported().any(|name| beginnings.iter().any(|start| name.starts_with(start)))
    }

    fn imported(&self) -> impl Iterator<Item = &'static [u8]> {
        let table = self.entry(tags::SYMTAB).unwrap_or_default();
        let strings = self.entry(tags::STRTAB).unwrap_or_default();
        let count = if table == 0 || strings == 0 { 0 } else { self.imported_count() };
        (1..count).filter_map(move |index| {
            let symbol = std::ptr::with_exposed_provenance::<libc::Elf64_Sym>(table).wrapping_add(index);
            // SAFETY: by the object's hash table, the dynamic symbol table has at least `count` entries, and
            // it is mapped with the object.
            let symbol = unsafe { symbol.read_unaligned() };
            let name = strings + symbol.st_name as usize;
            // SAFETY: a symbol's name is NUL-terminated in the object's string table, which is mapped with the object.
            let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(name)) };
            // An imported symbol has no section.
            if symbol.st_shndx == 0 { Some(name.to_bytes()) } else { None }
        })
    }

    /// Returns the length of the part of the symbol table that contains all imported symbols.
    fn imported_count(&self) -> usize {
        // GNU's hash table covers definitions only and stores the index of the first one; the older table
        // stores the number of all symbols.
        let (table, word) = match (self.entry(tags::GNU_HASH), self.entry(tags::HASH)) {
            (Some(table), _) | (None, Some(table)) => (table, 1),
            (None, None) => return 0,
        };
        let word = std::ptr::with_exposed_provenance::<u32>(table).wrapping_add(word);
        // SAFETY: both kinds of tables begin with more than two 32-bit numbers.
        unsafe { word.read_unaligned() as usize }
    }

    /// Returns the address in an entry of the dynamic section.
    fn entry(&self, tag: i64) -> Option<usize> {
        let mut entry = self.dynamic;
        if entry.is_null() {
            return None;
        }
        loop {
            // SAFETY: a dynamic section ends with an entry whose tag is 0, and the loop stops there.
            let found = unsafe { entry.read_unaligned() };
            if found.tag == 0 {
                return None;
            }
            if found.tag == tag {
                let value = found.value as usize;
                // glibc relocates these addresses in place, for most objects.
                return Some(if value < self.base { value + self.base } else { value });
            }
            entry = entry.wrapping_add(1);
        }
    }
}

/// An entry of a dynamic section, in the layout of ELF.
#[derive(Clone, Copy)]
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

mod tags {
    pub(super) const HASH: i64 = 4;
    pub(super) const STRTAB: i64 = 5;
    pub(super) const SYMTAB: i64 = 6;
    pub(super) const GNU_HASH: i64 = 0x6fff_fef5;
}

/// Returns the first definition of a symbol in load order, among the objects that `is_wanted` accepts.
pub fn first_definition(name: &CStr, is_wanted: impl Fn(&Object) -> bool) -> Option<*mut c_void> {
    let address_of = |object: &find::MappedObject<'_>| object.first_address();
    find::collect_from_objects(address_of)
        .into_iter()
        .filter_map(|address| Object::containing(address.addr().get()))
        .filter(is_wanted)
        .find_map(|object| object.sees(name).filter(|address| object.range.contains(&address.addr())))
}
