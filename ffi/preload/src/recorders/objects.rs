//! Records of calls that free objects to which tools may have bound control variables.

use mpit::object::Bind;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;

use crate::arguments::{Binding, Freed};

pub(crate) fn freeing<L: Binding>(kind: Bind, object: Freed<L>) -> Option<Freeing> {
    bound_values::freeing(kind, object.get(kind))
}
