//! Elements of variables in a tool's memory: how they are copied, added, and checked.

use crate::desc::PvarDesc;
use crate::words::{Class, Datatype};
use crate::{Error, Result};

/// Arithmetic on elements of one type, each in the low bits of a word.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic(pub(super) Datatype);

impl Arithmetic {
    /// `value` and what the cell gained since it was `base`. A sum of `f64` never becomes negative, or no number.
    pub(super) fn gained(self, value: u64, base: u64, raw: u64) -> u64 {
        match self.0 {
            Datatype::Double => {
                let gain = f64::from_bits(raw) - f64::from_bits(base);
                (f64::from_bits(value) + gain).max(0.0).to_bits()
            }
            _ => value.wrapping_add(raw.wrapping_sub(base)),
        }
    }

    /// The address of an element.
    pub(super) fn at(self, start: *const u8, element: usize) -> *const u8 {
        start.wrapping_add(element * self.0.size())
    }

    /// # Safety
    ///
    /// `at` is valid for a read of one element, and aligned.
    #[inline]
    #[allow(clippy::cast_ptr_alignment, reason = "by the caller's promise")]
    pub(super) unsafe fn load(self, at: *const u8) -> u64 {
        match self.0.size() {
            // SAFETY: by the caller's promise.
            1 => u64::from(unsafe { at.read() }),
            // SAFETY: by the caller's promise.
            4 => u64::from(unsafe { at.cast::<u32>().read() }),
            // SAFETY: by the caller's promise.
            _ => unsafe { at.cast::<u64>().read() },
        }
    }

    /// # Safety
    ///
    /// `at` is valid for a write of one element, and aligned.
    #[inline]
    #[allow(clippy::cast_ptr_alignment, reason = "by the caller's promise")]
    pub(super) unsafe fn store(self, at: *mut u8, word: u64) {
        match self.0.size() {
            // SAFETY: by the caller's promise.
            1 => unsafe { at.write(word as u8) },
            // SAFETY: by the caller's promise.
            4 => unsafe { at.cast::<u32>().write(word as u32) },
            // SAFETY: by the caller's promise.
            _ => unsafe { at.cast::<u64>().write(word) },
        }
    }
}

/// Refuses a buffer that elements of this type cannot lie in.
#[inline]
pub(super) fn aligned(buffer: *const u8, datatype: Datatype) -> Result<()> {
    if !buffer.is_null() && buffer.addr() & (datatype.size() - 1) == 0 { Ok(()) } else { Err(Error::Invalid) }
}

/// The elements that count: for text those before the first NUL, else all.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements; for text, of the bytes up to the first NUL if that is less.
pub(super) unsafe fn text_or_all(value: *const u8, datatype: Datatype, count: usize) -> usize {
    if datatype != Datatype::Char {
        return count;
    }
    let is_end = |at: &usize| {
        // SAFETY: no byte before this one was NUL, so it can be read by the caller's promise.
        let byte = unsafe { value.wrapping_add(*at).read() };
        byte == 0
    };
    (0..count).find(is_end).unwrap_or(count)
}

/// Refuses values that no variable of the class has.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements, and aligned.
pub(super) unsafe fn legal(desc: &PvarDesc, value: *const u8, count: usize) -> Result<()> {
    let (arithmetic, enumeration) = (Arithmetic(desc.element()), desc.enumeration());
    for element in 0..count {
        // SAFETY: by the caller's promise.
        let word = unsafe { arithmetic.load(arithmetic.at(value, element)) };
        if desc.element() == Datatype::Double && desc.class() != Class::Generic {
            let most = if desc.class() == Class::Percentage { 1.0 } else { f64::INFINITY };
            if !(0.0..=most).contains(&f64::from_bits(word)) {
                return Err(Error::Invalid);
            }
        }
        if let Some(enumeration) = enumeration {
            enumeration.item((word as u32).cast_signed()).ok_or(Error::Invalid)?;
        }
    }
    Ok(())
}
