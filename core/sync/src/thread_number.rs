//! A number of the calling thread.

/// Returns a number that no other running thread has, and that is not 0. Works in a signal handler.
///
/// Read anew by each call, and so not `pure`: a function that moves to another thread, as fibers do, must not see the old number.
#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, mpit_models))
))]
#[inline]
pub fn thread_number() -> usize {
    let number: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by the ABI, the word at `fs:0` is the address of the thread's control block. The instruction only loads it.
    unsafe {
        std::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) number, options(nostack, preserves_flags, readonly));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: by the ABI, this register has the address of the thread's control block. The instruction only reads it.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) number, options(nostack, preserves_flags, nomem));
    }
    number
}

/// Returns a number that no other thread has, and that is not 0.
#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, mpit_models))
)))]
pub fn thread_number() -> usize {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static LAST: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<usize> = const { Cell::new(0) };
    }
    if NUMBER.get() == 0 {
        NUMBER.set(LAST.fetch_add(1, Relaxed) + 1);
    }
    NUMBER.get()
}
