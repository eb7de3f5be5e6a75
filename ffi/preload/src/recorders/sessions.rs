//! Records of sessions.

use mpit_ffi::lifecycle;

use crate::arguments::{C, NewSession};

pub(crate) fn initialized(session: NewSession<C>) {
    lifecycle::session_initialized(session.get());
}
