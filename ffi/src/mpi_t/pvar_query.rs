//! What there is of performance variables (F12 to F14).

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::Error;

use super::{exported, not_null, up};
use crate::strings::{Buffer, put};

exported! {
    /// The number of performance variables (F12).
    fn MPI_T_pvar_get_num / PMPI_T_pvar_get_num(num_pvar: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_pvar)?;
        merged.sync();
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_pvar.write_unaligned(merged.pvars.len() as c_int) };
        Ok(())
    }

    /// What a performance variable says of itself (F13).
    fn MPI_T_pvar_get_info / PMPI_T_pvar_get_info(
        pvar_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        var_class: *mut c_int, datatype: *mut c_void, enumtype: *mut usize, desc: *mut c_char,
        desc_len: *mut c_int, bind: *mut c_int, readonly: *mut c_int, continuous: *mut c_int,
        atomic: *mut c_int,
    ) {
        let (_, merged) = up()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: by the caller's promise.
        unsafe { name.check() }?;
        // SAFETY: by the caller's promise.
        unsafe { desc.check() }?;
        merged.pvars.sync_unless_own(merged, pvar_index);
        let info = merged.pvar_info(pvar_index).ok_or(Error::InvalidIndex)?;
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(&info.name) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(&info.desc) };
        if !datatype.is_null() {
            // SAFETY: not null, and otherwise by the caller's promise.
            unsafe { crate::abi().store_handle(datatype, info.datatype) };
        }
        // SAFETY: by the caller's promise.
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
            // SAFETY: by the caller's promise.
            unsafe { put(out, number) };
        }
        Ok(())
    }

    /// The performance variable of a name in a class (F14).
    fn MPI_T_pvar_get_index / PMPI_T_pvar_get_index(
        name: *const c_char, var_class: c_int, pvar_index: *mut c_int,
    ) {
        let (_, merged) = up()?;
        not_null(name)?;
        not_null(pvar_index)?;
        // SAFETY: not null, and a C string by the caller's promise.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.pvars.find(merged, (name, var_class)).ok_or(Error::InvalidName)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { pvar_index.write_unaligned(index as c_int) };
        Ok(())
    }
}
