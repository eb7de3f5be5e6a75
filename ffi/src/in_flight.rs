//! Registrations in progress: each object of the host is registered once, even if several threads or callbacks use it for the
//! first time at once.
//!
//! A registration queries the host. The host may run callbacks of the program, and these may use objects, even the same one.
//! Therefore no lock is held meanwhile: a list contains the threads and the objects that they register. Tools are notified
//! after the registration, because their callbacks may wait for threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::abi::Handle;

thread_local! {
    /// Its address is unlike that of other running threads. The standard library's identity of a thread takes an allocation, which leak
    /// detectors report.
    static THREAD: u8 = const { 0 };
}

/// The registrations in progress, for one kind of object.
#[derive(Debug)]
pub(crate) struct InFlight {
    entries: Mutex<Vec<(usize, Handle)>>,
    finished: Condvar,
}

/// A registration in progress, removed from the list when dropped.
pub(crate) struct InFlightGuard {
    in_flight: &'static InFlight,
    handle: Handle,
}

impl InFlight {
    pub(crate) const fn new() -> Self {
        Self { entries: Mutex::new(Vec::new()), finished: Condvar::new() }
    }

    fn list(&self) -> MutexGuard<'_, Vec<(usize, Handle)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the registration of an object, after waiting for a thread that registers it. Returns `None` instead of waiting if
    /// this thread has a registration in progress: of the same object it would wait for itself, and with different objects two
    /// threads could deadlock.
    pub(crate) fn begin(&'static self, handle: Handle) -> Option<InFlightGuard> {
        let me = THREAD.with(|thread| std::ptr::from_ref(thread).addr());
        let mut list = self.list();
        while list.iter().any(|(_, other)| *other == handle) {
            if list.iter().any(|(thread, _)| *thread == me) {
                return None;
            }
            list = self.finished.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        list.push((me, handle));
        Some(InFlightGuard { in_flight: self, handle })
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.in_flight.list().retain(|(_, handle)| *handle != self.handle);
        self.in_flight.finished.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::InFlight;

    #[test]
    fn one_thread_registers_an_object() {
        static IN_FLIGHT: InFlight = InFlight::new();
        let first = IN_FLIGHT.begin(1).unwrap();
        assert!(IN_FLIGHT.begin(1).is_none());
        let second = IN_FLIGHT.begin(2).unwrap();
        let other = std::thread::spawn(|| IN_FLIGHT.begin(1).is_some());
        drop(second);
        drop(first);
        assert!(other.join().unwrap());
        assert!(IN_FLIGHT.begin(1).is_some());
    }
}
