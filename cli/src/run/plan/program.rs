//! The programs of a command, and a check that it can start, before files of an earlier run are removed for it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::elf::Program;
use crate::search_path::candidates;

/// Searches for the program as the system does when it starts the command. Fails with the error of that start. A program that is
/// found may still fail to start, for example if its interpreter is missing.
pub(crate) fn require_executable(word: &OsStr) -> io::Result<()> {
    if word.is_empty() {
        return Err(Errno::NOENT.into());
    }
    // The directories of the C library are not known here.
    let Some(files) = candidates(word) else { return Ok(()) };
    let mut error: io::Error = Errno::NOENT.into();
    for file in &files {
        match check(file) {
            Ok(()) => return Ok(()),
            Err(other) if error.kind() != ErrorKind::PermissionDenied => error = other,
            Err(_) => (),
        }
    }
    Err(error)
}

/// Returns successfully if a file can be executed.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    // Directories have this permission as well.
    if fs::metadata(path)?.is_dir() {
        return Err(Errno::ACCESS.into());
    }
    Ok(access(path, Access::EXEC_OK)?)
}

/// Returns the programs that the words of a command name.
pub(crate) fn programs(words: &[OsString]) -> Vec<(PathBuf, Program)> {
    words
        .iter()
        .filter_map(|word| find(word))
        .filter_map(|path| Some((path.clone(), Program::of(&path)?)))
        .collect()
}

/// Returns the program that a word of a command names.
pub(crate) fn find(word: &OsStr) -> Option<PathBuf> {
    candidates(word)?.into_iter().find(|file| Program::of(file).is_some())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::{self, Permissions};
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;

    use super::require_executable;

    #[test]
    fn programs_are_found_as_by_the_system() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        let check = |word: &OsStr| require_executable(word).map_err(|error| error.kind());
        let missing = Err(ErrorKind::NotFound);
        let denied = Err(ErrorKind::PermissionDenied);
        assert_eq!(check(program.as_os_str()), missing);
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(check(program.as_os_str()), denied);
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(check(program.as_os_str()), Ok(()));
        assert_eq!(check(directory.path().as_os_str()), denied);
        assert_eq!(check(OsStr::new("sh")), Ok(()));
        for word in ["no-such-command-here", ""] {
            assert_eq!(check(OsStr::new(word)), missing, "{word}");
        }
    }
}
