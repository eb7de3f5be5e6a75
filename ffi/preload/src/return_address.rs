//! The return address of the last call of a thread that passed a function of [`sited`](crate::trampoline::sited), or the code of all calls.

use crate::thread_word;

thread_word::define!("mpit_return_address", size_of::<u64>());

/// Returns the return address that was stored last in this thread.
#[inline]
pub(crate) fn last() -> u64 {
    thread_word::load!("mpit_return_address", 0) as u64
}

/// Stores the return address of a call that this thread makes.
#[inline]
pub(crate) fn store(address: usize) {
    let word = std::ptr::with_exposed_provenance_mut::<usize>(thread_word::address!("mpit_return_address"));
    // SAFETY: the word exists as long as the thread, and no other thread uses it.
    unsafe { word.write(address) };
}
