//! The boundary that panics do not cross: to C, to the MPI library, to the program that raised an event.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a function. Returns `None` if it panics; the panic hook has reported that.
///
/// The use of `catch_unwind` alone is not a boundary: the payload is a value of the code that panicked, and its destructor may panic
/// as well.
#[inline]
#[allow(clippy::disallowed_methods, reason = "the only use of it, which takes care of the payload")]
pub fn catch_panic<R>(body: impl FnOnce() -> R) -> Option<R> {
    // Unwind-safe, because code behind a boundary changes only atomics and locks that survive a panic.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => Some(result),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Drops the messages of usual panics, and leaks all other payloads.
#[cold]
fn discard(payload: Box<dyn Any + Send>) {
    if !payload.is::<&'static str>() && !payload.is::<String>() {
        mem::forget(payload);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::catch_panic;

    /// A payload whose destructor panics with such a payload again, so many times.
    struct PanicsWhenDropped(u32);

    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            if self.0 > 0 {
                panic_any(Self(self.0 - 1));
            }
        }
    }

    #[test]
    fn payloads_are_not_dropped() {
        assert_eq!(catch_panic(|| 7), Some(7));
        for depth in 0..4 {
            assert_eq!(catch_panic(|| -> u32 { panic_any(PanicsWhenDropped(depth)) }), None);
            assert_eq!(catch_panic(|| -> u32 { panic_any(Box::new(PanicsWhenDropped(depth))) }), None);
        }
        assert_eq!(catch_panic(|| -> u32 { panic!("{}", "on purpose") }), None);
    }
}
