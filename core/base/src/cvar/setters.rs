//! The order of concurrent writes of a control variable.
//!
//! A write calls a function of the definition, which applies the value, and then stores the value. No lock is held during that call, so of
//! two threads that write, the first to apply may be the last to store. Neither waits for the other, since the function may wait for a
//! thread that writes. Instead, the last one that ends calls the function again, for the value that is stored. If another thread wrote
//! meanwhile, this is repeated.

use std::panic::{AssertUnwindSafe, resume_unwind};

use crate::lock::Mutex;
use crate::panic::catch_panic;
use crate::thread_number::thread_number;
use crate::{Error, Result};

/// The number of repetitions in one write. More are only needed if each call of the function makes another thread write the variable,
/// which would go on without end.
const MAX_REPETITIONS: u32 = 100;

/// The writes of a variable that are in progress.
pub(crate) struct Setters(Mutex<Vec<Write>>);

/// A write of the value of one object, or of the only value (`None`).
struct Write {
    object: Option<u64>,
    thread: usize,
    has_applied: bool,
    /// The number of writes that applied a value and ended, while another one was always in progress.
    applied_before: usize,
}

impl Write {
    fn new(object: Option<u64>, thread: usize) -> Self {
        Self { object, thread, has_applied: false, applied_before: 0 }
    }

    fn is_of(&self, object: Option<u64>, thread: usize) -> bool {
        self.object == object && self.thread == thread
    }
}

impl Setters {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Writes a value by `set`, which applies and stores it, or returns an error. Afterwards `apply_again` applies the stored value, if
    /// threads wrote at the same time. Both may call foreign code, so the caller must hold no lock.
    pub(crate) fn run(
        &self,
        object: Option<u64>,
        set: impl FnOnce() -> Result<()>,
        apply_again: impl Fn(),
    ) -> Result<()> {
        let is_nested = !self.enter(object)?;
        #[allow(clippy::disallowed_methods, reason = "the panic is continued")]
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(set));
        // A function that panics may have applied the value.
        if !matches!(outcome, Ok(Err(_))) {
            self.note_applied(object);
        }
        // In the function of this thread's own write of the variable; that write ends later.
        if !is_nested {
            let mut repetitions = 0..MAX_REPETITIONS;
            while self.leave(object, repetitions.next().is_some()) {
                let _ = catch_panic(&apply_again);
                self.note_applied(object);
            }
        }
        outcome.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Enters this thread. Returns false if it is writing the value already.
    fn enter(&self, object: Option<u64>) -> Result<bool> {
        let thread = thread_number();
        let mut writes = self.0.lock();
        let is_nested = writes.iter().any(|write| write.is_of(object, thread));
        if !is_nested {
            writes.try_reserve(1).map_err(|_| Error::Memory)?;
            writes.push(Write::new(object, thread));
        }
        Ok(!is_nested)
    }

    /// Notes that this thread has applied a value.
    fn note_applied(&self, object: Option<u64>) {
        let thread = thread_number();
        let mut writes = self.0.lock();
        if let Some(own) = writes.iter_mut().find(|write| write.is_of(object, thread)) {
            own.has_applied = true;
        }
    }

    /// Ends the write of this thread, unless it must apply the stored value again: as the last one of several that applied values.
    fn leave(&self, object: Option<u64>, may_repeat: bool) -> bool {
        let thread = thread_number();
        let mut writes = self.0.lock();
        let Some(own) = writes.iter().position(|write| write.is_of(object, thread)) else { return false };
        let own = writes.swap_remove(own);
        let applied = own.applied_before + usize::from(own.has_applied);
        if let Some(other) = writes.iter_mut().find(|write| write.object == object) {
            other.applied_before += applied;
            return false;
        }
        let is_repeated = applied > 1 && may_repeat;
        if is_repeated {
            // In the memory of the write that was removed.
            writes.push(Write::new(object, thread));
        }
        is_repeated
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::SeqCst};
    use std::thread;

    use super::MAX_REPETITIONS;
    use crate::Error;
    use crate::cvar::{Cvar, ObjectCvar};
    use crate::panic::catch_panic;

    /// A step of one thread that another one waits for.
    struct Step(AtomicBool);

    impl Step {
        const fn new() -> Self {
            Self(AtomicBool::new(false))
        }

        fn reach(&self) {
            self.0.store(true, SeqCst);
        }

        fn wait(&self) {
            while !self.0.load(SeqCst) {
                thread::yield_now();
            }
        }
    }

    /// Two writes at once, of which the first to apply its value stores it last.
    struct Overlap {
        is_first_applied: Step,
        is_second_done: Step,
        applied: AtomicI32,
        calls: AtomicU32,
    }

    impl Overlap {
        const fn new() -> Self {
            Self {
                is_first_applied: Step::new(),
                is_second_done: Step::new(),
                applied: AtomicI32::new(0),
                calls: AtomicU32::new(0),
            }
        }

