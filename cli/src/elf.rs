//! Inspection of program files: static or dynamic, with an MPI library or not.

use std::fs::File;
use std::io::Read;
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

/// The number of bytes that are read of a file: headers and names are at its beginning.
const MAX_BYTES: u64 = 64 << 20;

impl Program {
    /// Inspects a file; returns `None` if it is not a program. A shared library is not one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let image = Image { bytes: &bytes };
        if !image.is_native() {
            return Some(Self::Other);
        }
        if image.is_library() {
            return None;
        }
        if metadata.permissions().mode() & 0o6000 != 0 {
            return Some(Self::Privileged);
        }
        Some(image.kind().unwrap_or(Self::Other))
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
struct Image<'a> {
    bytes: &'a [u8],
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

impl Image<'_> {
    fn is_native(&self) -> bool {
        let order = if cfg!(target_endian = "little") { 1 } else { 2 };
        self.bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, order])
    }

    /// Returns true for a file without an interpreter, but with a soname or needed libraries. The C library has an interpreter.
    fn is_library(&self) -> bool {
        let Some(segments) = self.segments() else { return false };
        segments.iter().all(|segment| segment.kind != PT_INTERP)
            && self.entries(&segments).iter().any(|(tag, _)| [DT_NEEDED, DT_SONAME].contains(tag))
    }

    fn kind(&self) -> Option<Program> {
        let segments = self.segments()?;
        if segments.iter().all(|segment| segment.kind != PT_INTERP) {
            return Some(Program::Static);
        }
        let needed = self.needed(&segments).unwrap_or_default();
        let is_mpi = needed.iter().any(|name| name.starts_with("libmpi") && !name.starts_with("libmpit"));
        Some(if is_mpi { Program::Mpi } else { Program::Dynamic })
    }

    fn number(&self, at: u64, size: usize) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(size)?)?;
        let mut word = [0; 8];
        if cfg!(target_endian = "little") {
            word[..size].copy_from_slice(bytes);
        } else {
            word[8 - size..].copy_from_slice(bytes);
        }
        Some(u64::from_ne_bytes(word))
    }

    fn segments(&self) -> Option<Vec<Segment>> {
        let (start, size, count) = (self.number(32, 8)?, self.number(54, 2)?, self.number(56, 2)?);
        let segment = |index: u64| {
            let at = start.checked_add(index.checked_mul(size)?)?;
            Some(Segment {
                kind: self.number(at, 4)?,
                offset: self.number(at.checked_add(8)?, 8)?,
                address: self.number(at.checked_add(16)?, 8)?,
                size: self.number(at.checked_add(32)?, 8)?,
            })
        };
        (0..count).map(segment).collect()
    }

    fn entries(&self, segments: &[Segment]) -> Vec<(u64, u64)> {
        let Some(dynamic) = segments.iter().find(|segment| segment.kind == PT_DYNAMIC) else {
            return Vec::new();
        };
        let entry = |index: u64| {
            let at = dynamic.offset.checked_add(index * 16)?;
            Some((self.number(at, 8)?, self.number(at.checked_add(8)?, 8)?))
        };
        (0..dynamic.size / 16).map_while(entry).take_while(|(tag, _)| *tag != 0).collect()
    }

    fn needed(&self, segments: &[Segment]) -> Option<Vec<String>> {
        let entries = self.entries(segments);
        let (_, names) = entries.iter().find(|(tag, _)| *tag == DT_STRTAB)?;
        let holds = |segment: &&Segment| {
            segment.kind == PT_LOAD
                && names.checked_sub(segment.address).is_some_and(|inside| inside < segment.size)
        };
        let loaded = segments.iter().find(holds)?;
        let names = names - loaded.address + loaded.offset;
        let name = |offset: u64| {
            let start = usize::try_from(names.checked_add(offset)?).ok()?;
            let text = self.bytes.get(start..)?.split(|byte| *byte == 0).next()?;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        let needed = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED);
        Some(needed.filter_map(|(_, offset)| name(*offset)).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
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
}
