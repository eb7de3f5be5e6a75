//! Categories in the merged list.

use std::ffi::c_int;

use mpit_sync::lock::Mutex;

use super::host_entry::{HostIndex, HostInfo, own_entries};
use super::text::query_name_and_description;
use super::{Entry, HostEntry, HostIsUp, Merged};
use crate::hidden;
use crate::host::mpi_t;

/// The description of one of the host's categories.
#[derive(Debug)]
pub(crate) struct CategoryInfo {
    pub(crate) name: String,
    pub(crate) desc: Vec<u8>,
    /// The members seen last, returned when the host can no longer be queried.
    last_members: Mutex<[Vec<c_int>; 4]>,
}

/// The kinds of category members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Cvar,
    Pvar,
    Category,
    Event,
}

impl Member {
    pub(crate) const ALL: [Self; 4] = [Self::Cvar, Self::Pvar, Self::Category, Self::Event];
}

impl HostInfo for CategoryInfo {
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int> = mpi_t::category_get_num;

    fn query(_merged: &Merged, up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self> {
        let (name, desc) = query_name_and_description(|name, name_len, desc, desc_len| {
            // SAFETY: `query_name_and_description` passes each buffer as null or with its length.
            unsafe { query(up, index, [name, desc], [name_len, desc_len], &mut [0; 3]) }
        })?;
        Some(Self { name, desc, last_members: Mutex::default() })
    }

    own_entries!(category_count, category_index, category, |desc| hidden::is_hidden(desc.name(), &[]));
}

/// Queries the host for the description of a category. Returns its error code; `None` if the host has no categories.
///
/// # Safety
///
/// Each string buffer is null, or as long as the variable with its length says.
unsafe fn query(
    _up: HostIsUp<'_>,
    index: HostIndex<CategoryInfo>,
    [name, desc]: [*mut std::ffi::c_char; 2],
    [name_len, desc_len]: [*mut c_int; 2],
    counts: &mut [c_int; 3],
) -> Option<c_int> {
    let [cvars, pvars, categories] = counts;
    // SAFETY: the host is up and has this category (`HostIndex`); the counts are references, and each string buffer is null or as
    // long as the length passed with it.
    unsafe { mpi_t::category_get_info(index.get(), name, name_len, desc, desc_len, cvars, pvars, categories) }
}

impl Merged {
    /// Returns name and description of a category; `None` for an invalid index.
    pub(crate) fn category_texts(&self, index: i32) -> Option<(&str, &[u8])> {
        match self.categories.get(index)? {
            Entry::Own(own) => {
                let category = self.registry.category(*own)?;
                Some((category.name(), category.description().as_bytes()))
            }
            Entry::Host(entry) => Some((entry.info().name.as_str(), entry.info().desc.as_slice())),
        }
    }

    /// Returns the members of one kind in a category, as merged indices; `None` for an invalid index.
    pub(crate) fn members(&self, index: i32, kind: Member) -> Option<Vec<c_int>> {
        match self.categories.get(index)? {
            Entry::Own(own) => {
                let category = self.registry.category(*own)?;
                let own = category.with_members(|members| match kind {
                    Member::Cvar => members.cvars.clone(),
                    Member::Pvar => members.pvars.clone(),
                    Member::Category => members.categories.clone(),
                    Member::Event => members.events.clone(),
                });
                let merged = |own| match kind {
                    Member::Cvar => self.cvars.of_own(own),
                    Member::Pvar => self.pvars.of_own(own),
                    Member::Category => self.categories.of_own(own),
                    Member::Event => self.events.of_own(own),
                };
                Some(own.into_iter().filter_map(merged).map(|index| index as c_int).collect())
            }
            Entry::Host(entry) => {
                let info = entry.info();
                let read = |up: HostIsUp<'_>| self.query_members(up, entry, kind);
                let current = self.lifecycle.call_delaying_forks(read).flatten();
                let mut last_members = info.last_members.lock();
                let list = &mut last_members[kind as usize];
                if let Some(current) = current {
                    // The standard does not let a category lose members, so members that the host dropped stay listed.
                    list.retain(|known| !current.contains(known));
                    let gone = std::mem::replace(list, current);
                    list.extend(gone);
                }
                Some(list.clone())
            }
        }
    }

    /// Queries the host for the members of a category, and converts their indices to merged ones.
    fn query_members(
        &self,
        up: HostIsUp<'_>,
        entry: &HostEntry<CategoryInfo>,
        kind: Member,
    ) -> Option<Vec<c_int>> {
        let index = entry.index();
        let count = Self::query_count(up, index, kind)?;
        let mut indices = vec![-1; count.max(0) as usize];
        let (len, start) = (indices.len() as c_int, indices.as_mut_ptr());
        if len == 0 {
            return Some(indices);
        }
        let get: unsafe fn(c_int, c_int, *mut c_int) -> Option<c_int> = match kind {
            Member::Cvar => mpi_t::category_get_cvars,
            Member::Pvar => mpi_t::category_get_pvars,
            Member::Category => mpi_t::category_get_categories,
            Member::Event => mpi_t::category_get_events,
        };
        // SAFETY: the host is up and has this category (`HostIndex`), and `start` has space for `len` indices.
        let code = unsafe { get(index.get(), len, start) };
        if code? != 0 {
            return None;
        }
        let merged = |host: c_int| match kind {
            Member::Cvar => self.cvars.of_host(host),
            Member::Pvar => self.pvars.of_host(host),
            Member::Category => self.categories.of_host(host),
            Member::Event => self.events.of_host(host),
        };
        let mut found: Vec<c_int> = Vec::with_capacity(indices.len());
        for index in indices.into_iter().filter_map(merged).map(|index| index as c_int) {
            if !found.contains(&index) {
                found.push(index);
            }
        }
        Some(found)
    }

    /// Queries the host for the number of members of a kind in a category. `None` if the host does not support that kind.
    fn query_count(up: HostIsUp<'_>, index: HostIndex<CategoryInfo>, kind: Member) -> Option<c_int> {
        if kind == Member::Event {
            let mut count = 0;
            // SAFETY: the host is up and has this category (`HostIndex`); `count` is a local variable.
            let code = unsafe { mpi_t::category_get_num_events(index.get(), &raw mut count) };
            return if code? == 0 { Some(count) } else { None };
        }
        let mut counts = [0; 3];
        let (mut name_len, mut desc_len): (c_int, c_int) = (0, 0);
        let nothing = std::ptr::null_mut();
        let lengths = [&raw mut name_len, &raw mut desc_len];
        // SAFETY: the buffers are null.
        let code = unsafe { query(up, index, [nothing, nothing], lengths, &mut counts) };
        if code? == 0 { Some(counts[kind as usize]) } else { None }
    }

    /// Reads the members of all of the host's categories, so that they can be returned when the host is gone.
    pub(super) fn cache_members(&self) {
        for (index, entry) in self.categories.iter() {
            if let Entry::Host(_) = entry {
                for kind in Member::ALL {
                    self.members(index as i32, kind);
                }
            }
        }
    }
}
