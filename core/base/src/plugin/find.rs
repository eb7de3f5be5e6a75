//! The search for plug-in files, and the refusal of files that other users can change.
//!
//! The checked path is passed to the dynamic linker. (A descriptor, `/proc/self/fd/N`, would make `$ORIGIN` and debuggers look in
//! the wrong place.) The dynamic linker replaces tokens such as `$LIB` in a path, so a path with `$` is refused: another file than
//! the checked one would be loaded.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::c_structs::LoadResult;
use crate::os::environment::{self, PLUGIN_PATH, PLUGINS};
use crate::os::trusted_path::{self, Distrust, TrustedFile};

/// A file that may be loaded.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// The path without links.
    pub(super) path: PathBuf,
    /// The device and inode numbers, which identify the file regardless of its name.
    pub(super) identity: (u64, u64),
}

/// Returns the plug-ins that the environment names, in order, and the directories that are refused.
pub(super) fn of_environment() -> (Vec<PathBuf>, Vec<(PathBuf, String)>) {
    let (mut paths, mut faults) = (of_variable(PLUGINS), Vec::new());
    for dir in of_variable(PLUGIN_PATH) {
        match libraries_in(&dir) {
            Ok(found) => paths.extend(found),
            Err(why) => faults.push((dir, why)),
        }
    }
    (paths, faults)
}

fn of_variable(name: &str) -> Vec<PathBuf> {
    let value = environment::var_os(name).unwrap_or_default();
    let parts = value.as_bytes().split(|byte| *byte == b':').filter(|part| !part.is_empty());
    parts.map(|part| PathBuf::from(OsStr::from_bytes(part))).collect()
}

fn libraries_in(dir: &Path) -> LoadResult<Vec<PathBuf>> {
    let unreadable = |error: io::Error| format!("{PLUGIN_PATH} names it, and it cannot be read: {error}");
    trusted_path::directory(dir).map_err(|why| match why {
        Distrust::Io(error) => unreadable(error),
        _ => refusal(&why),
    })?;
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the file of a path, unless users other than root and that of this process could change or replace it.
pub(super) fn file(path: &Path) -> LoadResult<File> {
    let TrustedFile { path, metadata, .. } = trusted_path::open(path).map_err(|why| match why {
        Distrust::Io(_) | Distrust::Directory | Distrust::NotRegular => {
            format!("{why}; give the path of a plug-in's shared object")
        }
        _ => refusal(&why),
    })?;
    if path.as_os_str().as_bytes().contains(&b'$') {
        return Err(format!(
            "{} contains `$`, which has a special meaning in paths of libraries; rename it",
            path.display()
        ));
    }
    Ok(File { identity: (metadata.dev(), metadata.ino()), path })
}

/// Returns the message about a path that other users can change.
fn refusal(why: &Distrust) -> String {
    match why {
        Distrust::Owner { .. } => format!("{why}; copy the plug-in to a directory of your own"),
        _ => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::{file, libraries_in};

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "opens files with flags that Miri does not know")]
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
    #[cfg_attr(miri, ignore = "opens files with flags that Miri does not know")]
    fn directories_others_can_write_are_refused() {
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
            // Like /tmp: with the sticky bit, other users cannot replace files.
            chmod(dir, 0o1777);
            assert!(file(&link).is_ok());
            chmod(dir, 0o755);
        }
        // Parent directories as well: a user who can rename a directory can put another one in its place.
        let deep = inner.join("one/two");
        fs::create_dir_all(&deep).unwrap();
        fs::copy(&path, deep.join("c.so")).unwrap();
        assert!(file(&deep.join("c.so")).is_ok());
        chmod(&inner, 0o777);
        assert!(file(&deep.join("c.so")).unwrap_err().contains("inner can be written by others"));
        assert!(libraries_in(&deep).unwrap_err().contains("inner can be written by others"));
        // A path that leaves the directory again, by dots or by a link in the middle: every directory on the way counts.
        let around = inner.join("one/../../outer");
        fs::write(outer.join("d.so"), "").unwrap();
        assert!(file(&around.join("d.so")).unwrap_err().contains("inner can be written by others"));
        symlink("../inner/one", outer.join("way")).unwrap();
        assert!(file(&outer.join("way/two/c.so")).unwrap_err().contains("inner can be written by others"));
        chmod(&inner, 0o755);
        let through = file(&outer.join("way/two/c.so")).unwrap();
        assert_eq!(through.path, fs::canonicalize(deep.join("c.so")).unwrap());
        chmod(&inner, 0o770);
        assert!(libraries_in(&inner).unwrap_err().contains("chmod go-w"));
        chmod(&inner, 0o755);
    }

    #[test]
    #[cfg_attr(miri, ignore = "opens files with flags that Miri does not know")]
    fn what_is_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(file(dir.path()).unwrap_err().contains("a directory"));
        assert!(file(&dir.path().join("none.so")).unwrap_err().contains("No such file"));
        assert!(libraries_in(&dir.path().join("none")).unwrap_err().contains("MPIT_PLUGIN_PATH"));
        let ring = dir.path().join("ring.so");
        symlink(&ring, &ring).unwrap();
        assert!(file(&ring).unwrap_err().contains("symbolic links"));
        let fifo = CString::new(dir.path().join("fifo.so").into_os_string().into_vec()).unwrap();
        // SAFETY: `fifo` is a C string that ends with a NUL.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        assert!(file(&dir.path().join("fifo.so")).unwrap_err().contains("no regular file"));
    }

    /// The dynamic linker would load another file than the checked one.
    #[test]
    #[cfg_attr(miri, ignore = "opens files with flags that Miri does not know")]
    fn tokens_of_the_linker_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a$LIB.so", "${ORIGIN}.so", "$.so"] {
            let path = dir.path().join(name);
            fs::write(&path, "").unwrap();
            let why = file(&path).unwrap_err();
            assert!(why.contains("contains `$`") && why.contains("rename it"), "{why}");
            // The path that is loaded counts, which is that of the link's target.
            let link = dir.path().join("link.so");
            symlink(&path, &link).unwrap();
            assert!(file(&link).unwrap_err().contains("contains `$`"));
            fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "opens files with flags that Miri does not know")]
    fn an_access_list_for_others_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("acme.so");
        fs::write(&path, "").unwrap();
        chmod(&path, 0o744);
        assert!(file(&path).is_ok());
        // The kernel's form of `u::rwx,u:65534:rw-,g::r--,m::rw-,o::r--`: a version, then tag, rights and user of each entry.
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, user) in
            [(1_u16, 7_u16, u32::MAX), (2, 6, 65534), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 4, u32::MAX)]
        {
            list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            list.extend(user.to_le_bytes());
        }
        let name = CString::new(path.clone().into_os_string().into_vec()).unwrap();
        let (key, value) = (c"system.posix_acl_access", list.as_ptr().cast());
        // SAFETY: both names are C strings that end with a NUL, and `list` has `list.len()` bytes.
        let set = unsafe { libc::setxattr(name.as_ptr(), key.as_ptr(), value, list.len(), 0) };
        if set == 0 {
            assert!(file(&path).unwrap_err().contains("can be written by others"));
        } else {
            println!("no access lists on this file system: {}", io::Error::last_os_error());
        }
    }
}
