//! Opening of files that may be anything, and reading their beginnings. Opening never waits for a writer, as that of a FIFO
//! would.

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The maximum length of a name in bytes, of communicators, regions, machines and modules. `MPI_MAX_OBJECT_NAME` is at most 128 in MPI
/// libraries; paths of modules may be long. Longer ones are cut off when they are written, and are a fault of a file.
pub const MAX_NAME: usize = 4096;

/// Returns the beginning of a text, of at most `max` bytes.
#[must_use]
pub fn cut_off(text: &str, max: usize) -> &str {
    let end = (0..=text.len().min(max)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Opens a regular file for reading, also through a symbolic link.
///
/// # Errors
///
/// Those of the file system, and [`ErrorKind::InvalidInput`] if it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, libc::O_NONBLOCK)
}

/// Opens a regular file for reading. A symbolic link is refused, too: it is not the file that this program wrote.
///
/// # Errors
///
/// Those of the file system, and [`ErrorKind::InvalidInput`] if it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, libc::O_NONBLOCK | libc::O_NOFOLLOW).map_err(|error| match error.raw_os_error() {
        // A symbolic link, which FreeBSD calls EMLINK, or a socket.
        Some(libc::ELOOP | libc::EMLINK | libc::ENXIO) => not_regular(),
        _ => error,
    })
}

/// Reads a regular file, also through a symbolic link, of at most `limit` bytes.
///
/// # Errors
///
/// The errors of [`open`] and of reading, and [`ErrorKind::FileTooLarge`].
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(open(path)?, limit)
}

/// Reads a text like [`read`].
///
/// # Errors
///
/// The same, and [`ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not a text in UTF-8");
    String::from_utf8(read(path, limit)?).map_err(not_text)
}

/// Reads an open file of at most `limit` bytes.
///
/// # Errors
///
/// The errors of reading, and [`ErrorKind::FileTooLarge`].
pub fn read_open(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        io::Error::new(ErrorKind::FileTooLarge, format!("it has more than the {limit} bytes that are read"))
    };
    // Before memory is reserved for it.
    if file.metadata()?.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    if file.take(limit + 1).read_to_end(&mut bytes)? as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// The maximum number of bytes of the text or the store of one process: those of a process that communicates with a million others are
/// smaller.
pub const MAX_PROCESS_BYTES: u64 = 1 << 30;

fn open_with(path: &Path, flags: libc::c_int) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "it is no regular file")
}

/// Reads the first line of a file, with its line end, or the beginning of it.
///
/// # Errors
///
/// The errors of reading.
pub fn read_first_line(file: impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    file.take(4096).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// Reads the first bytes of a regular file, at most `limit`.
///
/// # Errors
///
/// The errors of [`open_regular`] and of reading.
pub(crate) fn beginning(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
