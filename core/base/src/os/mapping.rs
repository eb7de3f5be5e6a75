//! Words in a memory-mapped file: the kernel keeps what was stored, however the process ends.
//!
//! The file grows in pieces, each with its own mapping, so words never move. Disk space for a piece is allocated before it is
//! used: a store to a page without disk space would raise SIGBUS. For the same reason the file must not be truncated; the program
//! guarantees that once, with [`allow`].

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::mem;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};

use crate::os::files::{open_regular, without_size_signal};
use crate::os::own_process::Creator;

/// The granularity of pieces in words: 64 kilobytes, a multiple of the page size of all machines.
const UNIT: usize = 64 * 1024 / size_of::<u64>();

/// The maximum number of attempts of what other processes or signals interrupt.
const MAX_ATTEMPTS: usize = 100;

static ALLOWED: AtomicBool = AtomicBool::new(false);

/// Allows this process to map files.
///
/// # Safety
///
/// The file of a [`Mapping`] is not truncated as long as the mapping or its [`Words`] exist: neither by this process, through any
/// path or descriptor, nor by another one.
pub unsafe fn allow() {
    ALLOWED.store(true, Relaxed);
}

/// A file of this process whose words can be mapped.
///
/// The file is locked until the process ends or calls [`close`](Self::close), if the file system supports locks, so that other
/// processes can check [`is_in_use`].
#[derive(Debug)]
pub struct Mapping {
    /// `None` once it is closed.
    file: Option<File>,
    /// The absolute path, since the process may change its directory.
    path: PathBuf,
    /// The device and inode numbers, to detect that another file has the path or the descriptor now.
    identity: (u64, u64),
    creator: Creator,
    bytes: u64,
}

/// Gives a part of a file its space on the disk, and the file its length: a write to mapped words never fails.
#[cfg(not(target_vendor = "apple"))]
fn allocate(file: &File, from: libc::off_t, len: libc::off_t) -> io::Result<()> {
    use std::iter;
    use std::os::fd::AsRawFd;

    // SAFETY: the call accesses no memory of this process.
    let try_once = || unsafe { libc::posix_fallocate(file.as_raw_fd(), from, len) };
    // POSIX permits a file system to stop at any signal.
    let mut tries = iter::repeat_with(try_once).take(MAX_ATTEMPTS);
    match tries.find(|status| *status != libc::EINTR).unwrap_or(libc::EINTR) {
        0 => Ok(()),
        status => Err(io::Error::from_raw_os_error(status)),
    }
}

/// Writes zeros to a part of a file, on systems without `posix_fallocate`: a write to mapped words never fails.
#[cfg(target_vendor = "apple")]
fn allocate(file: &File, from: libc::off_t, len: libc::off_t) -> io::Result<()> {
    use std::os::unix::fs::FileExt;

    file.write_all_at(&vec![0; len as usize], from.cast_unsigned())
}

impl Mapping {
    /// Creates an empty file. An existing one is removed, unless a process uses it. The directory must exist.
    ///
    /// # Errors
    ///
    /// Those of the file system; [`ErrorKind::ResourceBusy`] if a process uses the file; [`ErrorKind::PermissionDenied`] if the
    /// program did not call [`allow`].
    pub fn create(path: &Path) -> io::Result<Self> {
        if !ALLOWED.load(Relaxed) {
            let why = "this program does not allow files in memory (`mpit::internal::os::mapping::allow`)";
            return Err(io::Error::new(ErrorKind::PermissionDenied, why));
        }
        let path = std::path::absolute(path)?;
        if is_in_use(&path) {
            return Err(io::Error::new(ErrorKind::ResourceBusy, "another process uses it"));
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => (),
        }
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        // Without support for locks, other processes cannot see that the file is in use.
        for _ in 0..MAX_ATTEMPTS {
            // `is_in_use` of another process has a lock for a moment.
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        let identity = identity(&file.metadata()?);
        Ok(Self { file: Some(file), path, identity, creator: Creator::this(), bytes: 0 })
    }

    /// Maps at least `words` further words, all of them 0.
    ///
    /// # Errors
    ///
    /// Those of the file system, such as lack of space; then the file has its former length, or zeros appended. Also if the
    /// program closed the file, or this is not the process that created it.
    pub fn extend(&mut self, words: usize) -> io::Result<Words> {
        let Some(file) = self.file.as_ref().filter(|file| self.is_ours() && self.has_descriptor(file)) else {
            return Err(io::Error::new(ErrorKind::NotFound, "the program closed it"));
        };
        let bytes = words.max(1).next_multiple_of(UNIT) * size_of::<u64>();
        let offset = |bytes: u64| libc::off_t::try_from(bytes).map_err(|_| ErrorKind::FileTooLarge);
        let (from, len) = (offset(self.bytes)?, offset(bytes as u64)?);
        without_size_signal(|| allocate(file, from, len))?;
        let words = Words { mapped: MmapOptions::new().offset(self.bytes).len(bytes).map_raw(file)? };
        self.bytes += bytes as u64;
        Ok(words)
    }

    /// Unlocks and closes the file, which cannot be extended any more. Mapped words stay usable, and the file can still be removed.
    pub fn close(&mut self) {
        if let Some(file) = self.file.take() {
            if !self.has_descriptor(&file) {
                // The number of the descriptor may be another file's of the program.
                mem::forget(file);
            } else if self.is_ours() {
                // Children that were forked have the descriptor, too, and closing it here would leave the lock to them.
                let _ = file.unlock();
            }
        }
    }

    /// Returns true if [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.file.is_none()
    }

