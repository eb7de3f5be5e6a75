//! Where a call goes on: the next definition of its function.

use std::ffi::c_void;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use mpit_ffi::host::{Function, foreign};
use mpit_ffi::life;

/// The next definition of a function, for calls of the user's that are passed on.
#[derive(Debug)]
pub(crate) struct Next {
    function: Function,
    /// The next definition, once MPI is known to be up, or to get every call untouched. Until then a function of ours with the same parameters that
    /// looks at the call, since any call may be the first to tell. So a call that nobody listens to is one jump.
    straight: AtomicPtr<c_void>,
}

impl Next {
    /// The next definition of a function, and what is called until it is known: the address of a function with the same
    /// parameters, which calls [`find`](Self::find).
    pub(crate) const fn new(function: Function, until_known: *mut c_void) -> Self {
        Self { function, straight: AtomicPtr::new(until_known) }
    }

    /// What to call where there is nothing to look at: the next definition, or who finds it.
    #[inline]
    pub(crate) fn straight(&self) -> *mut c_void {
        self.straight.load(Acquire)
    }

    /// The next definition, if there is one.
    pub(crate) fn find(&self) -> Option<*mut c_void> {
        let found = self.function.next()?;
        // Once: threads that call at the same time all read it.
        if self.straight() != found && (life::is_known_up() || foreign::is_foreign()) {
            self.straight.store(found, Release);
        }
        Some(found)
    }
}
