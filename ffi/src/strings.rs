//! Returning strings the standard's way: one convention for all names and descriptions.

use std::ffi::{c_char, c_int};

use mpit::{Error, Result};

/// A buffer of the user's with the pointer to its length. Either may be null.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    start: *mut c_char,
    len: *mut c_int,
}

impl Buffer {
    /// Takes the pair as it came.
    #[must_use]
    pub fn new(start: *mut c_char, len: *mut c_int) -> Self {
        Self { start, len }
    }

    /// Refuses a buffer of negative length, before anything is written. Without a buffer the length is output only: what it
    /// holds may be anything.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`].
    ///
    /// # Safety
    ///
    /// `len` is null or valid for reads.
    pub unsafe fn check(self) -> Result<()> {
        if self.start.is_null() || self.len.is_null() {
            return Ok(());
        }
        // SAFETY: not null, and otherwise by the caller's promise.
        if unsafe { self.len.read_unaligned() } < 0 { Err(Error::Invalid) } else { Ok(()) }
    }

    /// Copies as much of `text` as there is room for, always with a NUL, and sets the length to that of the whole
    /// text with its NUL. Without a length nothing is touched; without a buffer or room only the length.
    ///
    /// # Safety
    ///
    /// `len` is null or valid for reads and writes, and `start` is null or valid for writes of `*len` bytes, which is not
    /// negative then.
    pub unsafe fn fill(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        if self.len.is_null() {
            return;
        }
        let room = if self.start.is_null() {
            0
        } else {
            // SAFETY: the length is not null, so it can be read by the caller's promise.
            let room = unsafe { self.len.read_unaligned() };
            room as usize
        };
        if room > 0 {
            let copied = text.len().min(room - 1);
            // SAFETY: `copied` is less than the room that the caller promised; the text is no memory of the user's.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.start, copied) };
            // SAFETY: as above.
            unsafe { self.start.wrapping_add(copied).write(0) };
        }
        // SAFETY: as above.
        unsafe { self.len.write_unaligned(text.len() as c_int + 1) };
    }
}

/// Writes through a pointer of the user's, unless it is null.
///
/// # Safety
///
/// `out` is null or valid for writes.
pub unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { out.write_unaligned(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;
    use std::ffi::c_int;

    /// What the buffer holds and what the length says afterwards, for a room of `n` and a canary of `!`.
    fn filled(text: &str, n: c_int) -> (String, c_int) {
        let mut buffer = [b'!'; 8];
        let mut len = n;
        // SAFETY: the buffer is larger than every `n` of these tests.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), &raw mut len).fill(text) };
        (buffer.iter().map(|byte| if *byte == 0 { '0' } else { char::from(*byte) }).collect(), len)
    }

    #[test]
    fn r37_enough_room() {
        assert_eq!(filled("abc", 4), ("abc0!!!!".into(), 4));
        assert_eq!(filled("abc", 8), ("abc0!!!!".into(), 4));
    }

    #[test]
    fn r38_r39_truncated_with_full_length() {
        assert_eq!(filled("abcd", 3), ("ab0!!!!!".into(), 5));
        assert_eq!(filled("abcd", 4), ("abc0!!!!".into(), 5));
    }

    #[test]
    fn r40_room_for_the_nul_only() {
        assert_eq!(filled("abc", 1), ("0!!!!!!!".into(), 4));
    }

    #[test]
    fn r41_no_room() {
        assert_eq!(filled("abc", 0), ("!!!!!!!!".into(), 4));
    }

    #[test]
    fn r42_no_buffer() {
        for named in [3, 0, -1, c_int::MIN] {
            let mut len = named;
            let buffer = Buffer::new(std::ptr::null_mut(), &raw mut len);
            // SAFETY: the length is readable.
            assert_eq!(unsafe { buffer.check() }, Ok(()));
            // SAFETY: the length is writable.
            unsafe { buffer.fill("abc") };
            assert_eq!(len, 4, "{named}");
        }
    }

    #[test]
    fn r43_no_length() {
        let mut buffer = [b'!'; 4];
        // SAFETY: without a length nothing is touched.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), std::ptr::null_mut()).fill("abc") };
        assert_eq!(&buffer, b"!!!!");
    }

    #[test]
    fn r44_negative_length() {
        let (mut len, mut text) = (-1, [0]);
        let buffer = Buffer::new((&raw mut text).cast(), &raw mut len);
        // SAFETY: the length is readable.
        assert_eq!(unsafe { buffer.check() }, Err(mpit::Error::Invalid));
    }

    #[test]
    fn r45_r46_no_description() {
        assert_eq!(filled("", 4), ("0!!!!!!!".into(), 1));
        assert_eq!(filled("", 0), ("!!!!!!!!".into(), 1));
    }

    #[test]
    fn r49_truncation_counts_bytes() {
        assert_eq!(filled("aéb", 3).1, 5);
        let mut buffer = [0x21_u8; 8];
        let mut len = 3;
        // SAFETY: the buffer has room for 3.
        unsafe { Buffer::new(buffer.as_mut_ptr().cast(), &raw mut len).fill("aéb") };
        assert_eq!(buffer[..4], [b'a', 0xc3, 0, b'!']);
    }
}
