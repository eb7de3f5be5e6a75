//! Records of calls that free objects to which tools may have bound control variables.

use mpit::words::Bind;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;

use crate::arguments::{Freed, Language};

/// Prepares for a call that frees an object.
pub(crate) fn freeing<L: Language>(kind: Bind, object: Freed<L>) -> Option<Freeing> {
    bound_values::freeing(kind, object.get(kind))
}
