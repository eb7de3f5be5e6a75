//! The state of the MPI library underneath, the host: initialized or not, its thread level, and when it changed.

pub mod revision;
pub mod threads;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Marks MPI as initialized. Control variables that can be set only before initialization are frozen from now on.
pub fn set_initialized() {
    INITIALIZED.store(true, Relaxed);
}

/// Returns true if MPI was initialized.
pub fn is_initialized() -> bool {
    INITIALIZED.load(Relaxed)
}
