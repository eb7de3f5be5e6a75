//! Strings of the host.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

/// Queries a string twice: its length, then its characters.
pub(super) fn query_text(mut query: impl FnMut(*mut c_char, *mut c_int) -> Option<c_int>) -> Option<String> {
    let mut len: c_int = 0;
    if query(null_mut(), &raw mut len)? != 0 {
        return None;
    }
    let mut buffer = Text::with_capacity(len);
    if query(buffer.start(), buffer.len())? != 0 {
        return None;
    }
    Some(buffer.into_string())
}

/// Queries a name and a description twice: their lengths, then their characters. `query` gets a buffer
/// and a length for each. `None` if the host lacks the function or returns an empty name.
pub(super) fn query_name_and_description(
    mut query: impl FnMut(*mut c_char, *mut c_int, *mut c_char, *mut c_int) -> Option<c_int>,
) -> Option<(String, Vec<u8>)> {
    let (mut name_len, mut desc_len): (c_int, c_int) = (0, 0);
    if query(null_mut(), &raw mut name_len, null_mut(), &raw mut desc_len)? != 0 {
        return None;
    }
    query_texts([name_len, desc_len], query)
}

/// Queries a name and a description of known lengths. `None` if the host returns an empty name.
pub(super) fn query_texts(
    [name_len, desc_len]: [c_int; 2],
    query: impl FnOnce(*mut c_char, *mut c_int, *mut c_char, *mut c_int) -> Option<c_int>,
) -> Option<(String, Vec<u8>)> {
    let (mut name, mut desc) = (Text::with_capacity(name_len), Text::with_capacity(desc_len));
    if query(name.start(), name.len(), desc.start(), desc.len())? != 0 {
        return None;
    }
    let name = name.into_string();
    if name.is_empty() { None } else { Some((name, desc.into_bytes())) }
}

/// A buffer for a string of the host.
struct Text {
    bytes: Vec<u8>,
    len: c_int,
}

impl Text {
    /// Allocates a buffer for a string of `len` bytes, the length that the host returned, with the NUL.
    fn with_capacity(len: c_int) -> Self {
        // One byte more, because not every host counts the NUL.
        let len = len.max(0) + 1;
        Self { bytes: vec![0; len as usize + 1], len }
    }

    fn start(&mut self) -> *mut c_char {
        self.bytes.as_mut_ptr().cast()
    }

    fn len(&mut self) -> *mut c_int {
        &raw mut self.len
    }

    fn into_string(self) -> String {
        String::from_utf8_lossy(&self.into_bytes()).into_owned()
    }

    /// Returns the bytes that the host wrote. Some descriptions are not UTF-8, and tools get them unchanged.
    fn into_bytes(mut self) -> Vec<u8> {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(self.bytes.len());
        self.bytes.truncate(end);
        self.bytes
    }
}
