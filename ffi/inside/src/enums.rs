//! Enumerations, whose identifiers are their positions in the registry.

use std::ffi::{c_char, c_int};

use mpit::Error;
use mpit::internal::session::Interface;
use mpit::tool::EnumDesc;

use crate::strings::Buffer;
use crate::{exported, initialized};

const KIND: u64 = 0x45 << 56;

/// Returns the identifier of an enumeration; 0 for none.
pub(crate) fn number(interface: &Interface, enumeration: Option<&'static EnumDesc>) -> u64 {
    let Some(enumeration) = enumeration else { return 0 };
    let position = interface.registry().enums().position(|known| known.name() == enumeration.name());
    position.map_or(0, |position| KIND | position as u64)
}

fn find(interface: &Interface, number: u64) -> mpit::Result<&'static EnumDesc> {
    let position = usize::try_from(number ^ KIND).map_err(|_| Error::InvalidHandle)?;
    interface.registry().enums().nth(position).ok_or(Error::InvalidHandle)
}

exported! {
    /// Returns name and number of items of an enumeration.
    fn mpit_core_enum_info(enumeration: u64, num: *mut c_int, name: *mut c_char, name_len: *mut c_int) {
        let interface = initialized()?;
        // SAFETY: the caller passes the buffer with its length.
        let name = unsafe { Buffer::new(name.address(), name_len.address()) }?;
        let found = find(interface, enumeration)?;
        name.fill(found.name());
        num.set(found.items().len() as c_int);
        Ok(())
    }

    /// Returns value and name of an item.
    fn mpit_core_enum_item(
        enumeration: u64, index: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes the buffer with its length.
        let name = unsafe { Buffer::new(name.address(), name_len.address()) }?;
        let found = find(interface, enumeration)?;
        let item = usize::try_from(index).ok().and_then(|index| found.items().get(index));
        let item = item.ok_or(Error::InvalidIndex)?;
        name.fill(item.name());
        value.set(item.value());
        Ok(())
    }
}
