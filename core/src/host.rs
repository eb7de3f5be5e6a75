//! What the host tells this crate of its life.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Says that MPI is initialized from now on: control variables that are settable only before are frozen.
pub fn set_initialized() {
    INITIALIZED.store(true, Relaxed);
}

/// Whether MPI was initialized.
#[must_use]
pub fn is_initialized() -> bool {
    INITIALIZED.load(Relaxed)
}
