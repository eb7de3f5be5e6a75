//! Inspection of program files: static or dynamic, with an MPI library or not.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use object::NativeEndian;
use object::elf::{
    DT_NEEDED, DT_NULL, DT_SONAME, DT_STRSZ, DT_STRTAB, Dyn64, FileHeader64, PT_INTERP, ProgramHeader64,
};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _};
use object::read::{ReadCache, ReadRef, StringTable};

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

impl Program {
    /// Inspects a file; returns `None` if it is not a program. A shared library is not one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let data = &ReadCache::new(File::open(path).ok()?);
        let Ok(image) = Image::parse(data) else { return Some(Self::Other) };
        if image.is_library() {
            return None;
        }
        if metadata.permissions().mode() & 0o6000 != 0 {
            return Some(Self::Privileged);
        }
        Some(image.kind())
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

/// The headers of a 64-bit ELF file in the byte order of this machine.
struct Image<'a, R: ReadRef<'a>> {
    data: R,
    endian: NativeEndian,
    segments: &'a [ProgramHeader64<NativeEndian>],
    /// The entries of the dynamic section.
    dynamic: &'a [Dyn64<NativeEndian>],
}

impl<'a, R: ReadRef<'a>> Image<'a, R> {
    fn parse(data: R) -> object::Result<Self> {
        let header = FileHeader64::<NativeEndian>::parse(data)?;
        let endian = header.endian()?;
        let segments = header.program_headers(endian, data)?;
        let dynamic = segments.iter().find_map(|segment| segment.dynamic(endian, data).transpose());
        Ok(Self { data, endian, segments, dynamic: dynamic.transpose()?.unwrap_or_default() })
    }

    /// Returns the values of the dynamic section's entries with a tag.
    fn values(&self, tag: u32) -> impl Iterator<Item = u64> {
        let entries = self.dynamic.iter().take_while(|entry| entry.tag32(self.endian) != Some(DT_NULL));
        entries
            .filter(move |entry| entry.tag32(self.endian) == Some(tag))
            .map(|entry| entry.d_val(self.endian))
    }

    fn has_interpreter(&self) -> bool {
        self.segments.iter().any(|segment| segment.p_type(self.endian) == PT_INTERP)
    }

    /// Returns true for a file without an interpreter, but with a soname or needed libraries. The C library has an interpreter.
    fn is_library(&self) -> bool {
        !self.has_interpreter() && self.values(DT_NEEDED).chain(self.values(DT_SONAME)).next().is_some()
    }

    fn kind(&self) -> Program {
        if !self.has_interpreter() {
            return Program::Static;
        }
        let names = self.strings().unwrap_or_default();
        let mut needed = self.values(DT_NEEDED).filter_map(|at| names.get(at as u32).ok());
        let is_mpi = |name: &[u8]| name.starts_with(b"libmpi") && !name.starts_with(b"libmpit");
        if needed.any(is_mpi) { Program::Mpi } else { Program::Dynamic }
    }

    fn strings(&self) -> Option<StringTable<'a>> {
        let (address, size) = (self.values(DT_STRTAB).next()?, self.values(DT_STRSZ).next()?);
        let find = |segment: &'a ProgramHeader64<NativeEndian>| {
            segment.data_range(self.endian, self.data, address, size).ok().flatten()
        };
        let bytes = self.segments.iter().find_map(find)?;
        Some(StringTable::new(bytes, 0, size))
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
