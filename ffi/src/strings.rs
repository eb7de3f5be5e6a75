//! Output of strings by the standard's convention, the same for all names and descriptions (MPI 4.1, 15.3.3).

use std::ffi::{c_char, c_int};

use mpit::{Error, Result};

/// A string buffer of the tool and its length.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// May be null.
    start: *mut c_char,
    /// The length of the buffer; 0 without a buffer.
    capacity: usize,
    /// The variable for the length of the string; may be null.
    len: *mut c_int,
}

impl Buffer {
    /// Reads the length of the buffer. Without a buffer the length is output only, so its value may be anything.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a negative length.
    ///
    /// # Safety
    ///
    /// Until [`fill`](Self::fill) has returned, `len` is null or valid for reads and writes, and `start` is null or valid for
    /// writes of as many bytes as `*len` is now.
    pub(crate) unsafe fn new(start: *mut c_char, len: *mut c_int) -> Result<Self> {
        let capacity = if start.is_null() || len.is_null() {
            0
        } else {
            // SAFETY: `len` is not null (checked), so the caller passes an address valid for reads.
            let capacity = unsafe { len.read_unaligned() };
            usize::try_from(capacity).map_err(|_| Error::Invalid)?
        };
        Ok(Self { start, capacity, len })
    }

    /// Copies as much of `text` as fits, always with a NUL, and sets the length to that of the whole text
    /// with its NUL. Without a length nothing is written; without a buffer or with length 0 only the length is.
    pub(crate) fn fill(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        if self.capacity > 0 {
            let copied = text.len().min(self.capacity - 1);
            // SAFETY: `copied` is less than `capacity`, for which `start` is valid; `text` is a reference, so it
            // does not overlap the tool's buffer.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.start, copied) };
            // SAFETY: `copied` is less than `capacity`, for which `start` is valid.
            unsafe { self.start.wrapping_add(copied).write(0) };
        }
        if !self.len.is_null() {
            // SAFETY: `len` is not null (checked), so `new` received an address valid for writes.
            unsafe { self.len.write_unaligned(text.len() as c_int + 1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_int;

    use super::Buffer;

    /// Returns the buffer and the length after `fill` with the length `n`; the buffer is filled with `!` before.
    fn filled(text: &str, n: c_int) -> ([u8; 8], c_int) {
        let mut buffer = [b'!'; 8];
        let mut len = n;
        // SAFETY: the buffer is longer than every `n` of these tests.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), &raw mut len) }.unwrap().fill(text);
        (buffer, len)
    }

    /// Proves R37, R38, R39, R40, R41, R45, R46.
    #[test]
    fn strings_are_truncated_to_the_buffer() {
        for (text, capacity, buffer, len) in [
            ("abc", 4, "abc0!!!!", 4),
            ("abc", 8, "abc0!!!!", 4),
            ("abcd", 3, "ab0!!!!!", 5),
            ("abcd", 4, "abc0!!!!", 5),
            ("abc", 1, "0!!!!!!!", 4),
            ("abc", 0, "!!!!!!!!", 4),
            ("", 4, "0!!!!!!!", 1),
            ("", 0, "!!!!!!!!", 1),
        ] {
            let expected = buffer.replace('0', "\0").into_bytes();
            let (filled, filled_len) = filled(text, capacity);
            assert_eq!((filled.as_slice(), filled_len), (expected.as_slice(), len), "{text} {capacity}");
        }
    }

    /// Proves R42.
    #[test]
    fn null_buffer_reports_the_full_length() {
        for named in [3, 0, -1, c_int::MIN] {
            let mut len = named;
            // SAFETY: `len` is a local variable, and the buffer is null.
            unsafe { Buffer::new(std::ptr::null_mut(), &raw mut len) }.unwrap().fill("abc");
            assert_eq!(len, 4, "{named}");
        }
    }

    /// Proves R43.
    #[test]
    fn null_length_leaves_the_buffer() {
        let mut buffer = [b'!'; 4];
        // SAFETY: with a null length nothing is accessed.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), std::ptr::null_mut()) }.unwrap().fill("abc");
        assert_eq!(&buffer, b"!!!!");
    }

    /// Proves R44.
    #[test]
    fn negative_length_is_invalid() {
        let (mut len, mut text) = (-1, [0]);
        // SAFETY: `len` is a local variable, and a buffer of negative length is not written.
        let buffer = unsafe { Buffer::new((&raw mut text).cast(), &raw mut len) };
        assert_eq!(buffer.err(), Some(mpit::Error::Invalid));
    }

    /// Proves R49.
    #[test]
    fn truncation_counts_bytes() {
        let (buffer, len) = filled("aéb", 3);
        assert_eq!((&buffer[..4], len), (&[b'a', 0xc3, 0, b'!'][..], 5));
    }
}
