//! A memory barrier with a cheap side and an expensive side.
//!
//! Two threads that each store a value and then load the other's need a full fence between store and load, so that at least one of
//! them sees the other's store. A full fence takes 19 ns on x86-64 (`mfence`), and a locked instruction 5 ns. If one of the two
//! sides is rare, it can execute the fence for both: [`heavy`] makes the kernel run a full fence on each processor that runs a
//! thread of this process (`membarrier`), so that [`light`] only has to stop the compiler from moving accesses. Each pair of a light
//! and a heavy barrier has the effect of two sequentially consistent fences.
//!
//! Where the kernel lacks `membarrier`, and in models, both sides are fences.
//!
//! A filter of system calls may be installed later, and refuse `membarrier` to a process that has used it. Then both sides become
//! fences, in two steps. First light barriers become fences; those that other threads executed before are not, and no instruction
//! makes up for them. So the heavy barrier waits for the time of many context switches: processors make each store visible within
//! a finite time, microseconds at most. Later heavy barriers neither call the kernel nor wait.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU8, compiler_fence, fence};

#[cfg(all(target_os = "linux", not(any(miri, mpit_models))))]
use crate::errno::with_errno_kept;

/// Not determined yet: light barriers are fences.
const UNKNOWN: u8 = 0;
/// Both sides are fences.
const FENCES: u8 = 1;
/// The process is registered for `membarrier`, so light barriers stop the compiler only.
const KERNEL: u8 = 2;
/// The kernel has refused `membarrier` after it had accepted it. Light barriers are fences, but recent ones may not have been.
const LEAVING: u8 = 3;

/// The system calls of the heavy barrier.
trait System {
    /// Registers the process for [`synchronize`](Self::synchronize). Returns false if the kernel refuses.
    fn register(&self) -> bool;

    /// Runs a full fence on each processor that runs a thread of this process. Returns false if the kernel refuses.
    fn synchronize(&self) -> bool;

    /// Waits until all stores that other threads have executed before are visible.
    fn wait(&self);
}

/// The two barriers, and their present kind.
struct Barriers<S> {
    kind: AtomicU8,
    system: S,
}

static BARRIERS: Barriers<Kernel> = Barriers::new(Kernel);

/// The cheap side. Works in a signal handler.
#[inline]
pub fn light() {
    if is_light_cheap() { compiler_fence(SeqCst) } else { full_fence() }
}

#[cfg(not(mpit_models))]
#[inline]
fn is_light_cheap() -> bool {
    BARRIERS.kind.load(Relaxed) == KERNEL
}

/// A model without heavy barriers makes light barriers cheap by this, so that they do not replace fences of their surroundings.
#[cfg(mpit_models)]
pub static IS_LIGHT_CHEAP: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

#[cfg(mpit_models)]
fn is_light_cheap() -> bool {
    IS_LIGHT_CHEAP.load(Relaxed)
}

/// A sequentially consistent fence. `fence` is `mfence`, which takes four times as long.
#[cfg(all(target_arch = "x86_64", not(any(miri, mpit_models))))]
#[inline]
pub fn full_fence() {
    // SAFETY: adds no bit to the word on top of the stack, so it does not change.
    unsafe { std::arch::asm!("lock or dword ptr [rsp], 0", options(nostack)) };
}

/// A sequentially consistent fence.
#[cfg(not(all(target_arch = "x86_64", not(any(miri, mpit_models)))))]
pub fn full_fence() {
    fence(SeqCst);
}

/// A sequentially consistent fence after a locked instruction, which is one itself on x86-64.
#[inline]
pub fn fence_after_locked() {
    if cfg!(all(target_arch = "x86_64", not(any(miri, mpit_models)))) {
        compiler_fence(SeqCst);
    } else {
        full_fence();
    }
}

/// The expensive side: a system call of about a microsecond.
pub fn heavy() {
    BARRIERS.heavy();
}

/// Determines the kind of the barriers. Called early, while the process is likely to have one thread: with several, the
/// kernel takes some milliseconds.
#[inline]
pub fn prepare() {
    BARRIERS.prepare();
}

impl<S: System> Barriers<S> {
    const fn new(system: S) -> Self {
        Self { kind: AtomicU8::new(UNKNOWN), system }
    }

    /// Returns the kind, which is not [`UNKNOWN`].
    #[inline]
    fn prepare(&self) -> u8 {
        match self.kind.load(Relaxed) {
            UNKNOWN => self.determine(),
            kind => kind,
        }
    }

    /// Light barriers do not rely on the kernel before this has stored the result, and each heavy barrier calls it first. The first
    /// result counts: of two threads, a filter of system calls may refuse one.
    #[cold]
    fn determine(&self) -> u8 {
        let kind = if self.system.register() { KERNEL } else { FENCES };
        match self.kind.compare_exchange(UNKNOWN, kind, SeqCst, SeqCst) {
            Ok(_) => kind,
            Err(first) => first,
        }
    }

    fn heavy(&self) {
        fence(SeqCst);
        if cfg!(mpit_models) {
            return;
        }
        let is_synchronized = match self.prepare() {
            KERNEL => self.system.synchronize(),
            LEAVING => false,
            _ => true,
        };
        if !is_synchronized {
            self.leave();
        }
    }

