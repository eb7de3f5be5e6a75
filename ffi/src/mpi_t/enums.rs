//! Enumerations: `MPI_T_enum_*` (F3, F4).

use std::ffi::{c_char, c_int};

use mpit::Error;

use super::{exported, initialized};
use crate::strings::{Buffer, put};

exported! {
    /// Returns name and number of items of an enumeration (F3).
    fn MPI_T_enum_get_info / PMPI_T_enum_get_info(
        enumtype: usize, num: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        let name = Buffer::new(name, name_len);
        // SAFETY: the tool passes `name_len` as null or valid for reads.
        unsafe { name.check() }?;
        let found = merged.enums.get(enumtype).ok_or(Error::InvalidHandle)?;
        // SAFETY: the tool passes `name` as null or valid for `*name_len` bytes; `check` refused a negative
        // length.
        unsafe { name.fill(&found.name) };
        // SAFETY: the tool passes `num` as null or valid for writes.
        unsafe { put(num, found.items.len() as c_int) };
        Ok(())
    }

    /// Returns value and name of an enumeration item (F4).
    fn MPI_T_enum_get_item / PMPI_T_enum_get_item(
        enumtype: usize, indx: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        let name = Buffer::new(name, name_len);
        // SAFETY: the tool passes `name_len` as null or valid for reads.
        unsafe { name.check() }?;
        let found = merged.enums.get(enumtype).ok_or(Error::InvalidHandle)?;
        let item = usize::try_from(indx).ok().and_then(|index| found.items.get(index));
        let (item_value, item_name) = item.ok_or(Error::InvalidIndex)?;
        // SAFETY: the tool passes `name` as null or valid for `*name_len` bytes; `check` refused a negative
        // length.
        unsafe { name.fill(item_name) };
        // SAFETY: the tool passes `value` as null or valid for writes.
        unsafe { put(value, *item_value) };
        Ok(())
    }
}
