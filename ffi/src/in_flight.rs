//! Registration of an object of the host, once, even if several threads or callbacks use the object for the
//! first time at once.
//!
//! Registration asks the host, which may run callbacks of the program, which may use objects in turn, even
//! the same one. Therefore no lock is held: a list contains the threads and the objects that they register.
//! Tools are notified afterwards, because their callbacks may wait for threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::abi::Handle;

/// The registrations in progress, for one kind of object.
#[derive(Debug)]
pub(crate) struct InFlight {
    going_on: Mutex<Vec<(ThreadId, Handle)>>,
    one_ended: Condvar,
}

/// A guard of a registration in progress.
pub(crate) struct InFlightGuard {
    in_flight: &'static InFlight,
    handle: Handle,
}

impl InFlight {
    pub(crate) const fn new() -> Self {
        Self { going_on: Mutex::new(Vec::new()), one_ended: Condvar::new() }
    }

    fn list(&self) -> MutexGuard<'_, Vec<(ThreadId, Handle)>> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the registration of an object, after waiting for other threads that register it. Returns `None`
    /// if this thread registers it already, or if it registers another object and would have to wait: two
    /// such threads could deadlock.
    pub(crate) fn begin(&'static self, handle: Handle) -> Option<InFlightGuard> {
        let me = thread::current().id();
        let mut list = self.list();
        while list.iter().any(|(_, other)| *other == handle) {
            if list.iter().any(|(thread, _)| *thread == me) {
                return None;
            }
            list = self.one_ended.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        list.push((me, handle));
        Some(InFlightGuard { in_flight: self, handle })
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.in_flight.list().retain(|(_, handle)| *handle != self.handle);
        self.in_flight.one_ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::InFlight;

    #[test]
    fn one_at_a_time_and_never_itself() {
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
