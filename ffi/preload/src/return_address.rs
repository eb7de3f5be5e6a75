//! The return address of the last call of a thread that passed a function of [`sited`](crate::trampoline::sited).

// The distance of the word from the control block of a thread is constant, so that it takes no function call to find it. The dynamic
// linker reserves space for such words of libraries that are loaded late.
std::arch::global_asm!(
    ".pushsection .tbss.mpit_return_address, \"awT\", @nobits",
    ".globl mpit_return_address",
    ".hidden mpit_return_address",
    ".type mpit_return_address, @object",
    ".size mpit_return_address, 8",
    ".p2align 3",
    "mpit_return_address:",
    ".zero 8",
    ".popsection",
);

/// Returns the return address that was stored last in this thread.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn last() -> u64 {
    let address: u64;
    // SAFETY: the instructions only read a thread-local word of this library, which each thread has.
    unsafe {
        std::arch::asm!(
            "mov {address}, qword ptr [rip + mpit_return_address@GOTTPOFF]",
            "mov {address}, qword ptr fs:[{address}]",
            address = out(reg) address,
            options(nostack, readonly, preserves_flags),
        );
    }
    address
}

/// Returns the return address that was stored last in this thread.
#[cfg(target_arch = "aarch64")]
#[inline]
pub(crate) fn last() -> u64 {
    let address: u64;
    // SAFETY: the instructions only read a thread-local word of this library, which each thread has.
    unsafe {
        std::arch::asm!(
            "adrp {address}, :gottprel:mpit_return_address",
            "ldr {address}, [{address}, :gottprel_lo12:mpit_return_address]",
            "mrs {thread}, tpidr_el0",
            "ldr {address}, [{thread}, {address}]",
            address = out(reg) address,
            thread = out(reg) _,
            options(nostack, readonly, preserves_flags),
        );
    }
    address
}
