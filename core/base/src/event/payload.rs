//! The elements of an event on their way to listeners.

use std::mem::MaybeUninit;

use super::desc::EventDesc;
use super::element::{ElementValue, LARGEST_EVENT};
use crate::vocabulary::Datatype;

/// The size of the largest payload, in words.
pub(super) const WORDS: usize = LARGEST_EVENT / 8;

/// The elements of an instance at the displacements of its type. Padding is 0.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// The first `len` words are initialized.
    words: [MaybeUninit<u64>; WORDS],
    len: usize,
}

impl Payload {
    /// Creates a payload of so many bytes, rounded up to words, which are 0. With a constant size, the compiler knows that elements
    /// within it fit.
    #[inline]
    pub(super) const fn with_size(size: usize) -> Self {
        let len = if size < LARGEST_EVENT { size.div_ceil(8) } else { WORDS };
        let mut words = [const { MaybeUninit::uninit() }; WORDS];
        let mut at = 0;
        while at < len {
            words[at] = MaybeUninit::new(0);
            at += 1;
        }
        Self { words, len }
    }

    /// Copies the elements of an event.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of each element of the type.
    #[inline]
    pub(super) unsafe fn copy(&mut self, desc: &EventDesc, value: *const u8) {
        for element in desc.elements() {
            let Some(to) = self.reserve(element.displacement(), element.end()) else { return };
            // SAFETY: the caller ensures that `value` is valid for reads of each element; `reserve` returned space up to the
            // element's end.
            unsafe { copy_element(element.datatype(), value.wrapping_add(element.displacement()), to) };
        }
    }

    /// Stores an element. One that does not fit is ignored; the attribute rejects such types at compile time.
    #[inline]
    pub fn put<V: ElementValue>(&mut self, displacement: usize, value: V) {
        let (first, at) = (displacement / 8, displacement % 8);
        let Some(to) = self.reserve(first * 8, displacement.saturating_add(size_of::<V>())) else { return };
        if at + size_of::<V>() > 8 {
            // SAFETY: `reserve` returned space up to the element's end.
            return unsafe { to.wrapping_add(at).cast::<V>().write_unaligned(value) };
        }
        // Words are written as a whole: they are read soon, and a load from several smaller stores stalls.
        let to = to.cast::<[u8; 8]>();
        // SAFETY: `reserve` returned initialized space that includes this word.
        let mut word = unsafe { to.read() };
        // SAFETY: `at + size_of::<V>()` is at most 8, the size of the word.
        unsafe { word.as_mut_ptr().wrapping_add(at).cast::<V>().write_unaligned(value) };
        // SAFETY: `reserve` returned initialized space that includes this word.
        unsafe { to.write(word) };
    }

    /// Returns the space of the bytes from `start` to `end`, after initializing the words up to `end` that were not.
    #[inline]
    fn reserve(&mut self, start: usize, end: usize) -> Option<*mut u8> {
        if end > LARGEST_EVENT {
            return None;
        }
        while self.len * 8 < end {
            self.push(0);
        }
        Some(self.words.as_mut_ptr().cast::<u8>().wrapping_add(start))
    }

    /// Extends the payload to the extent of the event type, if elements were ignored.
    #[inline]
    pub(super) fn complete(&mut self, desc: &EventDesc) {
        self.reserve(0, desc.extent());
    }

    /// Appends a word. The registry refuses event types with too many.
    #[inline]
    fn push(&mut self, word: u64) {
        self.words[self.len].write(word);
        self.len += 1;
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        let words = std::ptr::from_ref(&self.words[..self.len]);
        // SAFETY: the first `len` words are initialized, the invariant of `len`.
        unsafe { &*(words as *const [u64]) }
    }
}

/// Copies an element, with a single move for each of the usual sizes.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of the datatype.
#[inline]
unsafe fn copy_element(datatype: Datatype, from: *const u8, to: *mut u8) {
    match datatype.size() {
        // SAFETY: the caller ensures that both pointers are valid for the datatype, which has this size.
        8 => unsafe { std::ptr::copy_nonoverlapping(from, to, 8) },
        // SAFETY: the caller ensures that both pointers are valid for the datatype, which has this size.
        4 => unsafe { std::ptr::copy_nonoverlapping(from, to, 4) },
        // SAFETY: the caller ensures that both pointers are valid for the datatype, which has this size.
        size => unsafe { std::ptr::copy_nonoverlapping(from, to, size) },
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_EVENT, Payload};

    #[test]
    fn excess_payload_is_left_out() {
        let mut payload = Payload::with_size(0);
        payload.put(4, 7_i32);
        payload.put(LARGEST_EVENT - 4, 1_u64);
        payload.put(usize::MAX - 2, 1_u64);
        assert_eq!(payload.words(), [7_u64 << 32]);
        payload.put(LARGEST_EVENT - 8, 1_u64);
        assert_eq!((payload.words().len(), payload.words()[1]), (LARGEST_EVENT / 8, 0));
    }
}
