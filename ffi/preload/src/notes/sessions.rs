//! Sessions of MPI.

use mpit_ffi::life;

use crate::arguments::{C, NewSession};

/// A session was initialized in C.
pub(crate) fn initialized(session: NewSession<C>) {
    life::session_initialized(session.get());
}