        fn apply(&self, value: i32) {
            self.calls.fetch_add(1, SeqCst);
            self.applied.store(value, SeqCst);
            if value == 1 {
                self.is_first_applied.reach();
                self.is_second_done.wait();
            }
        }

        /// Returns the last value that was applied, and the number of calls.
        fn run(&self, first: impl FnOnce() + Send, second: impl FnOnce()) -> (i32, u32) {
            thread::scope(|scope| {
                scope.spawn(first);
                self.is_first_applied.wait();
                second();
                self.is_second_done.reach();
            });
            (self.applied.load(SeqCst), self.calls.load(SeqCst))
        }
    }

    #[test]
    fn the_stored_value_is_applied_last() {
        static OVERLAP: Overlap = Overlap::new();
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            OVERLAP.apply(value);
            Ok(())
        });
        let ended = OVERLAP.run(|| VALUE.set(1).unwrap(), || VALUE.set(2).unwrap());
        assert_eq!((VALUE.get(), ended), (1, (1, 3)));
    }

    #[test]
    fn each_object_has_its_order() {
        static OVERLAP: Overlap = Overlap::new();
        static VALUE: ObjectCvar<i32> = ObjectCvar::new(0).on_set(|object, value| {
            if object == Some(7) {
                OVERLAP.apply(value);
            }
            Ok(())
        });
        let others = || {
            VALUE.set(8, 3).unwrap();
            VALUE.set_default(4).unwrap();
        };
        let second = || {
            others();
            VALUE.set(7, 2).unwrap();
        };
        let ended = OVERLAP.run(|| VALUE.set(7, 1).unwrap(), second);
        assert_eq!((VALUE.get(7), VALUE.get(8), VALUE.get(9), ended), (1, 3, 4, (1, 3)));
    }

    #[test]
    fn objects_are_set_independently() {
        static APART: Overlap = Overlap::new();
        static OTHER: ObjectCvar<i32> = ObjectCvar::new(0).on_set(|_, value| {
            APART.apply(value);
            Ok(())
        });
        let ended = APART.run(|| OTHER.set(7, 1).unwrap(), || OTHER.set(8, 2).unwrap());
        assert_eq!((OTHER.get(7), OTHER.get(8), ended), (1, 2, (2, 2)));
    }

    #[test]
    fn refused_values_are_not_applied() {
        static OVERLAP: Overlap = Overlap::new();
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            if value == 2 {
                return Err(Error::CvarSetNotNow);
            }
            OVERLAP.apply(value);
            Ok(())
        });
        let ended =
            OVERLAP.run(|| VALUE.set(1).unwrap(), || assert_eq!(VALUE.set(2), Err(Error::CvarSetNotNow)));
        assert_eq!((VALUE.get(), ended), (1, (1, 1)));
    }

    #[test]
    fn a_panic_leaves_the_stored_value_applied() {
        static OVERLAP: Overlap = Overlap::new();
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            OVERLAP.apply(value);
            assert_ne!(value, 1, "this test panics on purpose");
            Ok(())
        });
        let panics = || assert!(catch_panic(|| VALUE.set(1)).is_none(), "the panic reaches the caller");
        let ended = OVERLAP.run(panics, || VALUE.set(2).unwrap());
        assert_eq!((VALUE.get(), ended), (2, (2, 3)));
    }

    #[test]
    fn a_function_may_set_its_variable() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            CALLS.fetch_add(1, SeqCst);
            if value > 9 { VALUE.set(9) } else { Ok(()) }
        });
        assert_eq!(VALUE.set(20), Ok(()));
        assert_eq!((VALUE.get(), CALLS.load(SeqCst)), (20, 2));
    }

    #[test]
    fn repetitions_end() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        static IS_INSIDE: AtomicBool = AtomicBool::new(false);
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            CALLS.fetch_add(1, SeqCst);
            if !IS_INSIDE.swap(true, SeqCst) {
                thread::spawn(move || VALUE.set(value + 1)).join().unwrap()?;
                IS_INSIDE.store(false, SeqCst);
            }
            Ok(())
        });
        VALUE.set(1).unwrap();
        assert_eq!(CALLS.load(SeqCst), 2 + 2 * MAX_REPETITIONS);
    }

    #[test]
    fn threads_apply_the_stored_value() {
        static APPLIED: AtomicI32 = AtomicI32::new(0);
        static VALUE: Cvar<i32> = Cvar::new(0).on_set(|value| {
            APPLIED.store(value, SeqCst);
            thread::yield_now();
            Ok(())
        });
        for _ in 0..if cfg!(miri) { 3 } else { 100 } {
            thread::scope(|scope| {
                for value in 1..4 {
                    scope.spawn(move || (0..5).try_for_each(|more| VALUE.set(10 * value + more)));
                }
            });
            assert_eq!(VALUE.get(), APPLIED.load(SeqCst));
        }
    }
}
