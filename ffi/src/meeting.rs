//! Meeting an object of the host's for the first time, once, whatever threads and callbacks do meanwhile.
//!
//! The host is asked meanwhile, and may run callbacks of the program that use objects in turn, the same one even. So no lock is
//! held: a list says which thread is meeting what. Tools are notified afterwards, since their callbacks may wait for threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::abi::Handle;

/// Who is meeting which handles of one kind.
#[derive(Debug)]
pub(crate) struct Meetings {
    going_on: Mutex<Vec<(ThreadId, Handle)>>,
    one_ended: Condvar,
}

/// An object that is being met, until it is dropped.
pub(crate) struct Meeting {
    meetings: &'static Meetings,
    handle: Handle,
}

impl Meetings {
    pub(crate) const fn new() -> Self {
        Self { going_on: Mutex::new(Vec::new()), one_ended: Condvar::new() }
    }

    fn list(&self) -> MutexGuard<'_, Vec<(ThreadId, Handle)>> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to meet an object, after whoever else may be at it. `None` if this thread is, or if it is meeting another
    /// object and would have to wait: two such threads could wait for each other.
    pub(crate) fn begin(&'static self, handle: Handle) -> Option<Meeting> {
        let me = thread::current().id();
        let mut list = self.list();
        while list.iter().any(|(_, other)| *other == handle) {
            if list.iter().any(|(thread, _)| *thread == me) {
                return None;
            }
            list = self.one_ended.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        list.push((me, handle));
        Some(Meeting { meetings: self, handle })
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        self.meetings.list().retain(|(_, handle)| *handle != self.handle);
        self.meetings.one_ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Meetings;

    #[test]
    fn one_at_a_time_and_never_itself() {
        static MEETINGS: Meetings = Meetings::new();
        let first = MEETINGS.begin(1).unwrap();
        assert!(MEETINGS.begin(1).is_none());
        let second = MEETINGS.begin(2).unwrap();
        let other = std::thread::spawn(|| MEETINGS.begin(1).is_some());
        drop(second);
        drop(first);
        assert!(other.join().unwrap());
        assert!(MEETINGS.begin(1).is_some());
    }
}
