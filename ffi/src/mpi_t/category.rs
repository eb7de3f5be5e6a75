//! Categories: `MPI_T_category_*` (F46 to F54).

use std::ffi::{CStr, c_char, c_int};

use mpit::Error;

use super::{Outcome, exported, initialized, not_null};
use crate::merge::Member;
use crate::strings::{Buffer, put};

exported! {
    /// Returns the number of categories (F46).
    fn MPI_T_category_get_num / PMPI_T_category_get_num(num_cat: *mut c_int) {
        let (_, merged) = initialized()?;
        not_null(num_cat)?;
        merged.sync();
        // SAFETY: `num_cat` is not null (checked), and the tool passes an address valid for writes.
        unsafe { num_cat.write_unaligned(merged.categories.len() as c_int) };
        Ok(())
    }

    /// Returns name, description and numbers of members of a category (F47).
    fn MPI_T_category_get_info / PMPI_T_category_get_info(
        cat_index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        num_cvars: *mut c_int, num_pvars: *mut c_int, num_categories: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: the tool passes `name_len` as null or valid for reads.
        unsafe { name.check() }?;
        // SAFETY: the tool passes `desc_len` as null or valid for reads.
        unsafe { desc.check() }?;
        merged.sync();
        let (name_text, desc_text) = merged.category_texts(cat_index).ok_or(Error::InvalidIndex)?;
        for (out, kind) in
            [(num_cvars, Member::Cvar), (num_pvars, Member::Pvar), (num_categories, Member::Category)]
        {
            if !out.is_null() {
                let members = merged.members(cat_index, kind).ok_or(Error::InvalidIndex)?;
                // SAFETY: the tool passes each number's address as null or valid for writes.
                unsafe { put(out, members.len() as c_int) };
            }
        }
        // SAFETY: the tool passes `name` as null or valid for `*name_len` bytes; `check` refused a negative
        // length.
        unsafe { name.fill(name_text) };
        // SAFETY: the tool passes `desc` as null or valid for `*desc_len` bytes; `check` refused a negative
        // length.
        unsafe { desc.fill(desc_text) };
        Ok(())
    }

    /// Returns the number of event types in a category (F48).
    fn MPI_T_category_get_num_events / PMPI_T_category_get_num_events(
        cat_index: c_int, num_events: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        not_null(num_events)?;
        merged.sync();
        let members = merged.members(cat_index, Member::Event).ok_or(Error::InvalidIndex)?;
        // SAFETY: `num_events` is not null (checked), and the tool passes an address valid for writes.
        unsafe { num_events.write_unaligned(members.len() as c_int) };
        Ok(())
    }

    /// Returns the index of the category with a given name (F49).
    fn MPI_T_category_get_index / PMPI_T_category_get_index(name: *const c_char, cat_index: *mut c_int) {
        let (_, merged) = initialized()?;
        not_null(name)?;
        not_null(cat_index)?;
        // SAFETY: `name` is not null (checked), and the tool passes a NUL-terminated string.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.categories.find(merged, name).ok_or(Error::InvalidName)?;
        // SAFETY: `cat_index` is not null (checked), and the tool passes an address valid for writes.
        unsafe { cat_index.write_unaligned(index as c_int) };
        Ok(())
    }

    /// Returns the control variables in a category (F50).
    fn MPI_T_category_get_cvars / PMPI_T_category_get_cvars(
        cat_index: c_int, len: c_int, indices: *mut c_int,
    ) {
        members(Member::Cvar, cat_index, len, indices)
    }

    /// Returns the performance variables in a category (F51).
    fn MPI_T_category_get_pvars / PMPI_T_category_get_pvars(
        cat_index: c_int, len: c_int, indices: *mut c_int,
    ) {
        members(Member::Pvar, cat_index, len, indices)
    }

    /// Returns the event types in a category (F52).
    fn MPI_T_category_get_events / PMPI_T_category_get_events(
        cat_index: c_int, len: c_int, indices: *mut c_int,
    ) {
        members(Member::Event, cat_index, len, indices)
    }

    /// Returns the categories in a category (F53).
    fn MPI_T_category_get_categories / PMPI_T_category_get_categories(
        cat_index: c_int, len: c_int, indices: *mut c_int,
    ) {
        members(Member::Category, cat_index, len, indices)
    }

    /// Returns the update number, which rises when a category gets a member (F54).
    fn MPI_T_category_changed / PMPI_T_category_changed(update_number: *mut c_int) {
        let (_, merged) = initialized()?;
        not_null(update_number)?;
        // SAFETY: `update_number` is not null (checked), and the tool passes an address valid for writes.
        unsafe { update_number.write_unaligned(merged.update_number()) };
        Ok(())
    }
}

fn members(kind: Member, category: c_int, len: c_int, indices: *mut c_int) -> Outcome {
    let (_, merged) = initialized()?;
    let len = usize::try_from(len).map_err(|_| Error::Invalid)?;
    if len > 0 {
        not_null(indices)?;
    }
    merged.sync();
    let found = merged.members(category, kind).ok_or(Error::InvalidIndex)?;
    for (at, index) in found.into_iter().take(len).enumerate() {
        // SAFETY: `indices` is not null (checked), and the tool passes an array for `len` indices; `at` is
        // less than `len`.
        unsafe { indices.wrapping_add(at).write_unaligned(index) };
    }
    Ok(())
}
