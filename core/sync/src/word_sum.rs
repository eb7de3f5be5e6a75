//! Sums of counters.

use std::sync::atomic::AtomicU64;

/// Returns the wrapping sum of 16 words, each of which is loaded with acquire ordering.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
pub fn sum_of_16(words: &[AtomicU64; 16]) -> u64 {
    let (even, odd): (u64, u64);
    // The compiler would load each atomic word into a register first, which doubles the number of instructions.
    // SAFETY: loads of the 16 aligned words of `words`. On x86-64 an aligned load of 8 bytes is atomic and has acquire ordering, and
    // the compiler moves no access over an assembler block that may access memory.
    unsafe {
        std::arch::asm!(
            "mov {even}, [{words}]",
            "mov {odd}, [{words} + 8]",
            "add {even}, [{words} + 16]",
            "add {odd}, [{words} + 24]",
            "add {even}, [{words} + 32]",
            "add {odd}, [{words} + 40]",
            "add {even}, [{words} + 48]",
            "add {odd}, [{words} + 56]",
            "add {even}, [{words} + 64]",
            "add {odd}, [{words} + 72]",
            "add {even}, [{words} + 80]",
            "add {odd}, [{words} + 88]",
            "add {even}, [{words} + 96]",
            "add {odd}, [{words} + 104]",
            "add {even}, [{words} + 112]",
            "add {odd}, [{words} + 120]",
            words = in(reg) words.as_ptr(),
            even = out(reg) even,
            odd = out(reg) odd,
            options(nostack),
        );
    }
    even.wrapping_add(odd)
}

/// Returns the wrapping sum of 16 words, each of which is loaded with acquire ordering.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline]
pub fn sum_of_16(words: &[AtomicU64; 16]) -> u64 {
    use std::sync::atomic::Ordering::Acquire;

    words.iter().fold(0, |sum, word| sum.wrapping_add(word.load(Acquire)))
}

#[cfg(test)]
mod tests {
    use std::array;
    use std::sync::atomic::AtomicU64;

    use super::sum_of_16;

    #[test]
    fn each_word_is_added_once() {
        // Each word has a digit of its own.
        let words: [AtomicU64; 16] = array::from_fn(|at| AtomicU64::new(1 << (4 * at)));
        assert_eq!(sum_of_16(&words), 0x1111_1111_1111_1111);
    }

    #[test]
    fn sums_wrap() {
        let words: [AtomicU64; 16] = array::from_fn(|_| AtomicU64::new(u64::MAX));
        assert_eq!(sum_of_16(&words), 16_u64.wrapping_neg());
    }
}
