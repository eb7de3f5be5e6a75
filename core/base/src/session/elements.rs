//! Elements of variables in a tool's memory: loads and stores, arithmetic, and checks.

use crate::cell::PvarDesc;
use crate::vocabulary::{Class, Datatype};
use crate::{Error, Result};

/// Arithmetic on elements of one datatype, each in the low bits of a word.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic(pub(super) Datatype);

impl Arithmetic {
    /// Returns `value` plus the cell's gain from `base` to `raw`. A sum of `f64` never becomes negative or NaN.
    pub(super) fn gained(self, value: u64, base: u64, raw: u64) -> u64 {
        match self.0 {
            Datatype::Double => {
                let gain = f64::from_bits(raw) - f64::from_bits(base);
                (f64::from_bits(value) + gain).max(0.0).to_bits()
            }
            _ => value.wrapping_add(raw.wrapping_sub(base)),
        }
    }

    pub(super) fn at(self, start: *const u8, element: usize) -> *const u8 {
        start.wrapping_add(element * self.0.size())
    }

    /// Loads one element.
    ///
    /// # Safety
    ///
    /// `at` is valid for a read of one element, and aligned.
    #[inline]
    #[allow(clippy::cast_ptr_alignment, reason = "the caller ensures that `at` is aligned")]
    pub(super) unsafe fn load(self, at: *const u8) -> u64 {
        match self.0.size() {
            // SAFETY: the caller ensures that `at` is valid for a read of one element.
            1 => u64::from(unsafe { at.read() }),
            // SAFETY: the caller ensures that `at` is valid for a read of one element, and aligned.
            4 => u64::from(unsafe { at.cast::<u32>().read() }),
            // SAFETY: the caller ensures that `at` is valid for a read of one element, and aligned.
            _ => unsafe { at.cast::<u64>().read() },
        }
    }

    /// Stores one element.
    ///
    /// # Safety
    ///
    /// `at` is valid for a write of one element, and aligned.
    #[inline]
    #[allow(clippy::cast_ptr_alignment, reason = "the caller ensures that `at` is aligned")]
    pub(super) unsafe fn store(self, at: *mut u8, word: u64) {
        match self.0.size() {
            // SAFETY: the caller ensures that `at` is valid for a write of one element.
            1 => unsafe { at.write(word as u8) },
            // SAFETY: the caller ensures that `at` is valid for a write of one element, and aligned.
            4 => unsafe { at.cast::<u32>().write(word as u32) },
            // SAFETY: the caller ensures that `at` is valid for a write of one element, and aligned.
            _ => unsafe { at.cast::<u64>().write(word) },
        }
    }
}

/// Refuses a buffer that is null or misaligned for elements of this datatype.
#[inline]
pub(super) fn check_buffer(buffer: *const u8, datatype: Datatype) -> Result<()> {
    if !buffer.is_null() && buffer.addr() & (datatype.size() - 1) == 0 { Ok(()) } else { Err(Error::Invalid) }
}

/// Returns the number of elements to use: for text those before the first NUL, else all.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements; for text, of the bytes up to the first NUL if that is less.
pub(super) unsafe fn text_or_all(value: *const u8, datatype: Datatype, count: usize) -> usize {
    if datatype != Datatype::Char {
        return count;
    }
    let is_end = |at: &usize| {
        // SAFETY: no byte before this one was NUL, so the caller ensures that it is readable.
        let byte = unsafe { value.wrapping_add(*at).read() };
        byte == 0
    };
    (0..count).find(is_end).unwrap_or(count)
}

/// Refuses values that no variable of the class can have.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements, and aligned.
pub(super) unsafe fn check_values(desc: &PvarDesc, value: *const u8, count: usize) -> Result<()> {
    let (arithmetic, enumeration) = (Arithmetic(desc.datatype()), desc.enumeration());
    for element in 0..count {
        // SAFETY: `element` is less than `count`, and the caller ensures that `value` has `count` aligned elements.
        let word = unsafe { arithmetic.load(arithmetic.at(value, element)) };
        if desc.datatype() == Datatype::Double && desc.class() != Class::Generic {
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
