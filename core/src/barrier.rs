//! A memory barrier with a cheap side and an expensive side.
//!
//! Two threads that each store a value and then load the other's need a full fence between store and load, so that at least one of
//! them sees the other's store. A full fence takes 19 ns on x86-64 (`mfence`), and a locked instruction 5 ns. If one of the two
//! sides is rare, it can execute the fence for both: [`heavy`] makes the kernel run a full fence on each processor that runs a
//! thread of this process (`membarrier`), so that [`light`] only has to stop the compiler from moving accesses. Each pair of a light
//! and a heavy barrier has the effect of two sequentially consistent fences.
//!
//! Where the kernel lacks `membarrier`, and in models, both sides are fences.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU8, compiler_fence, fence};

/// Not determined yet: light barriers are fences.
const UNKNOWN: u8 = 0;
/// Both sides are fences.
const FENCES: u8 = 1;
/// The process is registered for `membarrier`, so light barriers stop the compiler only.
const KERNEL: u8 = 2;

static KIND: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The cheap side. Works in a signal handler.
#[inline]
pub(crate) fn light() {
    if !cfg!(mpit_models) && KIND.load(Relaxed) == KERNEL {
        compiler_fence(SeqCst);
    } else {
        full_fence();
    }
}

/// A sequentially consistent fence. `fence` is `mfence`, which takes four times as long.
#[cfg(all(target_arch = "x86_64", not(any(miri, mpit_models))))]
#[inline]
fn full_fence() {
    // SAFETY: adds no bit to the word on top of the stack, so it does not change.
    unsafe { std::arch::asm!("lock or dword ptr [rsp], 0", options(nostack)) };
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, mpit_models)))))]
fn full_fence() {
    fence(SeqCst);
}

/// The expensive side: a system call of about a microsecond.
pub(crate) fn heavy() {
    fence(SeqCst);
    if !cfg!(mpit_models) && prepare() && !kernel::synchronize() {
        // The kernel refuses it from now on, because of a filter of system calls. Stores of other threads become visible within
        // nanoseconds, though nothing guarantees it.
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Determines the kind of the barriers. Called early, while the process is likely to have one thread: with several, the
/// kernel takes some milliseconds. Returns true if light barriers stop the compiler only.
#[inline]
pub(crate) fn prepare() -> bool {
    match KIND.load(Relaxed) {
        UNKNOWN => determine(),
        kind => kind == KERNEL,
    }
}

/// Light barriers do not rely on the kernel before this has stored the result, and each heavy barrier calls it first. The first
/// result counts: of two threads, a filter of system calls may refuse one.
#[cold]
fn determine() -> bool {
    let kind = if !cfg!(mpit_models) && kernel::register() { KERNEL } else { FENCES };
    match KIND.compare_exchange(UNKNOWN, kind, SeqCst, SeqCst) {
        Ok(_) => kind == KERNEL,
        Err(first) => first == KERNEL,
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod kernel {
    /// `MEMBARRIER_CMD_PRIVATE_EXPEDITED` of `linux/membarrier.h`.
    const SYNCHRONIZE: libc::c_int = 1 << 3;
    /// `MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED`.
    const REGISTER: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> bool {
        let no_flags: libc::c_int = 0;
        // SAFETY: this system call accesses no memory of the process.
        unsafe { libc::syscall(libc::SYS_membarrier, command, no_flags) == 0 }
    }

    pub(super) fn register() -> bool {
        membarrier(REGISTER)
    }

    /// Runs a full fence on each processor that runs a thread of this process. Returns false if the kernel refuses.
    pub(super) fn synchronize() -> bool {
        // A forked child may not be registered.
        membarrier(SYNCHRONIZE) || register() && membarrier(SYNCHRONIZE)
    }
}

#[cfg(any(not(target_os = "linux"), miri))]
mod kernel {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn synchronize() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::{heavy, light};

    const TURNS: u32 = if cfg!(miri) { 10 } else { 20_000 };

    /// Two threads store and then load; at least one sees the other's store.
    #[test]
    fn one_side_sees_the_other() {
        let (start, end) = (Barrier::new(2), Barrier::new(2));
        let words = [const { AtomicU32::new(0) }; 2];
        let side = |mine: usize, barrier: fn()| {
            let mut missed = Vec::new();
            for turn in 1..=TURNS {
                start.wait();
                words[mine].store(turn, Relaxed);
                barrier();
                missed.push(words[1 - mine].load(Relaxed) < turn);
                end.wait();
            }
            missed
        };
        let (cheap, expensive) = std::thread::scope(|scope| {
            let cheap = scope.spawn(|| side(0, light));
            let expensive = side(1, heavy);
            (cheap.join().unwrap(), expensive)
        });
        assert!(!cheap.into_iter().zip(expensive).any(|(cheap, expensive)| cheap && expensive));
    }
}
