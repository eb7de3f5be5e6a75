//! Inspection of program files: static or dynamic, with an MPI library or not.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use object::elf::{
    DT_NEEDED, DT_NULL, DT_SONAME, DT_STRTAB, Dyn64, DynamicTag, ELFMAG, FileHeader64, PT_DYNAMIC, PT_INTERP,
    PT_LOAD, ProgramHeader64,
};
use object::pod::slice_from_bytes;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{NativeEndian, ReadCache, ReadRef};
use rustix::fs::{Access, access};

use crate::search_path::candidates;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// A program without a dynamic linker, so that nothing can be preloaded.
    Static,
    /// A program that directly needs an MPI library.
    Mpi,
    /// A dynamic program that does not directly need an MPI library; one of its libraries may.
    Dynamic,
    /// A program with the rights of its owner (set-user-ID), for which the dynamic linker refuses to preload by path.
    Privileged,
    /// A program of another C library than the preload library, which cannot be loaded into it.
    OtherLibc,
    /// A script, or a program of another machine.
    Other,
}

/// The largest number of bytes of a path, and of the first line of a script.
const MAX_PATH: u64 = 4096;

/// The largest number of bytes of a table: more than any needs, so that damaged sizes use no more.
const MAX_BYTES: u64 = 64 << 20;

impl Program {
    /// Inspects a file; returns `None` if it is not a program. A shared library is not one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let data = ReadCache::new(File::open(path).ok()?);
        let Some(image) = Image::parse(&data) else { return Some(Self::Other) };
        if image.is_library() {
            return None;
        }
        let is_privileged = metadata.permissions().mode() & 0o6000 != 0;
        Some(if is_privileged { Self::Privileged } else { image.kind() })
    }

    /// Returns the reason why nothing can be preloaded into a program of this kind, with the remedy.
    pub(crate) fn obstacle(self, path: &Path) -> Option<String> {
        let why = match self {
            Self::Static => {
                "is linked statically, so no library can be preloaded: link it with shared libraries"
            }
            Self::Privileged => {
                "runs with the rights of its owner (set-user-ID), so no library is preloaded: run it without them"
            }
            Self::OtherLibc => {
                "belongs to another C library than glibc, for which the library to preload is: build it with glibc"
            }
            Self::Mpi | Self::Dynamic | Self::Other => return None,
        };
        Some(format!("{} {why}", path.display()))
    }
}

/// A 64-bit ELF file in the byte order of this machine.
struct Image<'a> {
    data: &'a ReadCache<File>,
    len: u64,
    segments: &'a [ProgramHeader64<NativeEndian>],
    /// The tags and values of the dynamic section.
    dynamic: Vec<(DynamicTag, u64)>,
}

impl<'a> Image<'a> {
    /// Reads the headers; returns `None` if the file is none of this kind, or ends before them.
    fn parse(data: &'a ReadCache<File>) -> Option<Self> {
        // Any version will do: the kernel does not read it either.
        let header = data.read_at::<FileHeader64<NativeEndian>>(0).ok()?;
        let endian = header.endian().ok()?;
        if header.e_ident().magic != ELFMAG || !header.is_class_64() {
            return None;
        }
        // Section 0 may have the number, of 32 bits.
        let count = u64::from(header.phnum(endian, data).ok()?);
        if count * size_of::<ProgramHeader64<NativeEndian>>() as u64 > MAX_BYTES {
            return None;
        }
        let segments = header.program_headers(endian, data).ok()?;
        let mut image = Self { data, len: data.len().ok()?, segments, dynamic: Vec::new() };
        if let Some(segment) = segments.iter().find(|segment| segment.p_type(NativeEndian) == PT_DYNAMIC) {
            let bytes = image.bytes(segment.p_offset(NativeEndian), segment.p_filesz(NativeEndian));
            let (entries, _) = bytes.as_chunks::<{ size_of::<Dyn64<NativeEndian>>() }>();
            let (entries, _) = slice_from_bytes::<Dyn64<NativeEndian>>(bytes, entries.len()).ok()?;
            let entries = entries.iter().map(|entry| (entry.d_tag(NativeEndian), entry.d_val(NativeEndian)));
            image.dynamic = entries.take_while(|(tag, _)| *tag != DT_NULL).collect();
        }
        Some(image)
    }

