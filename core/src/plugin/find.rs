//! The search for plug-in files, and the refusal of files that other users can change.
//!
//! A path is resolved here, one directory and one link at a time. Every directory on the way, up to the root, must belong to root
//! or to the user of this process, and must not be writable by others. Then no other user can replace the file, now or between
//! this check and the load, so the checked path may be passed to the dynamic linker. (A descriptor, `/proc/self/fd/N`, would make
//! `$ORIGIN` and debuggers look in the wrong place.) POSIX access control lists need no check of their own: the kernel includes
//! the rights that they grant in the group bits of the mode.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use super::c_structs::LoadResult;
use crate::environment::{self, PLUGIN_PATH, PLUGINS};

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
    let given = std::path::absolute(dir).map_err(unreadable)?;
    let real = resolve(&given, unreadable)?;
    safe_dir(&real, &fs::metadata(&real).map_err(unreadable)?)?;
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
    let given = std::path::absolute(path).map_err(no_file)?;
    let real = resolve(&given, no_file)?;
    // `O_NONBLOCK`: opening a FIFO must not block the program.
    let file = fs::File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
        .open(&real)
        .map_err(no_file)?;
    let data = file.metadata().map_err(no_file)?;
    if !data.is_file() {
        let kind = if data.is_dir() { "a directory" } else { "no regular file" };
        return Err(format!("it is {kind}; give the path of a plug-in's shared object"));
    }
    if data.mode() & OTHERS_WRITE != 0 {
        return Err(writable_by_others(&real, &data));
    }
    safe_owner(&real, &data)?;
    Ok(File { identity: (data.dev(), data.ino()), path: real })
}

#[allow(clippy::needless_pass_by_value, reason = "used with map_err")]
fn unreadable(error: io::Error) -> String {
    format!("{PLUGIN_PATH} names it, and it cannot be read: {error}")
}

#[allow(clippy::needless_pass_by_value, reason = "used with map_err")]
fn no_file(error: io::Error) -> String {
    format!("{error}; give the path of a plug-in's shared object")
}

/// The number of links that the kernel follows in one path.
const MAX_LINKS: usize = 40;

/// Returns the path without links and dots. Refuses it if another user can change one of its parts.
fn resolve(path: &Path, fault: fn(io::Error) -> String) -> LoadResult<PathBuf> {
    // The remaining parts, the next one last.
    let mut parts = Vec::new();
    push_parts(&mut parts, path);
    let (mut current, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = parts.pop() {
        if part == ".." {
            // The parent of the root is the root.
            current.pop();
            continue;
        }
        safe_dir(&current, &fs::metadata(&current).map_err(fault)?)?;
        let next = current.join(&part);
        let data = fs::symlink_metadata(&next).map_err(fault)?;
        if !data.is_symlink() {
            current = next;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(fault(io::Error::from_raw_os_error(libc::ELOOP)));
        }
        safe_owner(&next, &data)?;
        let target = fs::read_link(&next).map_err(fault)?;
        if target.is_absolute() {
            current = PathBuf::from("/");
        }
        push_parts(&mut parts, &target);
    }
    Ok(current)
}

/// Pushes the parts of a path on a stack, the first one on top.
fn push_parts(stack: &mut Vec<OsString>, path: &Path) {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let parts: Vec<_> = parts.collect();
    stack.extend(parts.into_iter().rev());
}

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Refuses a directory in which other users can replace files.
fn safe_dir(dir: &Path, data: &fs::Metadata) -> LoadResult<()> {
    if data.mode() & OTHERS_WRITE != 0 && data.mode() & STICKY == 0 {
        return Err(writable_by_others(dir, data));
    }
    // In a container, the owner of the root directory may have no number in its user namespace; no other user can replace it.
    if dir.parent().is_none() { Ok(()) } else { safe_owner(dir, data) }
}

fn writable_by_others(path: &Path, data: &fs::Metadata) -> String {
    let (path, mode) = (path.display(), data.mode() & 0o7777);
    format!("{path} can be written by others (mode {mode:04o}); `chmod go-w {path}`")
}

fn safe_owner(path: &Path, data: &fs::Metadata) -> LoadResult<()> {
    // SAFETY: `geteuid` has no preconditions.
    let user = unsafe { libc::geteuid() };
    if data.uid() == 0 || data.uid() == user {
        return Ok(());
    }
    let (path, owner) = (path.display(), data.uid());
    Err(format!(
        "{path} belongs to user {owner}, neither root nor the user of this program ({user}); copy the plug-in to a directory \
         of your own"
    ))
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
