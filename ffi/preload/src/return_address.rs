//! The return address of the last call of a thread that passed a function of [`sited`](crate::trampoline::sited).

use crate::thread_word;

thread_word::define!("mpit_return_address", size_of::<u64>());

/// Returns the return address that was stored last in this thread.
#[inline]
pub(crate) fn last() -> u64 {
    thread_word::load!("mpit_return_address", 0) as u64
}