    /// Returns a part of the file, of which there is less if the file ends before, and none if it cannot be read.
    fn bytes(&self, at: u64, size: u64) -> &'a [u8] {
        let size = size.min(self.len.saturating_sub(at)).min(MAX_BYTES);
        self.data.read_bytes_at(at, size).unwrap_or_default()
    }

    fn has_interpreter(&self) -> bool {
        self.segments.iter().any(|segment| segment.p_type(NativeEndian) == PT_INTERP)
    }

    /// Returns the path of the dynamic linker that the program names.
    fn interpreter(&self) -> Option<PathBuf> {
        let segment = self.segments.iter().find(|segment| segment.p_type(NativeEndian) == PT_INTERP)?;
        let size = segment.p_filesz(NativeEndian).min(MAX_PATH);
        let path = CStr::from_bytes_until_nul(self.bytes(segment.p_offset(NativeEndian), size)).ok()?;
        Some(OsStr::from_bytes(path.to_bytes()).into())
    }

    /// Returns true for a file without an interpreter, but with a soname or needed libraries. The C library has an interpreter.
    fn is_library(&self) -> bool {
        !self.has_interpreter() && self.dynamic.iter().any(|(tag, _)| [DT_NEEDED, DT_SONAME].contains(tag))
    }

    fn kind(&self) -> Program {
        if !self.has_interpreter() {
            Program::Static
        } else if self.interpreter().is_some_and(|path| is_of_other_libc(&path)) {
            Program::OtherLibc
        } else if self.needs_mpi().unwrap_or_default() {
            Program::Mpi
        } else {
            Program::Dynamic
        }
    }

    fn needs_mpi(&self) -> Option<bool> {
        let (_, names) = self.dynamic.iter().find(|(tag, _)| *tag == DT_STRTAB)?;
        let offset_of = |segment: &ProgramHeader64<NativeEndian>| {
            let inside = names.checked_sub(segment.p_vaddr(NativeEndian))?;
            let is_loaded =
                segment.p_type(NativeEndian) == PT_LOAD && inside < segment.p_filesz(NativeEndian);
            if is_loaded { inside.checked_add(segment.p_offset(NativeEndian)) } else { None }
        };
        let names = self.segments.iter().find_map(offset_of)?;
        let is_mpi = |name: u64| {
            let start = names.checked_add(name).map_or(&[][..], |at| self.bytes(at, 7));
            start.starts_with(b"libmpi") && start != b"libmpit"
        };
        Some(self.dynamic.iter().any(|(tag, value)| *tag == DT_NEEDED && is_mpi(*value)))
    }
}

/// The beginnings of the names of the dynamic linkers of other C libraries than glibc: musl, uClibc and Android's.
const OTHER_LINKERS: [&str; 5] = ["ld-musl-", "ld-uClibc", "ld64-uClibc", "linker64", "libc.musl-"];

/// Returns true for a dynamic linker of another C library than glibc, also by the name of the file that a link leads to.
fn is_of_other_libc(linker: &Path) -> bool {
    let is_other = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        OTHER_LINKERS.iter().any(|start| name.starts_with(start))
    };
    is_other(linker) || linker.canonicalize().is_ok_and(|file| is_other(&file))
}

/// The largest number of interpreters that the kernel follows from a script to a program.
const MAX_SCRIPTS: usize = 5;

/// Returns the dynamic linker of another C library than glibc with which a program, or the interpreter of a script, is run.
pub(crate) fn other_linker_of(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_SCRIPTS {
        if is_of_other_libc(&path) {
            return Some(path);
        }
        if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return None;
        }
        let data = ReadCache::new(File::open(&path).ok()?);
        if let Some(image) = Image::parse(&data) {
            return image.interpreter().filter(|linker| is_of_other_libc(linker));
        }
        let begin = data.read_bytes_at(0, data.len().ok()?.min(MAX_PATH)).ok()?;
        path = script_interpreter(begin)?;
    }
    None
}

