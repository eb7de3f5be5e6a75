//! Names of regions, in memory of their own: never on the heap, unless they are kept.

use std::alloc::{self, Layout};
use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

/// The maximum length of a text in bytes, more than that of a region's name.
const MAX_LEN: usize = 255;

/// A text that ends with NUL. Longer ones are cut off.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Text {
    bytes: [u8; MAX_LEN + 1],
    len: usize,
    /// The next one of those that are kept.
    next: AtomicPtr<Self>,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; MAX_LEN + 1], len: 0, next: AtomicPtr::new(null_mut()) }
    }

    pub(crate) fn push(&mut self, byte: u8) {
        // The last byte stays NUL.
        if self.len < MAX_LEN {
            self.bytes[self.len] = byte;
            self.len += 1;
        }
    }

    fn push_char(&mut self, letter: char) {
        let mut bytes = [0; 4];
        letter.encode_utf8(&mut bytes).bytes().for_each(|byte| self.push(byte));
    }

    /// Adds another text.
    pub(crate) fn push_text(&mut self, other: &Self) {
        other.bytes[..other.len].iter().for_each(|byte| self.push(*byte));
    }

    /// Adds a string.
    ///
    /// # Safety
    ///
    /// The address is null or that of a string that ends with NUL.
    pub(crate) unsafe fn push_chars(&mut self, chars: *const c_char) {
        if chars.is_null() {
            return;
        }
        for at in 0..MAX_LEN {
            // SAFETY: the characters before were not NUL, so this one is of the string, too.
            match unsafe { chars.wrapping_add(at).read() } {
                0 => return,
                byte => self.push(byte as u8),
            }
        }
    }

    /// Adds a string of wide characters.
    ///
    /// # Safety
    ///
    /// The address is null or that of a string that ends with NUL.
    pub(crate) unsafe fn push_wide(&mut self, chars: *const libc::wchar_t) {
        if chars.is_null() {
            return;
        }
        for at in 0..MAX_LEN {
            // SAFETY: the characters before were not NUL, so this one is of the string, too.
            match unsafe { chars.wrapping_add(at).read() } {
                0 => return,
                letter => {
                    self.push_char(char::from_u32(letter as u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
            }
        }
    }

    /// Returns a copy of a string.
    ///
    /// # Safety
    ///
    /// The address is null or that of a string that ends with NUL.
    pub(crate) unsafe fn of_chars(chars: *const c_char) -> Self {
        let mut text = Self::new();
        // SAFETY: the caller passes such an address.
        unsafe { text.push_chars(chars) };
        text
    }

    /// Returns a copy of a string of wide characters.
    ///
    /// # Safety
    ///
    /// The address is null or that of a string that ends with NUL.
    pub(crate) unsafe fn of_wide(chars: *const libc::wchar_t) -> Self {
        let mut text = Self::new();
        // SAFETY: the caller passes such an address.
        unsafe { text.push_wide(chars) };
        text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the text, which ends with NUL.
    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
}

static KEPT: AtomicPtr<Text> = AtomicPtr::new(null_mut());

/// Returns a copy of a text that is never freed, the same for equal texts; null if memory is short.
#[allow(clippy::cast_ptr_alignment, reason = "the allocation has the alignment of the type")]
pub(crate) fn kept(text: &Text) -> *const Text {
    let mut first = KEPT.load(Acquire);
    if let Some(known) = known(text, first) {
        return known;
    }
    // SAFETY: the type has a size that is not 0.
    let new = unsafe { alloc::alloc(Layout::new::<Text>()) }.cast::<Text>();
    if new.is_null() {
        return null();
    }
    loop {
        let copy = Text { bytes: text.bytes, len: text.len, next: AtomicPtr::new(first) };
        // SAFETY: not null (checked), of this size and alignment, and of this thread alone.
        unsafe { new.write(copy) };
        match KEPT.compare_exchange(first, new, Release, Acquire) {
            Ok(_) => return new,
            Err(now) => first = now,
        }
        if let Some(known) = known(text, first) {
            // SAFETY: allocated above with this layout, and of this thread alone.
            unsafe { alloc::dealloc(new.cast(), Layout::new::<Text>()) };
            return known;
        }
    }
}

/// Returns the kept text that is equal to a text, from one of them on.
fn known(text: &Text, mut at: *mut Text) -> Option<&'static Text> {
    // SAFETY: null, or a kept text, which is never freed and does not change.
    while let Some(known) = unsafe { at.as_ref() } {
        if known.bytes[..known.len] == text.bytes[..text.len] {
            return Some(known);
        }
        at = known.next.load(Acquire);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::{MAX_LEN, Text, kept};

    fn of(text: &CStr) -> Text {
        // SAFETY: it ends with NUL.
        unsafe { Text::of_chars(text.as_ptr()) }
    }

    fn shown(text: &Text) -> &str {
        // SAFETY: it ends with NUL.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap()
    }

    #[test]
    fn texts_are_cut_off() {
        let long = std::ffi::CString::new("x".repeat(1000)).unwrap();
        assert_eq!(shown(&of(&long)).len(), MAX_LEN);
        let mut two = of(c"domain");
        two.push(b':');
        two.push_text(&of(c"range"));
        assert_eq!(shown(&two), "domain:range");
        let wide: Vec<libc::wchar_t> = "größer\0".chars().map(|letter| letter as libc::wchar_t).collect();
        // SAFETY: it ends with NUL.
        assert_eq!(shown(&unsafe { Text::of_wide(wide.as_ptr()) }), "größer");
    }

    #[test]
    fn equal_texts_are_kept_once() {
        let (one, other) = (kept(&of(c"one")), kept(&of(c"other")));
        assert!(!one.is_null() && one != other && one == kept(&of(c"one")));
    }
}
