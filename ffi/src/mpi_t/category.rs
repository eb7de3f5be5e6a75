//! Categories: `MPI_T_category_*` (F46 to F54).

use std::ffi::{c_char, c_int};

use mpit::Error;

use super::{Outcome, exported, initialized, name_and_description, write_count, write_index};
use crate::arguments::Out;
use crate::merge::Member;

exported! {
    /// Returns the number of categories (F46).
    fn MPI_T_category_get_num / PMPI_T_category_get_num(num_cat: *mut c_int) {
        write_count(num_cat, |merged| &merged.categories)
    }

    /// Returns name, description and numbers of members of a category (F47).
    fn MPI_T_category_get_info / PMPI_T_category_get_info(
        cat_index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        num_cvars: *mut c_int, num_pvars: *mut c_int, num_categories: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes each buffer with its length.
        let (name, desc) = unsafe { name_and_description((name, name_len), (desc, desc_len)) }?;
        merged.sync();
        let (name_text, desc_text) = merged.category_texts(cat_index).ok_or(Error::InvalidIndex)?;
        for (out, kind) in
            [(num_cvars, Member::Cvar), (num_pvars, Member::Pvar), (num_categories, Member::Category)]
        {
            if out.check().is_ok() {
                let members = merged.members(cat_index, kind).ok_or(Error::InvalidIndex)?;
                out.set(members.len() as c_int);
            }
        }
        name.fill(name_text);
        desc.fill(desc_text);
        Ok(())
    }

    /// Returns the number of event types in a category (F48).
    fn MPI_T_category_get_num_events / PMPI_T_category_get_num_events(
        cat_index: c_int, num_events: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        num_events.check()?;
        merged.sync();
        let members = merged.members(cat_index, Member::Event).ok_or(Error::InvalidIndex)?;
        num_events.set(members.len() as c_int);
        Ok(())
    }

    /// Returns the index of the category with a given name (F49).
    fn MPI_T_category_get_index / PMPI_T_category_get_index(name: *const c_char, cat_index: *mut c_int) {
        write_index(cat_index, &name, 0, |merged| &merged.categories)
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
        update_number.check()?;
        update_number.set(merged.update_number());
        Ok(())
    }
}

fn members(kind: Member, category: c_int, len: c_int, indices: Out<c_int>) -> Outcome {
    let (_, merged) = initialized()?;
    let len = usize::try_from(len).map_err(|_| Error::Invalid)?;
    if len > 0 {
        indices.check()?;
    }
    merged.sync();
    let found = merged.members(category, kind).ok_or(Error::InvalidIndex)?;
    for (at, index) in found.into_iter().take(len).enumerate() {
        // SAFETY: `indices` is not null (checked), and the tool passes an array for `len` indices; `at` is less than `len`.
        unsafe { indices.address().wrapping_add(at).write_unaligned(index) };
    }
    Ok(())
}
