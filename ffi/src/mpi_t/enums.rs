//! Enumerations: `MPI_T_enum_*` (F3, F4).

use std::ffi::{c_char, c_int};

use mpit::Error;

use super::{exported, initialized};
use crate::strings::Buffer;

exported! {
    /// Returns name and number of items of an enumeration (F3).
    fn MPI_T_enum_get_info / PMPI_T_enum_get_info(
        enumtype: usize, num: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes the buffer with its length.
        let name = unsafe { Buffer::new(name.address(), name_len.address()) }?;
        let found = merged.enums.get(enumtype).ok_or(Error::InvalidHandle)?;
        name.fill(&found.name);
        num.set(found.items.len() as c_int);
        Ok(())
    }

    /// Returns value and name of an enumeration item (F4).
    fn MPI_T_enum_get_item / PMPI_T_enum_get_item(
        enumtype: usize, indx: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes the buffer with its length.
        let name = unsafe { Buffer::new(name.address(), name_len.address()) }?;
        let found = merged.enums.get(enumtype).ok_or(Error::InvalidHandle)?;
        let item = usize::try_from(indx).ok().and_then(|index| found.items.get(index));
        let (item_value, item_name) = item.ok_or(Error::InvalidIndex)?;
        name.fill(item_name);
        value.set(*item_value);
        Ok(())
    }
}