    /// Returns false if the program closed the descriptor, which may be that of another file now.
    fn has_descriptor(&self, file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| identity(&metadata) == self.identity)
    }

    /// Returns true in the process that created the file, and false in a child that was forked since. A child shares the words
    /// that were mapped before.
    pub fn is_ours(&self) -> bool {
        self.creator.is_this()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file, unless its name belongs to another file by now, or this is not the process that created it. Mapped words
    /// stay usable.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn remove(&self) -> io::Result<()> {
        if !self.is_ours() {
            return Ok(());
        }
        match fs::symlink_metadata(&self.path) {
            Ok(there) if identity(&there) == self.identity => fs::remove_file(&self.path),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.close();
    }
}

fn identity(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Returns true if the process that created a file of words still uses it, as far as the file system supports locks.
pub fn is_in_use(path: &Path) -> bool {
    let locked = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    open_regular(path).is_ok_and(locked)
}

/// Words of a file. They stay mapped until this is dropped.
#[derive(Debug)]
pub struct Words {
    mapped: MmapRaw,
}

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        let start: *const AtomicU64 = self.mapped.as_ptr().cast();
        // SAFETY: mapped for reading and writing as long as `self` exists, page-aligned; `extend` allocated disk space, and files
        // are mapped only after `allow`, on whose condition no file is truncated. Any bit pattern is an `AtomicU64`.
        unsafe { std::slice::from_raw_parts(start, self.mapped.len() / size_of::<u64>()) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::sync::atomic::Ordering::Relaxed;

    use super::{Mapping, UNIT, allow, is_in_use};

    #[test]
    #[cfg_attr(miri, ignore = "maps files")]
    fn the_file_has_stored_pieces_in_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.store");
        // SAFETY: no test truncates the file of a mapping.
        unsafe { allow() };
        let mut mapping = Mapping::create(&path).unwrap();
        let first = mapping.extend(1).unwrap();
        first[1].store(7, Relaxed);
        let at = first.as_ptr();
        let second = mapping.extend(UNIT + 1).unwrap();
        assert_eq!((first.len(), second.len()), (UNIT, 2 * UNIT));
        second[2 * UNIT - 1].store(u64::MAX, Relaxed);
        assert!(std::ptr::eq(first.as_ptr(), at));
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 3 * UNIT * 8);
        assert_eq!(bytes[8..16], 7_u64.to_ne_bytes());
        assert!(bytes.ends_with(&[255; 8]));
        assert_eq!(bytes.iter().filter(|byte| **byte != 0).count(), 9);
        // Words stay usable when the file is closed, and it can still be removed.
        assert!(is_in_use(&path) && !mapping.is_closed());
        let copy = mapping.file.as_ref().unwrap().try_clone().unwrap();
        mapping.close();
        assert!(!is_in_use(&path) && mapping.is_closed());
        drop(copy);
        first[1].store(8, Relaxed);
        assert_eq!(fs::read(&path).unwrap()[8..16], 8_u64.to_ne_bytes());
        assert_eq!(mapping.extend(1).unwrap_err().kind(), ErrorKind::NotFound);
        mapping.remove().unwrap();
        assert!(!path.exists());
        mapping.remove().unwrap();
        assert_eq!(first[1].load(Relaxed), 8);
    }

    #[test]
    #[cfg_attr(miri, ignore = "maps files")]
    fn only_files_not_in_use_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.store");
        fs::write(&path, "of yesterday").unwrap();
        assert!(!is_in_use(&path));
        // SAFETY: no test truncates the file of a mapping.
        unsafe { allow() };
        let mapping = Mapping::create(&path).unwrap();
        assert!(is_in_use(&path));
        assert_eq!(Mapping::create(&path).unwrap_err().kind(), ErrorKind::ResourceBusy);
        // Another file under the same name stays.
        fs::remove_file(&path).unwrap();
        fs::write(&path, "of tomorrow").unwrap();
        mapping.remove().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "of tomorrow");
        drop(mapping);
    }
}
