//! Records of sessions.

use mpit_ffi::life;

use crate::arguments::{C, NewSession};

/// Records a session that was initialized in C.
pub(crate) fn initialized(session: NewSession<C>) {
    life::session_initialized(session.get());
}
