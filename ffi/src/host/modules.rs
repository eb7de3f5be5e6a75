//! The files that code comes from, so that addresses mean the same in all processes of a job.

use std::ffi::CStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::find::{self, MappedObject, NameBuffer};

/// The maximum length of a build ID in bytes. Linkers make 16 or 20.
const MAX_BUILD_ID: usize = 64;

/// The type of a note with a build ID, whose owner is GNU.
const BUILD_ID: u32 = 3;
const OWNER: &[u8] = b"GNU\0";

/// The file that contains the code at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The path of the executable or library.
    pub path: PathBuf,
    /// The address as in the symbols of the file.
    pub offset: u64,
    /// The build ID; empty if there is none.
    pub build_id: Vec<u8>,
    /// Device and inode of a file without a build ID; empty for others.
    pub file: Box<str>,
}

/// Returns the file that contains the code at an address; `None` for code that is in no file.
pub fn module_of(address: usize) -> Option<Module> {
    let mut name = NameBuffer::new();
    let mut found = None;
    // Nothing is allocated while the dynamic linker's lock is held.
    let mut build_id = [0; MAX_BUILD_ID];
    let mut look_at = |object: &MappedObject<'_>| {
        if !object.contains(address) {
            return false;
        }
        name.set(object.name);
        let len = read_build_id(object, &mut build_id);
        found = Some((address.wrapping_sub(object.base), len));
        true
    };
    if !find::each_object(&mut look_at) {
        find::object_of_any_namespace(address, look_at);
    }
    let (offset, len) = found?;
    let path = path_of(&name.to_name());
    let file = if len == 0 { identity_of_file(address).unwrap_or_default() } else { Box::default() };
    Some(Module { path, offset: offset as u64, build_id: build_id[..len].to_vec(), file })
}

/// Returns device and inode of the file that is mapped at an address.
fn identity_of_file(address: usize) -> Option<Box<str>> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let is_at_address = |line: &&str| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let range = range.and_then(|(start, end)| Some(number(start)?..number(end)?));
        range.is_some_and(|range| range.contains(&address))
    };
    let line = maps.lines().find(is_at_address)?;
    let mut words = line.split_ascii_whitespace().skip(3);
    Some(format!("{} {}", words.next()?, words.next()?).into())
}

/// Returns the path of an object with the dynamic linker's name, which is empty for the executable.
fn path_of(name: &CStr) -> PathBuf {
    let path = match name.to_bytes() {
        b"" => Path::new("/proc/self/exe"),
        name => Path::new(std::ffi::OsStr::from_bytes(name)),
    };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Reads the build ID of an object, and returns its length.
fn read_build_id(object: &MappedObject<'_>, build_id: &mut [u8; MAX_BUILD_ID]) -> usize {
    let mut found = object.notes();
    let Some(found) = found.find_map(|(notes, align)| build_id_in(notes, align)) else { return 0 };
    let len = found.len().min(MAX_BUILD_ID);
    build_id[..len].copy_from_slice(&found[..len]);
    len
}

/// Returns the build ID among notes.
fn build_id_in(notes: &[u8], align: usize) -> Option<&[u8]> {
    find::note_in(notes, if align == 8 { 8 } else { 4 }, OWNER, BUILD_ID)
}

#[cfg(test)]
mod tests {
    use super::super::objects::Object;
    use super::{build_id_in, identity_of_file, module_of};

    fn note(owner: &[u8], kind: u32, content: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for number in [owner.len() as u32, content.len() as u32, kind] {
            note.extend(number.to_ne_bytes());
        }
        note.extend(owner);
        note.resize(note.len().next_multiple_of(4), 0);
        note.extend(content);
        note.resize(note.len().next_multiple_of(4), 0);
        note
    }

    #[test]
    fn build_ids_are_among_notes() {
        let notes = [note(b"GNU\0", 1, &[0; 16]), note(b"X\0", 3, b"no"), note(b"GNU\0", 3, b"yes")].concat();
        assert_eq!(build_id_in(&notes, 4), Some(&b"yes"[..]));
        for cut in 0..notes.len() - 1 {
            assert_eq!(build_id_in(&notes[..cut], 4), None, "{cut}");
        }
        assert_eq!(build_id_in(&note(b"GNU\0", 3, &[1; 3])[..14], 4), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls the dynamic linker")]
    fn code_is_in_its_file() {
        let own = module_of(module_of as *const () as usize).unwrap();
        assert_eq!(own.path, std::env::current_exe().unwrap().canonicalize().unwrap());
        let of_c = module_of(libc::getpid as *const () as usize).unwrap();
        assert!(of_c.path.to_string_lossy().contains("libc"), "{of_c:?}");
        assert!(of_c.build_id.len() >= 16 && of_c.offset > 0, "{of_c:?}");
        assert_eq!(module_of(8), None);
        let range_of = |address| Object::containing(address).map(|object| object.range);
        let of_c = range_of(libc::getpid as *const () as usize).unwrap();
        assert!(of_c.contains(&(libc::malloc as *const () as usize)), "{of_c:?}");
        assert!(!of_c.contains(&(module_of as *const () as usize)) && range_of(8).is_none(), "{of_c:?}");
        assert!(identity_of_file(module_of as *const () as usize).unwrap().contains(':'));
    }
}
