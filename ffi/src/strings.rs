//! Output of strings by the standard's convention, the same for all names and descriptions (MPI 4.1, 15.3.3).

use std::ffi::{c_char, c_int};

use mpit::{Error, Result};

/// A string buffer of the tool and the pointer to its length. Either may be null.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    start: *mut c_char,
    len: *mut c_int,
}

impl Buffer {
    /// Stores the two pointers unchecked.
    #[must_use]
    pub fn new(start: *mut c_char, len: *mut c_int) -> Self {
        Self { start, len }
    }

    /// Refuses a buffer of negative length, before anything is written. Without a buffer the length is output
    /// only, so its value may be anything.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a negative length.
    ///
    /// # Safety
    ///
    /// `len` is null or valid for reads.
    pub unsafe fn check(self) -> Result<()> {
        if self.start.is_null() || self.len.is_null() {
            return Ok(());
        }
        // SAFETY: `len` is not null (checked), so the caller passes an address valid for reads.
        if unsafe { self.len.read_unaligned() } < 0 { Err(Error::Invalid) } else { Ok(()) }
    }

    /// Copies as much of `text` as fits, always with a NUL, and sets the length to that of the whole text
    /// with its NUL. Without a length nothing is written; without a buffer or with length 0 only the length
    /// is.
    ///
    /// # Safety
    ///
    /// `len` is null or valid for reads and writes. `start` is null or valid for writes of `*len` bytes,
    /// which must not be negative then.
    pub unsafe fn fill(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        if self.len.is_null() {
            return;
        }
        let capacity = if self.start.is_null() {
            0
        } else {
            // SAFETY: `len` is not null (checked), so the caller passes an address valid for reads.
            let capacity = unsafe { self.len.read_unaligned() };
            capacity as usize
        };
        if capacity > 0 {
            let copied = text.len().min(capacity - 1);
            // SAFETY: `copied` is less than `capacity`, for which `start` is valid; `text` is a reference, so it
            // does not overlap the tool's buffer.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.start, copied) };
            // SAFETY: `copied` is less than `capacity`, for which `start` is valid.
            unsafe { self.start.wrapping_add(copied).write(0) };
        }
        // SAFETY: `len` is not null (checked), so the caller passes an address valid for writes.
        unsafe { self.len.write_unaligned(text.len() as c_int + 1) };
    }
}

/// Writes through a pointer of the tool, unless it is null.
///
/// # Safety
///
/// `out` is null or valid for writes.
pub unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: `out` is not null (checked), so the caller passes an address valid for writes.
        unsafe { out.write_unaligned(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;
    use std::ffi::c_int;

    /// Returns the buffer and the length after `fill` with the length `n`; the buffer is filled with `!`
    /// before.
    fn filled(text: &str, n: c_int) -> (String, c_int) {
        let mut buffer = [b'!'; 8];
        let mut len = n;
        // SAFETY: the buffer is longer than every `n` of these tests.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), &raw mut len).fill(text) };
        (buffer.iter().map(|byte| if *byte == 0 { '0' } else { char::from(*byte) }).collect(), len)
    }

    /// Proves R37.
    #[test]
    fn large_buffer_gets_the_whole_string() {
        assert_eq!(filled("abc", 4), ("abc0!!!!".into(), 4));
        assert_eq!(filled("abc", 8), ("abc0!!!!".into(), 4));
    }

    /// Proves R38, R39.
    #[test]
    fn small_buffer_truncates_the_string() {
        assert_eq!(filled("abcd", 3), ("ab0!!!!!".into(), 5));
        assert_eq!(filled("abcd", 4), ("abc0!!!!".into(), 5));
    }

    /// Proves R40.
    #[test]
    fn buffer_of_one_byte_gets_the_nul() {
        assert_eq!(filled("abc", 1), ("0!!!!!!!".into(), 4));
    }

    /// Proves R41.
    #[test]
    fn buffer_of_zero_bytes_stays() {
        assert_eq!(filled("abc", 0), ("!!!!!!!!".into(), 4));
    }

    /// Proves R42.
    #[test]
    fn null_buffer_reports_the_full_length() {
        for named in [3, 0, -1, c_int::MIN] {
            let mut len = named;
            let buffer = Buffer::new(std::ptr::null_mut(), &raw mut len);
            // SAFETY: `len` is a local variable.
            assert_eq!(unsafe { buffer.check() }, Ok(()));
            // SAFETY: `len` is a local variable, and the buffer is null.
            unsafe { buffer.fill("abc") };
            assert_eq!(len, 4, "{named}");
        }
    }

    /// Proves R43.
    #[test]
    fn null_length_leaves_the_buffer() {
        let mut buffer = [b'!'; 4];
        // SAFETY: with a null length nothing is accessed.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), std::ptr::null_mut()).fill("abc") };
        assert_eq!(&buffer, b"!!!!");
    }

    /// Proves R44.
    #[test]
    fn negative_length_is_invalid() {
        let (mut len, mut text) = (-1, [0]);
        let buffer = Buffer::new((&raw mut text).cast(), &raw mut len);
        // SAFETY: `len` is a local variable.
        assert_eq!(unsafe { buffer.check() }, Err(mpit::Error::Invalid));
    }

    /// Proves R45, R46.
    #[test]
    fn missing_description_has_length_one() {
        assert_eq!(filled("", 4), ("0!!!!!!!".into(), 1));
        assert_eq!(filled("", 0), ("!!!!!!!!".into(), 1));
    }

    /// Proves R49.
    #[test]
    fn truncation_counts_bytes() {
        assert_eq!(filled("aéb", 3).1, 5);
        let mut buffer = [0x21_u8; 8];
        let mut len = 3;
        // SAFETY: the buffer has 8 bytes, more than `len`.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), &raw mut len).fill("aéb") };
        assert_eq!(buffer[..4], [b'a', 0xc3, 0, b'!']);
    }
}
