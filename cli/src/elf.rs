//! Inspection of program files: static or dynamic, with an MPI library or not.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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
    /// A script, or a program of another machine.
    Other,
}

/// The largest number of bytes that are read at once: more than any table of headers needs, so that damaged sizes use no more.
const MAX_BYTES: u64 = 64 << 20;

impl Program {
    /// Inspects a file; returns `None` if it is not a program. A shared library is not one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let file = File::open(path).ok()?;
        if !is_native(&file) {
            return Some(Self::Other);
        }
        let image = Image::parse(file);
        if image.as_ref().is_some_and(Image::is_library) {
            return None;
        }
        if metadata.permissions().mode() & 0o6000 != 0 {
            return Some(Self::Privileged);
        }
        Some(image.map_or(Self::Other, |image| image.kind()))
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
            Self::Mpi | Self::Dynamic | Self::Other => return None,
        };
        Some(format!("{} {why}", path.display()))
    }
}

/// A 64-bit ELF file in the byte order of this machine.
struct Image {
    file: File,
    segments: Vec<Segment>,
    /// The tags and values of the dynamic section.
    dynamic: Vec<(u64, u64)>,
}

struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    size: u64,
}

const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const PT_INTERP: u64 = 3;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_SONAME: u64 = 14;

impl Image {
    /// Reads the headers; returns `None` if the file ends before them.
    fn parse(file: File) -> Option<Self> {
        let header = read(&file, 0, 64);
        let start = number(&header, 32, 8)?;
        let (size, count) = (number(&header, 54, 2)?, number(&header, 56, 2)?);
        let segment = |index: u64| {
            let bytes = read(&file, start.checked_add(index * size)?, 40);
            Some(Segment {
                kind: number(&bytes, 0, 4)?,
                offset: number(&bytes, 8, 8)?,
                address: number(&bytes, 16, 8)?,
                size: number(&bytes, 32, 8)?,
            })
        };
        let segments = (0..count).map(segment).collect::<Option<Vec<_>>>()?;
        let dynamic = segments.iter().find(|segment| segment.kind == PT_DYNAMIC);
        let dynamic = dynamic.map_or(Vec::new(), |segment| read(&file, segment.offset, segment.size));
        let entry = |bytes: &[u8]| Some((number(bytes, 0, 8)?, number(bytes, 8, 8)?));
        let dynamic = dynamic.chunks(16).map_while(entry).take_while(|(tag, _)| *tag != 0).collect();
        Some(Self { file, segments, dynamic })
    }

    fn has_interpreter(&self) -> bool {
        self.segments.iter().any(|segment| segment.kind == PT_INTERP)
    }

    /// Returns true for a file without an interpreter, but with a soname or needed libraries. The C library has an interpreter.
    fn is_library(&self) -> bool {
        !self.has_interpreter() && self.dynamic.iter().any(|(tag, _)| [DT_NEEDED, DT_SONAME].contains(tag))
    }

    fn kind(&self) -> Program {
        if !self.has_interpreter() {
            Program::Static
        } else if self.needs_mpi().unwrap_or_default() {
            Program::Mpi
        } else {
            Program::Dynamic
        }
    }

    fn needs_mpi(&self) -> Option<bool> {
        let (_, names) = self.dynamic.iter().find(|(tag, _)| *tag == DT_STRTAB)?;
        let holds = |segment: &&Segment| {
            segment.kind == PT_LOAD
                && names.checked_sub(segment.address).is_some_and(|inside| inside < segment.size)
        };
        let loaded = self.segments.iter().find(holds)?;
        let names = (names - loaded.address).checked_add(loaded.offset)?;
        let is_mpi = |name: u64| {
            let start = names.checked_add(name).map_or(Vec::new(), |at| read(&self.file, at, 7));
            start.starts_with(b"libmpi") && start != b"libmpit"
        };
        Some(self.dynamic.iter().any(|(tag, value)| *tag == DT_NEEDED && is_mpi(*value)))
    }
}

fn is_native(file: &File) -> bool {
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    read(file, 0, 6) == [0x7f, b'E', b'L', b'F', 2, order]
}

/// Reads a part of a file, of which there is less if the file ends before, and none if it cannot be read.
fn read(mut file: &File, at: u64, size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let place = file.seek(SeekFrom::Start(at));
    match place.and_then(|_| file.take(size.min(MAX_BYTES)).read_to_end(&mut bytes)) {
        Ok(_) => bytes,
        Err(_) => Vec::new(),
    }
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    let mut word = [0; 8];
    if cfg!(target_endian = "little") {
        word[..size].copy_from_slice(bytes);
    } else {
        word[8 - size..].copy_from_slice(bytes);
    }
    Some(u64::from_ne_bytes(word))
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
        let kind = |start: u64, dynamic_size: u64, name: &[u8]| {
            let mut bytes = vec![0; 64];
            bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order]);
            bytes[32..40].copy_from_slice(&start.to_ne_bytes());
            bytes[54..56].copy_from_slice(&56_u16.to_ne_bytes());
            bytes[56..58].copy_from_slice(&3_u16.to_ne_bytes());
            // The string table is at the end of the file, as patchelf puts it.
            let segments = [(3, 0, 0, 0), (2, 232, 0, dynamic_size), (1, END, 0x1000, 4096)];
            for (kind, offset, address, size) in segments {
                bytes.extend(u32::to_ne_bytes(kind).into_iter().chain([0; 4]));
                bytes.extend([offset, address, 0, size, 0, 0].map(u64::to_ne_bytes).as_flattened());
            }
            bytes.extend([5, 0x1000, 1, 8, 0, 0].map(u64::to_ne_bytes).as_flattened());
            let file = std::fs::File::create(&path).unwrap();
            file.write_all_at(&bytes, 0).unwrap();
            file.write_all_at(name, END + 8).unwrap();
            file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
            Program::of(&path)
        };
        assert_eq!(kind(64, 48, b"libmpi.so.40"), Some(Program::Mpi));
        assert_eq!(kind(64, u64::MAX, b"libmpi"), Some(Program::Mpi));
        assert_eq!(kind(64, 48, b"libmpit.so"), Some(Program::Dynamic));
        assert_eq!(kind(64, 16, b"libmpi.so.40"), Some(Program::Dynamic));
        for start in [2 * END, u64::MAX] {
            assert_eq!(kind(start, 48, b"libmpi.so.40"), Some(Program::Other));
        }
    }
}
