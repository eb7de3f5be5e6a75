//! Words that each thread has, in the initial-exec model: their distance from the control block of a thread is constant, so that it takes
//! no function call to find them. The dynamic linker allocates them when it loads the library with the program, and reserves space for
//! those of libraries that are loaded later.
//!
//! Words are named by a symbol, which is a literal, because machine code refers to it.

/// Defines words that are zero at first.
macro_rules! define {
    ($symbol:literal, $size:expr) => {
        std::arch::global_asm!(
            concat!(".pushsection .tbss.", $symbol, ", \"awT\", %nobits"),
            concat!(".globl ", $symbol),
            concat!(".hidden ", $symbol),
            concat!(".type ", $symbol, ", %object"),
            concat!(".size ", $symbol, ", {size}"),
            ".p2align 5",
            concat!($symbol, ":"),
            ".zero {size}",
            ".popsection",
            size = const $size,
        );
    };
}
pub(crate) use define;

/// Returns the address of the words of this thread. Not kept in a variable: a function may move to another thread, as fibers do.
macro_rules! address {
    ($symbol:literal) => {{
        let address: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: by the ABI, `fs:0` has the address of the thread's control block, to which the offset of a thread-local variable is added.
        unsafe {
            std::arch::asm!(
                "mov {address}, qword ptr fs:[0]",
                concat!("add {address}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                address = out(reg) address,
                options(nostack, readonly),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: by the ABI, this register has the address of the thread's control block, to which the offset of a thread-local variable
        // is added.
        unsafe {
            std::arch::asm!(
                concat!("adrp {offset}, :gottprel:", $symbol),
                concat!("ldr {offset}, [{offset}, :gottprel_lo12:", $symbol, "]"),
                "mrs {address}, tpidr_el0",
                "add {address}, {address}, {offset}",
                offset = out(reg) _,
                address = out(reg) address,
                options(nostack, preserves_flags, readonly),
            );
        }
        address
    }};
}
pub(crate) use address;

/// Loads the word of this thread at an offset in bytes from the symbol.
macro_rules! load {
    ($symbol:literal, $offset:expr) => {{
        let word: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: by the ABI, `fs` has the address to which the offset of a thread-local variable is added; the words have this one.
        unsafe {
            std::arch::asm!(
                concat!("mov {word}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                "mov {word}, qword ptr fs:[{word} + {offset}]",
                word = out(reg) word,
                offset = const $offset,
                options(nostack, preserves_flags, readonly),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: by the ABI, this register has the address of the thread's control block, to which the offset of a thread-local variable
        // is added; the words have this one.
        unsafe {
            std::arch::asm!(
                concat!("adrp {word}, :gottprel:", $symbol),
                concat!("ldr {word}, [{word}, :gottprel_lo12:", $symbol, "]"),
                "mrs {thread}, tpidr_el0",
                "add {word}, {word}, {thread}",
                "ldr {word}, [{word}, {offset}]",
                word = out(reg) word,
                thread = out(reg) _,
                offset = const $offset,
                options(nostack, preserves_flags, readonly),
            );
        }
        word
    }};
}
pub(crate) use load;