    /// Makes both sides fences after the kernel has refused to synchronize. Several threads may do this at once.
    #[cold]
    fn leave(&self) {
        // Fails if another thread was faster.
        let _ = self.kind.compare_exchange(KERNEL, LEAVING, SeqCst, SeqCst);
        // Light barriers from here on are fences; `wait` is for those before.
        fence(SeqCst);
        self.system.wait();
        self.kind.store(FENCES, SeqCst);
    }
}

/// The kernel, for this process.
struct Kernel;

#[cfg(all(target_os = "linux", not(any(miri, mpit_models))))]
impl System for Kernel {
    fn register(&self) -> bool {
        /// `MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED` of `linux/membarrier.h`.
        const REGISTER: libc::c_int = 1 << 4;
        membarrier(REGISTER)
    }

    fn synchronize(&self) -> bool {
        /// `MEMBARRIER_CMD_PRIVATE_EXPEDITED`.
        const SYNCHRONIZE: libc::c_int = 1 << 3;
        // A forked child may not be registered.
        membarrier(SYNCHRONIZE) || self.register() && membarrier(SYNCHRONIZE)
    }

    fn wait(&self) {
        with_errno_kept(|| std::thread::sleep(std::time::Duration::from_millis(10)));
    }
}

#[cfg(all(target_os = "linux", not(any(miri, mpit_models))))]
fn membarrier(command: libc::c_int) -> bool {
    let no_flags: libc::c_int = 0;
    // SAFETY: this system call accesses no memory of the process.
    with_errno_kept(|| unsafe { libc::syscall(libc::SYS_membarrier, command, no_flags) == 0 })
}

#[cfg(not(all(target_os = "linux", not(any(miri, mpit_models)))))]
impl System for Kernel {
    fn register(&self) -> bool {
        false
    }

    fn synchronize(&self) -> bool {
        false
    }

    fn wait(&self) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    use super::{Barriers, FENCES, KERNEL, LEAVING, System, UNKNOWN, heavy, light};

    /// A kernel that accepts or refuses, and counts calls.
    #[derive(Default)]
    struct Scripted {
        refuses: AtomicBool,
        registered: AtomicU32,
        synchronized: AtomicU32,
        waited: AtomicU32,
    }

    impl Scripted {
        fn call(&self, count: &AtomicU32) -> bool {
            count.fetch_add(1, Relaxed);
            !self.refuses.load(Relaxed)
        }
    }

    impl System for &Scripted {
        fn register(&self) -> bool {
            self.call(&self.registered)
        }

        fn synchronize(&self) -> bool {
            self.call(&self.synchronized)
        }

        fn wait(&self) {
            self.waited.fetch_add(1, Relaxed);
        }
    }

    /// Returns the kind, and how often the kernel was called for registration, synchronization and a wait.
    fn state(barriers: &Barriers<&Scripted>) -> (u8, [u32; 3]) {
        let Scripted { registered, synchronized, waited, .. } = barriers.system;
        (barriers.kind.load(Relaxed), [registered, synchronized, waited].map(|count| count.load(Relaxed)))
    }

    #[test]
    fn a_kernel_that_refuses_is_called_once() {
        let kernel = Scripted { refuses: true.into(), ..Scripted::default() };
        let barriers = Barriers::new(&kernel);
        assert_eq!(state(&barriers), (UNKNOWN, [0, 0, 0]));
        barriers.heavy();
        barriers.heavy();
        assert_eq!(state(&barriers), (FENCES, [1, 0, 0]));
    }

    #[test]
    fn a_later_refusal_is_survived() {
        let kernel = Scripted::default();
        let barriers = Barriers::new(&kernel);
        barriers.prepare();
        assert_eq!(state(&barriers), (KERNEL, [1, 0, 0]));
        barriers.heavy();
        assert_eq!(state(&barriers), (KERNEL, [1, 1, 0]));
        kernel.refuses.store(true, Relaxed);
        barriers.heavy();
        assert_eq!(state(&barriers), (FENCES, [1, 2, 1]));
        // Neither a call nor a wait for later ones, even if the kernel would accept.
        kernel.refuses.store(false, Relaxed);
        barriers.heavy();
        barriers.prepare();
        assert_eq!(state(&barriers), (FENCES, [1, 2, 1]));
    }

    /// Light barriers are fences as soon as a refusal is known, and a second thread waits as well.
    #[test]
    fn all_threads_wait_after_a_refusal() {
        struct Waiting<'a>(&'a Barriers<&'a Scripted>);
        impl System for Waiting<'_> {
            fn register(&self) -> bool {
                true
            }

            fn synchronize(&self) -> bool {
                false
            }

            fn wait(&self) {
                // Another thread meanwhile.
                self.0.kind.store(LEAVING, Relaxed);
                self.0.heavy();
            }
        }
        let kernel = Scripted::default();
        let other = Barriers::new(&kernel);
        let barriers = Barriers::new(Waiting(&other));
        barriers.heavy();
        assert_eq!(barriers.kind.load(Relaxed), FENCES);
        assert_eq!(state(&other), (FENCES, [0, 0, 1]));
    }

    /// A filter of system calls refuses `membarrier` to a thread of a process that has used it.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn filters_of_system_calls_keep_errno() {
        // Not those of the process, whose light barriers other tests need to be cheap.
        let barriers = Barriers::new(super::Kernel);
        barriers.heavy();
        crate::errno::tests::check_without(libc::SYS_membarrier, || {
            barriers.heavy();
            assert_eq!(barriers.kind.load(Relaxed), FENCES);
            barriers.heavy();
        });
    }

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
