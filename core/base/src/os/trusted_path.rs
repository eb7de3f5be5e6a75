//! Paths that only root and the user of this process can change.
//!
//! A path is resolved here, one directory and one link at a time. Every directory on the way, up to the root, must belong to root
//! or to the user of this process, and must not be writable by others. Then no other user can replace the file, now or between
//! this check and its use. POSIX access control lists need no check of their own: the kernel includes the rights that they grant in
//! the group bits of the mode.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::{fmt, io};

use crate::os::files::user;

/// A regular file that only root and the user of this process can change or replace.
#[derive(Debug)]
pub struct TrustedFile {
    /// The path without links and dots.
    pub path: PathBuf,
    /// The file, open for reading.
    pub file: File,
    /// Its metadata, those of the descriptor.
    pub metadata: Metadata,
}

/// The reason why a path is not used.
#[derive(Debug)]
pub enum Distrust {
    /// An error of the file system.
    Io(io::Error),
    /// The path leads to a directory.
    Directory,
    /// The path leads to a device, a FIFO or a socket.
    NotRegular,
    /// Users other than its owner can change a part of the path.
    Writable {
        /// The file or directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A part of the path belongs to another user.
    Owner {
        /// The file, directory or link.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Directory => f.write_str("it is a directory"),
            Self::NotRegular => f.write_str("it is no regular file"),
            Self::Writable { path, mode } => {
                let path = path.display();
                write!(f, "{path} can be written by others (mode {mode:04o}); `chmod go-w {path}`")
            }
            Self::Owner { path, owner } => write!(
                f,
                "{} belongs to user {owner}, neither root nor the user of this program ({})",
                path.display(),
                user()
            ),
        }
    }
}

impl From<io::Error> for Distrust {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Opens a regular file, unless users other than root and that of this process could change or replace it. Opening never blocks.
///
/// # Errors
///
/// The reason why the file is not used.
pub fn open(path: &Path) -> Result<TrustedFile, Distrust> {
    let path = resolve(path)?;
    let mut options = File::options();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(&path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Distrust::Directory);
    }
    if !metadata.is_file() {
        return Err(Distrust::NotRegular);
    }
    if metadata.mode() & OTHERS_WRITE != 0 {
        return Err(writable(&path, &metadata));
    }
    check_owner(&path, &metadata)?;
    Ok(TrustedFile { path, file, metadata })
}

/// Returns the path of a directory without links and dots, unless users other than root and that of this process could replace files
/// in it.
///
/// # Errors
///
/// The reason why the directory is not used.
pub fn directory(path: &Path) -> Result<PathBuf, Distrust> {
    let path = resolve(path)?;
    check_directory(&path, &fs::metadata(&path)?)?;
    Ok(path)
}

/// The number of links that the kernel follows in one path.
const MAX_LINKS: usize = 40;

/// Returns the path without links and dots. Refuses it if another user can change one of its parts.
fn resolve(path: &Path) -> Result<PathBuf, Distrust> {
    // The remaining parts, the next one last.
    let mut parts = Vec::new();
    push_parts(&mut parts, &std::path::absolute(path)?);
    let (mut current, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = parts.pop() {
        if part == ".." {
            // The parent of the root is the root.
            current.pop();
            continue;
        }
        check_directory(&current, &fs::metadata(&current)?)?;
        let next = current.join(&part);
        let data = fs::symlink_metadata(&next)?;
        if !data.is_symlink() {
            current = next;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(Distrust::Io(io::Error::from_raw_os_error(libc::ELOOP)));
        }
        check_owner(&next, &data)?;
        let target = fs::read_link(&next)?;
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
fn check_directory(path: &Path, data: &Metadata) -> Result<(), Distrust> {
    if data.mode() & OTHERS_WRITE != 0 && data.mode() & STICKY == 0 {
        return Err(writable(path, data));
    }
    // In a container, the owner of the root directory may have no number in its user namespace; no other user can replace it.
    if path.parent().is_none() { Ok(()) } else { check_owner(path, data) }
}

fn writable(path: &Path, data: &Metadata) -> Distrust {
    Distrust::Writable { path: path.into(), mode: data.mode() & 0o7777 }
}

fn check_owner(path: &Path, data: &Metadata) -> Result<(), Distrust> {
    if data.uid() == 0 || data.uid() == user() {
        return Ok(());
    }
    Err(Distrust::Owner { path: path.into(), owner: data.uid() })
}
