//! Records of calls that commit, duplicate and free datatypes, so that sizes are known before the types are used.

use mpit::object::Bind;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;
use mpit_ffi::datatypes;
use mpit_ffi::host::Host;

use crate::arguments::{Binding, NewType, Type};

pub(crate) fn committed<L: Binding>(datatype: NewType<L>) {
    if let Some(datatype) = datatype.live() {
        datatypes::committed(datatype);
    }
}

/// Stores the size of a type that was duplicated; the duplicate is committed if the original is.
pub(crate) fn duplicated<L: Binding>(old: Type<L>, new: NewType<L>) {
    let Some(abi) = Host::get().map(Host::abi) else { return };
    if datatypes::known_size(abi, abi.clean(old.get())).is_some() {
        committed(new);
    }
}

/// Prepares for a call that frees a type. Its size is dropped before the call: another thread may then use a
/// new type with the same handle.
pub(crate) fn freeing<L: Binding>(datatype: NewType<L>) -> Option<Freeing> {
    let datatype = datatype.get();
    datatypes::freeing(datatype);
    bound_values::freeing(Bind::Datatype, datatype)
}
