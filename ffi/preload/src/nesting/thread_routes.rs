//! The state of the thread that calls, while several threads call at once, and its routes while none of its own calls is in progress.
//!
//! They are in [words of the thread](crate::thread_word), which are read by two instructions. A call that is not counted by them looks for
//! the thread's slot.

use std::marker::PhantomData;
use std::ptr::{from_ref, null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use mpit_sync::thread_slots;

use super::IDLE;
use crate::thread_word;

/// The number of lists of routes.
const LISTS: usize = 2;

#[repr(C)]
struct Words {
    /// Null while a call of the thread is in progress. Machine code reads them.
    idle: [AtomicPtr<()>; LISTS],
    /// Null while the thread has no routes.
    own: [AtomicPtr<()>; LISTS],
    /// A state like that of the process.
    state: AtomicUsize,
}

thread_word::define!("mpit_preload_thread_routes", size_of::<Words>());

/// Runs a function with the words of this thread.
#[inline]
fn with_words<R>(run: impl FnOnce(&Words) -> R) -> R {
    let words = with_exposed_provenance::<Words>(thread_word::address!("mpit_preload_thread_routes"));
    // SAFETY: the words exist as long as the thread, which runs `run`; they are atomic and zero at first, which are null pointers
    // and the idle state.
    run(unsafe { &*words })
}

/// Returns a word of [`Words::idle`] of this thread.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the fast path of each send")]
fn idle<const INDEX: usize>() -> *mut () {
    with_exposed_provenance_mut(thread_word::load!("mpit_preload_thread_routes", INDEX * size_of::<usize>()))
}

/// One of the lists of routes that a thread may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadRoutes<T: 'static, const INDEX: usize>(PhantomData<&'static T>);

#[allow(clippy::unused_self, reason = "a value shows that the index has lists of this type only")]
impl<T: Sync + 'static, const INDEX: usize> ThreadRoutes<T, INDEX> {
    /// # Safety
    ///
    /// No list of another type has this index.
    pub(crate) const unsafe fn new() -> Self {
        assert!(INDEX < LISTS);
        Self(PhantomData)
    }

    /// Returns the routes of this thread, if it has some and none of its calls is in progress.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the fast path of each send")]
    pub(crate) fn idle(self) -> Option<&'static T> {
        // SAFETY: the word is null or the address of a `&'static T`, which `set` stored.
        unsafe { idle::<INDEX>().cast::<T>().as_ref() }
    }

    /// Sets the routes of this thread, which has a slot. They are those of the slot.
    pub(crate) fn set(self, routes: &'static T) {
        thread_slots::set_at_release(forget);
        super::leave_process_state();
        let is_idle = super::is_this_thread_idle();
        let routes = from_ref(routes).cast_mut().cast();
        with_words(|words| {
            words.own[INDEX].store(routes, Relaxed);
            words.idle[INDEX].store(if is_idle { routes } else { null_mut() }, Relaxed);
        });
    }
}

#[inline]
pub(super) fn state() -> usize {
    with_words(|words| words.state.load(Relaxed))
}

#[inline]
pub(super) fn set_state(state: usize) {
    with_words(|words| {
        words.state.store(state, Relaxed);
        for (idle, own) in words.idle.iter().zip(&words.own) {
            idle.store(if state == IDLE { own.load(Relaxed) } else { null_mut() }, Relaxed);
        }
    });
}

/// Forgets the routes of this thread, which releases its slot.
fn forget() {
    with_words(|words| words.idle.iter().chain(&words.own).for_each(|word| word.store(null_mut(), Relaxed)));
}

#[cfg(test)]
mod tests {
    use super::{IDLE, ThreadRoutes, forget, set_state};

    static LISTS: [u32; 2] = [1, 2];

    const FIRST: ThreadRoutes<u32, 0> =
        // SAFETY: the threads of this test have no other routes.
        unsafe { ThreadRoutes::new() };
    const SECOND: ThreadRoutes<u32, 1> =
        // SAFETY: the threads of this test have no other routes.
        unsafe { ThreadRoutes::new() };

    #[test]
    fn routes_are_those_of_an_idle_thread() {
        let of_thread = || {
            assert_eq!((FIRST.idle(), SECOND.idle()), (None, None));
            FIRST.set(&LISTS[0]);
            assert_eq!((FIRST.idle(), SECOND.idle()), (Some(&1), None));
            SECOND.set(&LISTS[1]);
            assert_eq!((FIRST.idle(), SECOND.idle()), (Some(&1), Some(&2)));
            set_state(IDLE + 16);
            assert_eq!((FIRST.idle(), SECOND.idle()), (None, None));
            set_state(IDLE);
            assert_eq!((FIRST.idle(), SECOND.idle()), (Some(&1), Some(&2)));
            forget();
            set_state(IDLE);
            assert_eq!((FIRST.idle(), SECOND.idle()), (None, None));
        };
        for _ in 0..2 {
            std::thread::spawn(of_thread).join().unwrap();
        }
    }
}
