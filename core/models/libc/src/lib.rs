//! libc, with fork handlers that models can run, for the models in `core/models`.
#![allow(unsafe_code, reason = "the signature is the one of libc")]

use std::sync::{Mutex, PoisonError};

pub use ::libc::*;

/// A fork handler.
pub type Handler = unsafe extern "C" fn();

/// The handlers before a fork, and after it in parent and child.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Runs before the fork.
    pub before: Handler,
    /// Runs after the fork in the parent.
    pub in_parent: Handler,
    /// Runs after the fork in the child.
    pub in_child: Handler,
}

static REGISTERED: Mutex<Vec<Handlers>> = Mutex::new(Vec::new());

/// Keeps the handlers for [`take_handlers`].
///
/// # Safety
///
/// There is no condition; the signature is the one of libc.
pub unsafe fn pthread_atfork(
    before: Option<Handler>,
    in_parent: Option<Handler>,
    in_child: Option<Handler>,
) -> c_int {
    if let (Some(before), Some(in_parent), Some(in_child)) = (before, in_parent, in_child) {
        let handlers = Handlers { before, in_parent, in_child };
        REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(handlers);
    }
    0
}

/// Returns the handlers that were registered since the last call.
pub fn take_handlers() -> Vec<Handlers> {
    std::mem::take(&mut *REGISTERED.lock().unwrap_or_else(PoisonError::into_inner))
}
