//! libc, with fork handlers that models can run, for the models in `core/models`.
#![allow(unsafe_code, reason = "the signature is the one of libc")]

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, PoisonError};

use mpit_models_std::sync::atomic::AtomicU64;

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

/// Makes each access to the handlers a step of the model.
static STEPS: AtomicU64 = AtomicU64::new(0);

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
    STEPS.fetch_add(1, SeqCst);
    if let (Some(before), Some(in_parent), Some(in_child)) = (before, in_parent, in_child) {
        let handlers = Handlers { before, in_parent, in_child };
        REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(handlers);
    }
    0
}

/// Returns the handlers that were registered since the last call.
pub fn take_handlers() -> Vec<Handlers> {
    STEPS.fetch_add(1, SeqCst);
    std::mem::take(&mut *REGISTERED.lock().unwrap_or_else(PoisonError::into_inner))
}
