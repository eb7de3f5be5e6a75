//! Queries of performance variables: `MPI_T_pvar_get_*` (F12 to F14).

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::Error;

use super::{exported, initialized, not_null};
use crate::strings::{Buffer, put};

exported! {
    /// Returns the number of performance variables (F12).
    fn MPI_T_pvar_get_num / PMPI_T_pvar_get_num(num_pvar: *mut c_int) {
        let (_, merged) = initialized()?;
        not_null(num_pvar)?;
        merged.sync();
        // SAFETY: `num_pvar` is not null (checked), and the tool passes an address valid for writes.
        unsafe { num_pvar.write_unaligned(merged.pvars.len() as c_int) };
        Ok(())
    }

    /// Returns the description and the attributes of a performance variable (F13).
    fn MPI_T_pvar_get_info / PMPI_T_pvar_get_info(
        pvar_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        var_class: *mut c_int, datatype: *mut c_void, enumtype: *mut usize, desc: *mut c_char,
        desc_len: *mut c_int, bind: *mut c_int, readonly: *mut c_int, continuous: *mut c_int,
        atomic: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: the tool passes `name_len` as null or valid for reads.
        unsafe { name.check() }?;
        // SAFETY: the tool passes `desc_len` as null or valid for reads.
        unsafe { desc.check() }?;
        merged.pvars.sync_unless_own(merged, pvar_index);
        let info = merged.pvar_info(pvar_index).ok_or(Error::InvalidIndex)?;
        // SAFETY: the tool passes `name` as null or valid for `*name_len` bytes; `check` refused a negative
        // length.
        unsafe { name.fill(&info.name) };
        // SAFETY: the tool passes `desc` as null or valid for `*desc_len` bytes; `check` refused a negative
        // length.
        unsafe { desc.fill(&info.desc) };
        if !datatype.is_null() {
            // SAFETY: `datatype` is not null, and the tool passes space for a handle of its flavor.
            unsafe { crate::abi().store_handle(datatype, info.datatype) };
        }
        // SAFETY: the tool passes `enumtype` as null or valid for writes.
        unsafe { put(enumtype, info.enumeration) };
        let numbers = [
            (verbosity, info.verbosity),
            (var_class, info.class),
            (bind, info.bind),
            (readonly, info.readonly),
            (continuous, info.continuous),
            (atomic, info.atomic),
        ];
        for (out, number) in numbers {
            // SAFETY: the tool passes each number's address as null or valid for writes.
            unsafe { put(out, number) };
        }
        Ok(())
    }

    /// Returns the index of the performance variable with a given name and class (F14).
    fn MPI_T_pvar_get_index / PMPI_T_pvar_get_index(
        name: *const c_char, var_class: c_int, pvar_index: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        not_null(name)?;
        not_null(pvar_index)?;
        // SAFETY: `name` is not null (checked), and the tool passes a NUL-terminated string.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.pvars.find(merged, (name, var_class)).ok_or(Error::InvalidName)?;
        // SAFETY: `pvar_index` is not null (checked), and the tool passes an address valid for writes.
        unsafe { pvar_index.write_unaligned(index as c_int) };
        Ok(())
    }
}
