//! Categories.

use std::ffi::{c_char, c_int};

use mpit::Error;
use mpit::internal::session::Interface;
use mpit_sync::lock::Mutex;

use crate::index::{self, Kind};
use crate::{checked, exported, initialized, texts, write_index};

/// The update number of the merged categories. It rises with each change of the numbers of both lists: some MPI libraries begin again with 0.
#[derive(Debug)]
struct Update {
    number: c_int,
    of_lists: Option<[c_int; 2]>,
}

static UPDATE: Mutex<Update> = Mutex::new(Update { number: 0, of_lists: None });

/// Returns the members of a kind in a category.
fn members(interface: &Interface, category: c_int, kind: Kind) -> mpit::Result<Vec<u32>> {
    let category = interface.registry().category(checked(category)?).ok_or(Error::InvalidIndex)?;
    match kind {
        Kind::Cvar => Ok(category.cvars()),
        Kind::Pvar => Ok(category.pvars()),
        Kind::Category => Ok(category.categories()),
        Kind::Event => Ok(category.events()),
        Kind::Source => Err(Error::Invalid),
    }
}

fn member_kind(number: c_int) -> mpit::Result<Kind> {
    let kinds = [Kind::Cvar, Kind::Pvar, Kind::Category, Kind::Event];
    let at = usize::try_from(number).map_err(|_| Error::Invalid)?;
    kinds.get(at).copied().ok_or(Error::Invalid)
}

exported! {
    /// Returns name and description of a category.
    fn mpit_core_category_info(
        category: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes each buffer with its length.
        let (name, desc) = unsafe { texts((name, name_len), (desc, desc_len)) }?;
        let found = interface.registry().category(checked(category)?).ok_or(Error::InvalidIndex)?;
        name.fill(found.name());
        desc.fill(found.description());
        Ok(())
    }

    /// Finds a category by its name.
    fn mpit_core_category_index(name: *const c_char, index: *mut c_int) {
        write_index(index, &name, |interface, name| interface.registry().category_index(name))
    }

    /// Returns the number of members of a kind, and the merged indices of the first `len`.
    fn mpit_core_category_members(
        category: c_int, kind: c_int, len: c_int, indices: *mut c_int, count: *mut c_int,
    ) {
        let interface = initialized()?;
        let kind = member_kind(kind)?;
        let len = usize::try_from(len).map_err(|_| Error::Invalid)?;
        if len > 0 {
            indices.check()?;
        }
        let found = members(interface, category, kind)?;
        count.set(found.len() as c_int);
        for (at, member) in found.into_iter().take(len).enumerate() {
            let merged = index::merged(kind, member)?;
            // SAFETY: `indices` is not null (checked), and the caller passes an array for `len` indices; `at` is less than `len`.
            unsafe { indices.address().wrapping_add(at).write_unaligned(merged) };
        }
        Ok(())
    }

    /// Returns the update number of the merged categories, when that of the MPI library's is `library`.
    fn mpit_core_update_number(library: c_int, number: *mut c_int) {
        let interface = initialized()?;
        number.check()?;
        let present = [library, interface.registry().update_number()];
        let mut update = UPDATE.lock();
        if update.of_lists != Some(present) {
            update.of_lists = Some(present);
            update.number += 1;
        }
        number.set(update.number);
        Ok(())
    }
}
