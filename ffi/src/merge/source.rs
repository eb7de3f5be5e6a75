//! Event sources in the merged list.

use std::ffi::{c_char, c_int};

use super::host_entry::{Describe, HostIndex, HostInfo, own_entries};
use super::text::query_texts;
use super::{HostIsUp, Merged};
use crate::hidden;
use crate::host::events;

/// The result of `MPI_T_source_get_info`, in the numbers of the MPI flavor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceInfo {
    pub(crate) name: String,
    pub(crate) desc: Vec<u8>,
    pub(crate) ordering: c_int,
    pub(crate) ticks_per_second: i64,
    pub(crate) max_ticks: i64,
}

impl Describe for SourceInfo {
    fn of_own(merged: &Merged, own: u32) -> Option<Self> {
        let (abi, desc) = (crate::abi(), merged.registry.source(own)?);
        Some(Self {
            name: desc.name().into(),
            desc: desc.description().into(),
            ordering: abi.source_order(desc.order()),
            ticks_per_second: desc.ticks_per_second(),
            max_ticks: desc.max_ticks(),
        })
    }
}

impl HostInfo for SourceInfo {
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int> = events::source_get_num;

    fn query(_merged: &Merged, _up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self> {
        let mut info = Self::default();
        let mut query = |name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int| {
            // SAFETY: the host is up and has this entry (`HostIndex`); the numbers are fields, each string buffer is as
            // long as the length passed with it, and the pointer to an info object may be null.
            unsafe {
                events::source_get_info(
                    index.get(),
                    name,
                    name_len,
                    desc,
                    desc_len,
                    &raw mut info.ordering,
                    &raw mut info.ticks_per_second,
                    &raw mut info.max_ticks,
                    std::ptr::null_mut(),
                )
            }
        };
        // MPICH 4.0 returns no lengths unless it gets buffers.
        let (mut name, mut desc): (c_char, c_char) = (0, 0);
        let (mut name_len, mut desc_len): (c_int, c_int) = (1, 1);
        if query(&raw mut name, &raw mut name_len, &raw mut desc, &raw mut desc_len)? != 0 {
            return None;
        }
        let (name, desc) = query_texts([name_len, desc_len], query)?;
        Some(Self { name, desc, ..info })
    }

    own_entries!(source_count, source_index, source, |desc| hidden::is_hidden(desc.name(), &[]));
}
