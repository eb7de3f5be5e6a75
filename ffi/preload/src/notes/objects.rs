//! Objects that tools may have bound control variables to.

use mpit::words::Bind;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;

use crate::arguments::{Freed, Language};

/// An object is about to be freed.
pub(crate) fn freeing<L: Language>(kind: Bind, object: Freed<L>) -> Option<Freeing> {
    bound_values::freeing(kind, object.get(kind))
}
