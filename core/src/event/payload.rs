//! The elements of an event on their way to those who listen.

use std::mem::MaybeUninit;

use crate::__private::element::ElementValue;
use crate::desc::{EventDesc, LARGEST_EVENT};
use crate::words::Datatype;

/// Words of the largest payload.
pub(super) const WORDS: usize = LARGEST_EVENT / 8;

/// The elements of an instance at the displacements that its type tells; what lies between is 0.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// The first `len` are initialized.
    words: [MaybeUninit<u64>; WORDS],
    len: usize,
}

impl Payload {
    #[inline]
    pub(super) const fn new() -> Self {
        Self { words: [const { MaybeUninit::uninit() }; WORDS], len: 0 }
    }

    /// Copies the elements of an event.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of each element of the type.
    #[inline]
    pub(super) unsafe fn copy(&mut self, desc: &EventDesc, value: *const u8) {
        for element in desc.elements() {
            let Some(to) = self.room(element.displacement(), element.end()) else { return };
            // SAFETY: by the caller's promise, and `room` has so many bytes.
            unsafe { copy_element(element.datatype(), value.wrapping_add(element.displacement()), to) };
        }
    }

    /// Fills in an element. What does not fit is left out; the attribute sees to it that all does.
    #[inline]
    pub fn put<V: ElementValue>(&mut self, displacement: usize, value: V) {
        let (first, at) = (displacement / 8, displacement % 8);
        let Some(to) = self.room(first * 8, displacement.saturating_add(size_of::<V>())) else { return };
        if at + size_of::<V>() > 8 {
            // SAFETY: `room` has so many bytes.
            return unsafe { to.wrapping_add(at).cast::<V>().write_unaligned(value) };
        }
        // Words are written as a whole, because they are read so soon.
        let to = to.cast::<[u8; 8]>();
        // SAFETY: `room` has this word, which is initialized.
        let mut word = unsafe { to.read() };
        // SAFETY: it fits into the word.
        unsafe { word.as_mut_ptr().wrapping_add(at).cast::<V>().write_unaligned(value) };
        // SAFETY: as above.
        unsafe { to.write(word) };
    }

    /// Where the bytes from `start` to `end` lie, after so many words were made as they take.
    #[inline]
    fn room(&mut self, start: usize, end: usize) -> Option<*mut u8> {
        if end > LARGEST_EVENT {
            return None;
        }
        while self.len * 8 < end {
            self.push(0);
        }
        Some(self.words.as_mut_ptr().cast::<u8>().wrapping_add(start))
    }

    /// Makes it as long as the event type says, should something have been left out.
    #[inline]
    pub(super) fn complete(&mut self, desc: &EventDesc) {
        self.room(0, desc.extent());
    }

    /// Appends a word. The registry admits no event that has too many.
    #[inline]
    pub(super) fn push(&mut self, word: u64) {
        self.words[self.len].write(word);
        self.len += 1;
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        let words = std::ptr::from_ref(&self.words[..self.len]);
        // SAFETY: so many are initialized.
        unsafe { &*(words as *const [u64]) }
    }
}

/// Copies an element, in one move for each size there is.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of the datatype.
#[inline]
unsafe fn copy_element(datatype: Datatype, from: *const u8, to: *mut u8) {
    match datatype.size() {
        // SAFETY: by the caller's promise.
        8 => unsafe { std::ptr::copy_nonoverlapping(from, to, 8) },
        // SAFETY: by the caller's promise.
        4 => unsafe { std::ptr::copy_nonoverlapping(from, to, 4) },
        // SAFETY: by the caller's promise.
        size => unsafe { std::ptr::copy_nonoverlapping(from, to, size) },
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_EVENT, Payload};

    #[test]
    fn what_does_not_fit_into_an_instance_is_left_out() {
        let mut payload = Payload::new();
        payload.put(4, 7_i32);
        payload.put(LARGEST_EVENT - 4, 1_u64);
        payload.put(usize::MAX - 2, 1_u64);
        assert_eq!(payload.words(), [7_u64 << 32]);
        payload.put(LARGEST_EVENT - 8, 1_u64);
        assert_eq!((payload.words().len(), payload.words()[1]), (LARGEST_EVENT / 8, 0));
    }
}
