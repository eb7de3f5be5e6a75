//! Which files are loaded as plug-ins: those that the environment names, as far as nobody else can change them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::read::Checked;

/// The environment variable with paths of plug-ins, separated by `:`.
pub const PLUGINS: &str = "MPIT_PLUGINS";
/// The environment variable with directories, separated by `:`, of which every `*.so` is a plug-in, by name order.
pub const PLUGIN_PATH: &str = "MPIT_PLUGIN_PATH";

/// A file that may be loaded.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// Without links.
    pub(super) path: PathBuf,
    /// What it is whatever it is called: device and number.
    pub(super) identity: (u64, u64),
}

/// The plug-ins that the environment asks for, in order, and the directories that are left out.
pub(super) fn asked_for() -> (Vec<PathBuf>, Vec<(PathBuf, String)>) {
    let (mut paths, mut faults) = (of_variable(PLUGINS), Vec::new());
    for dir in of_variable(PLUGIN_PATH) {
        match libraries_in(&dir) {
            Ok(found) => paths.extend(found),
            Err(why) => faults.push((dir, why)),
        }
    }
    (paths, faults)
}

/// The names of both variables that are set.
pub(super) fn asking() -> Vec<&'static str> {
    [PLUGINS, PLUGIN_PATH].into_iter().filter(|name| !of_variable(name).is_empty()).collect()
}

fn of_variable(name: &str) -> Vec<PathBuf> {
    let value = env::var_os(name).unwrap_or_default();
    let parts = value.as_bytes().split(|byte| *byte == b':').filter(|part| !part.is_empty());
    parts.map(|part| PathBuf::from(OsStr::from_bytes(part))).collect()
}

fn libraries_in(dir: &Path) -> Checked<Vec<PathBuf>> {
    let unreadable = |error: io::Error| format!("{PLUGIN_PATH} names it, and it cannot be read: {error}");
    let owned = fs::metadata(dir).map_err(unreadable)?;
    safe_dir(dir, &owned)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "so") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The file of a path, unless others than root and the user of this process could put code there.
///
/// # Errors
///
/// What is wrong with it, and what to do.
pub(super) fn file(path: &Path) -> Checked<File> {
    let no_file = |error: io::Error| format!("{error}; give the path of a plug-in's shared object");
    let real = fs::canonicalize(path).map_err(no_file)?;
    let data = fs::metadata(&real).map_err(no_file)?;
    if !data.is_file() {
        let kind = if data.is_dir() { "a directory" } else { "no regular file" };
        return Err(format!("it is {kind}; give the path of a plug-in's shared object"));
    }
    let given = std::path::absolute(path).map_err(no_file)?;
    // Who can write the directory of a link can have it lead elsewhere.
    for parent in [real.parent(), given.parent()].into_iter().flatten() {
        safe_dir(parent, &fs::metadata(parent).map_err(no_file)?)?;
    }
    if data.mode() & OTHERS_WRITE != 0 {
        return Err(changeable(&real, &data));
    }
    safe_owner(&real, &data)?;
    Ok(File { identity: (data.dev(), data.ino()), path: real })
}

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Refuses a directory in which others can replace files.
fn safe_dir(dir: &Path, data: &fs::Metadata) -> Checked<()> {
    if data.mode() & OTHERS_WRITE != 0 && data.mode() & STICKY == 0 {
        return Err(changeable(dir, data));
    }
    safe_owner(dir, data)
}

fn changeable(path: &Path, data: &fs::Metadata) -> String {
    let (path, mode) = (path.display(), data.mode() & 0o7777);
    format!("{path} can be written by others (mode {mode:04o}); `chmod go-w {path}`")
}

fn safe_owner(path: &Path, data: &fs::Metadata) -> Checked<()> {
    // SAFETY: has no preconditions.
    let user = unsafe { libc::geteuid() };
    if data.uid() == 0 || data.uid() == user {
        return Ok(());
    }
    let (path, owner) = (path.display(), data.uid());
    Err(format!(
        "{path} belongs to user {owner}, neither root nor the user of this program ({user}); copy it"
    ))
}

/// Whether the program has privileges that whoever started it lacks; then his environment must not bring code into it.
pub(super) fn is_privileged() -> bool {
    // SAFETY: has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::{file, libraries_in};

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("acme.so");
        fs::write(&path, "").unwrap();
        chmod(&path, 0o755);
        assert!(file(&path).is_ok());
        for mode in [0o775, 0o757] {
            chmod(&path, mode);
            let why = file(&path).unwrap_err();
            assert!(why.contains("acme.so can be written by others") && why.contains("chmod go-w"), "{why}");
        }
    }

    #[test]
    fn a_directory_in_which_others_can_replace_files_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (inner, outer) = (dir.path().join("inner"), dir.path().join("outer"));
        fs::create_dir(&inner).unwrap();
        fs::create_dir(&outer).unwrap();
        let path = inner.join("b.so");
        fs::write(&path, "").unwrap();
        fs::write(inner.join("a.so"), "").unwrap();
        fs::write(inner.join("a.txt"), "").unwrap();
        chmod(&path, 0o644);
        assert!(file(&path).is_ok());
        let names = libraries_in(&inner).unwrap();
        assert_eq!(names, [inner.join("a.so"), inner.join("b.so")]);
        let link = outer.join("c.so");
        symlink(&path, &link).unwrap();
        assert_eq!(file(&link).unwrap().identity, file(&path).unwrap().identity);
        for dir in [&inner, &outer] {
            chmod(dir, 0o777);
            assert!(file(&link).unwrap_err().contains("can be written by others"));
            // As /tmp is: who may write there cannot replace what others have.
            chmod(dir, 0o1777);
            assert!(file(&link).is_ok());
            chmod(dir, 0o755);
        }
        chmod(&inner, 0o770);
        assert!(libraries_in(&inner).unwrap_err().contains("chmod go-w"));
        chmod(&inner, 0o755);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(file(dir.path()).unwrap_err().contains("a directory"));
        assert!(file(&dir.path().join("none.so")).unwrap_err().contains("No such file"));
        assert!(libraries_in(&dir.path().join("none")).unwrap_err().contains("MPIT_PLUGIN_PATH"));
    }
}
