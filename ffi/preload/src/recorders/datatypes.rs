//! Records of calls that commit, duplicate and free datatypes, so that sizes are known before the types are used;
//! and the sizes of other types.

use mpit::object::Bind;
use mpit_ffi::abi::LiveDatatype;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;
use mpit_ffi::datatypes;
use mpit_ffi::host::Host;

use crate::arguments::{Any, NewType, Type};

pub(crate) fn committed(datatype: NewType<Any>) {
    if let Some(datatype) = datatype.live() {
        datatypes::committed(datatype);
    }
}

/// Stores the size of a type that was duplicated; the duplicate is committed if the original is.
pub(crate) fn duplicated(old: Type<Any>, new: NewType<Any>) {
    let Some(abi) = Host::get().map(Host::abi) else { return };
    if datatypes::known_size(abi, abi.clean(old.get())).is_some() {
        committed(new);
    }
}

/// Returns the bytes of one element; 0 for the null handle. Queries the library for a type whose commit was not observed.
pub(crate) fn query_size(datatype: Option<LiveDatatype<'_>>) -> u64 {
    datatype.map_or(0, |datatype| datatypes::size(mpit_ffi::abi(), datatype))
}

/// Prepares for a call that frees a type. Its size is dropped before the call: another thread may then use a
/// new type with the same handle.
pub(crate) fn freeing(datatype: NewType<Any>) -> Option<Freeing> {
    let datatype = datatype.get();
    datatypes::freeing(datatype);
    bound_values::freeing(Bind::Datatype, datatype)
}
