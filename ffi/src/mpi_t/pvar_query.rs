//! Queries of performance variables: `MPI_T_pvar_get_*` (F12 to F14).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;

use super::{exported, initialized, name_and_description, write_count, write_index};

exported! {
    /// Returns the number of performance variables (F12).
    fn MPI_T_pvar_get_num / PMPI_T_pvar_get_num(num_pvar: *mut c_int) {
        write_count(num_pvar, |merged| &merged.pvars)
    }

    /// Returns the description and the attributes of a performance variable (F13).
    fn MPI_T_pvar_get_info / PMPI_T_pvar_get_info(
        pvar_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        var_class: *mut c_int, datatype: *mut c_void, enumtype: *mut usize, desc: *mut c_char,
        desc_len: *mut c_int, bind: *mut c_int, readonly: *mut c_int, continuous: *mut c_int,
        atomic: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes each buffer with its length.
        let (name, desc) = unsafe { name_and_description((name, name_len), (desc, desc_len)) }?;
        merged.pvars.sync_unless_listed(merged, pvar_index);
        let info = merged.pvars.info(merged, pvar_index).ok_or(Error::InvalidIndex)?;
        name.fill(&info.name);
        desc.fill(&info.desc);
        if !datatype.is_null() {
            // SAFETY: `datatype` is not null, and the tool passes space for a handle of its flavor.
            unsafe { crate::abi().store_handle(datatype, info.datatype) };
        }
        enumtype.set(info.enumeration);
        verbosity.set(info.verbosity);
        var_class.set(info.class);
        bind.set(info.bind);
        readonly.set(info.readonly);
        continuous.set(info.continuous);
        atomic.set(info.atomic);
        Ok(())
    }

    /// Returns the index of the performance variable with a given name and class (F14).
    fn MPI_T_pvar_get_index / PMPI_T_pvar_get_index(
        name: *const c_char, var_class: c_int, pvar_index: *mut c_int,
    ) {
        write_index(pvar_index, &name, var_class, |merged| &merged.pvars)
    }
}
