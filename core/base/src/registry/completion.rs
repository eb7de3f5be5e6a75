//! Completion of a value by code of others, for which other threads wait.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::lock::wait_until;
use crate::static_ref::StaticRef;
use crate::thread_number::thread_number;

/// The state of a value that other threads can find before the thread that created it has completed it.
///
/// The completion runs code of others, which may use the value, so no lock is held: the completing thread finds the incomplete value,
/// and other threads wait. If that code waits for a thread that waits here, neither would continue, and nothing prevents such code.
/// So the wait is limited; afterwards the value is used as it is. The limit also ends waits in a child that was forked meanwhile,
/// which does not have the completing thread.
#[derive(Debug)]
pub(super) struct Completion<T: 'static> {
    /// The value, once it is complete or a thread has waited too long.
    complete: StaticRef<T>,
    /// The number of the thread that completes the value.
    by: AtomicUsize,
    /// The number of threads that wait.
    waiting: AtomicUsize,
}

impl<T: Sync> Completion<T> {
    pub(super) const fn new() -> Self {
        Self { complete: StaticRef::new(), by: AtomicUsize::new(0), waiting: AtomicUsize::new(0) }
    }

    /// Returns the value if it is complete (one load).
    #[inline]
    pub(super) fn get(&self) -> Option<&'static T> {
        self.complete.get()
    }

    /// Returns the number of threads that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// Makes this thread the one that completes the value. To be called before another thread can find the value.
    pub(super) fn begin(&self) {
        self.by.store(thread_number(), Relaxed);
    }

    /// Completes the value by a function. Waiting threads continue even if it panics.
    pub(super) fn run(&self, value: &'static T, complete: impl FnOnce()) {
        struct End<'a, T: Sync + 'static>(&'a StaticRef<T>, &'static T);
        impl<T: Sync + 'static> Drop for End<'_, T> {
            fn drop(&mut self) {
                self.0.set(Some(self.1));
            }
        }
        let _end = End(&self.complete, value);
        complete();
    }

    /// Waits until the value is complete, except in the thread that completes it. Returns false if it is not after the time `limit`;
    /// from then on the value counts as complete, so no thread waits again.
    pub(super) fn wait(&self, value: &'static T, limit: Duration) -> bool {
        // The number was stored before this thread found the value.
        if self.by.load(Relaxed) == thread_number() {
            return true;
        }
        self.waiting.fetch_add(1, Relaxed);
        let is_complete = wait_until(Some(Instant::now() + limit), || self.complete.get().is_some());
        self.waiting.fetch_sub(1, Relaxed);
        if !is_complete {
            self.complete.set(Some(value));
        }
        is_complete
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::thread;
    use std::time::Duration;

    use super::Completion;
    use crate::panic::catch_panic;

    /// A limit that no test reaches.
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn other_threads_wait() {
        static VALUE: AtomicU32 = AtomicU32::new(0);
        let completion = &Completion::new();
        completion.begin();
        thread::scope(|scope| {
            let other = scope.spawn(|| (completion.wait(&VALUE, LONG), VALUE.load(Relaxed)));
            completion.run(&VALUE, || {
                // Without the wait, the other thread ends with the former value.
                while completion.waiting() == 0 && !other.is_finished() {
                    thread::yield_now();
                }
                VALUE.store(7, Relaxed);
            });
            assert_eq!(other.join().unwrap(), (true, 7));
        });
        assert!(completion.get().is_some());
    }

    #[test]
    fn the_completing_thread_does_not_wait() {
        static VALUE: AtomicU32 = AtomicU32::new(0);
        let completion = Completion::new();
        completion.begin();
        completion.run(&VALUE, || assert!(completion.wait(&VALUE, LONG) && completion.get().is_none()));
        assert!(completion.get().is_some());
    }

    /// Tests code that waits for a thread which waits for the completion.
    #[test]
    fn a_wait_ends_at_its_limit() {
        static VALUE: AtomicU32 = AtomicU32::new(0);
        let completion = &Completion::new();
        completion.begin();
        completion.run(&VALUE, || {
            let wait = |limit| thread::scope(|scope| scope.spawn(|| completion.wait(&VALUE, limit)).join());
            assert!(!wait(Duration::ZERO).unwrap());
            assert!(wait(LONG).unwrap(), "no thread waits again");
        });
    }

    #[test]
    fn a_panic_ends_waits() {
        static VALUE: AtomicU32 = AtomicU32::new(0);
        let completion = Completion::new();
        completion.begin();
        let run = || completion.run(&VALUE, || panic!("the test panics on purpose"));
        assert!(catch_panic(run).is_none());
        assert!(completion.get().is_some());
    }
}
