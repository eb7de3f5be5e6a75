//! Sizes of derived datatypes, which are known before they are sent.

use mpit::words::Bind;
use mpit_ffi::bound_values;
use mpit_ffi::comms::Freeing;
use mpit_ffi::datatypes;
use mpit_ffi::host::Host;

use crate::arguments::{Language, NewType, Type};

/// A type was committed.
pub(crate) fn committed<L: Language>(datatype: NewType<L>) {
    if let Some(host) = Host::get() {
        datatypes::committed(host.abi(), datatype.get());
    }
}

/// A type was duplicated: the copy is committed if the type is.
pub(crate) fn duplicated<L: Language>(old: Type<L>, new: NewType<L>) {
    let Some(abi) = Host::get().map(Host::abi) else { return };
    if datatypes::known_size(abi, abi.clean(old.get())).is_some() {
        datatypes::committed(abi, new.get());
    }
}

/// A type is about to be freed. Its size is dropped before: another thread may send a new type that has the handle.
pub(crate) fn freeing<L: Language>(datatype: NewType<L>) -> Option<Freeing> {
    let datatype = datatype.get();
    datatypes::freeing(datatype);
    bound_values::freeing(Bind::Datatype, datatype)
}