/// Returns the program in the first line of a script; the one that `env` searches for, if that is `env`.
fn script_interpreter(text: &[u8]) -> Option<PathBuf> {
    let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words =
        line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(OsStr::from_bytes);
    let interpreter = PathBuf::from(words.next()?);
    let searched = words.next().filter(|_| interpreter.file_name() == Some(OsStr::new("env")));
    let is_executable = |file: &PathBuf| access(file, Access::EXEC_OK).is_ok();
    match searched {
        Some(word) => candidates(word)?.into_iter().find(is_executable),
        None => Some(interpreter),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileExt, PermissionsExt};
    use std::path::Path;

    use super::Program;

    #[test]
    fn programs_are_distinguished() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(Program::of(&own), Some(Program::Dynamic));
        assert_eq!(Program::of(Path::new("Cargo.toml")), None);
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert_eq!(Program::of(&script), None);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, executable.clone()).unwrap();
        assert_eq!(Program::of(&script), Some(Program::Other));
        // Libraries are executable files in many installations, so the permission does not distinguish them.
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mapped = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
        let library = mapped.into_iter().find(|path| path.contains("/libgcc_s.so")).unwrap();
        std::fs::write(&script, std::fs::read(library).unwrap()).unwrap();
        assert_eq!(Program::of(&script), None);
        // Every prefix of a program must be handled without reading beyond its end.
        let whole = std::fs::read(&own).unwrap();
        for length in [4, 16, 40, 64, 100, 200, 700, 4096] {
            std::fs::write(&script, &whole[..length]).unwrap();
            assert!(Program::of(&script).is_some());
        }
    }

    /// Parts of a file are read where its headers say, whatever its size, and sizes of a damaged file are not believed.
    #[test]
    fn large_and_damaged_programs_are_inspected() {
        const END: u64 = 3 << 30;
        let (directory, order) = (tempfile::tempdir().unwrap(), u8::from(cfg!(target_endian = "big")) + 1);
        let path = directory.path().join("program");
        let with_header =
            |start: u64, dynamic_size: u64, name: &[u8], interpreter: &[u8], change: &[(usize, &[u8])]| {
                let mut bytes = vec![0; 64];
                bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order]);
                bytes[32..40].copy_from_slice(&start.to_ne_bytes());
                bytes[54..56].copy_from_slice(&56_u16.to_ne_bytes());
                bytes[56..58].copy_from_slice(&3_u16.to_ne_bytes());
                // The string table is at the end of the file, as patchelf puts it.
                let segments = [(3, 280, 0, u64::MAX), (2, 232, 0, dynamic_size), (1, END, 0x1000, 4096)];
                for (kind, offset, address, size) in segments {
                    bytes.extend(u32::to_ne_bytes(kind).into_iter().chain([0; 4]));
                    bytes.extend([offset, address, 0, size, 0, 0].map(u64::to_ne_bytes).as_flattened());
                }
                bytes.extend([5, 0x1000, 1, 8, 0, 0].map(u64::to_ne_bytes).as_flattened());
                bytes.extend(interpreter);
                bytes.resize(bytes.len().max(512), 0);
                for (at, changed) in change {
                    bytes[*at..*at + changed.len()].copy_from_slice(changed);
                }
                let file = std::fs::File::create(&path).unwrap();
                file.write_all_at(&bytes, 0).unwrap();
                file.write_all_at(name, END + 8).unwrap();
                file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
                Program::of(&path)
            };
        let kind = |start: u64, dynamic_size: u64, name: &[u8]| {
            with_header(start, dynamic_size, name, b"/lib64/ld-linux-x86-64.so.2", &[])
        };
        assert_eq!(kind(64, 48, b"libmpi.so.40"), Some(Program::Mpi));
        assert_eq!(kind(64, u64::MAX, b"libmpi"), Some(Program::Mpi));
        assert_eq!(kind(64, 48, b"libmpit.so"), Some(Program::Dynamic));
        assert_eq!(kind(64, 16, b"libmpi.so.40"), Some(Program::Dynamic));
        for start in [2 * END, u64::MAX] {
            assert_eq!(kind(start, 48, b"libmpi.so.40"), Some(Program::Other));
        }
        let with_linker = |linker: &[u8]| with_header(64, 48, b"libmpi.so.40", linker, &[]);
        assert_eq!(with_linker(b"/lib/ld-musl-x86_64.so.1"), Some(Program::OtherLibc));
        // A path without an end in the longest length is none.
        let long = ["/".repeat(4096).as_bytes(), b"ld-musl-x86_64.so.1"].concat();
        assert_eq!(with_linker(&long), Some(Program::Mpi));
        // Section 0, at 320, has the number of segments.
        let with_segments = |count: u32| {
            let changes: [(usize, &[u8]); 4] = [
                (40, &320_u64.to_ne_bytes()),
                (56, &u16::MAX.to_ne_bytes()),
                (58, &64_u16.to_ne_bytes()),
                (320 + 44, &count.to_ne_bytes()),
            ];
            with_header(64, 48, b"libmpi.so.40", b"/lib64/ld-linux-x86-64.so.2", &changes)
        };
        assert_eq!(with_segments(3), Some(Program::Mpi));
        assert_eq!(with_segments(2 << 20), Some(Program::Other));
    }
}
