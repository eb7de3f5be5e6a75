//! Event sources: `MPI_T_source_*` (F25 to F27).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::object::Bind;

use super::{Failure, exported, from_host, initialized, name_and_description, write_count};
use crate::abi::Handle;
use crate::host::events;
use crate::infos;
use crate::merge::{Entry, HostIsUp, Merged};

exported! {
    /// Returns the number of event sources (F25).
    fn MPI_T_source_get_num / PMPI_T_source_get_num(num_sources: *mut c_int) {
        write_count(num_sources, |merged| &merged.sources)
    }

    /// Returns the description and the attributes of an event source (F26).
    fn MPI_T_source_get_info / PMPI_T_source_get_info(
        source_index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        ordering: *mut c_int, ticks_per_second: *mut i64, max_ticks: *mut i64, info: *mut c_void,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes each buffer with its length.
        let (name, desc) = unsafe { name_and_description((name, name_len), (desc, desc_len)) }?;
        merged.sources.sync_unless_listed(merged, source_index);
        let source = merged.sources.info(merged, source_index).ok_or(Error::InvalidIndex)?;
        let hints = |_up: HostIsUp<'_>, out| {
            let Some(Entry::Host(entry)) = merged.sources.get(source_index) else { return None };
            let (mut ordering, mut ticks_per_second, mut max_ticks): (c_int, i64, i64) = (0, 0, 0);
            // MPICH 4.0 fails if it gets no buffers for the strings.
            let (mut name_len, mut desc_len): (c_int, c_int) = (1, 1);
            let (mut name, mut desc): (c_char, c_char) = (0, 0);
            // SAFETY: the host is up (`_up`) and has this source (`HostIndex`); all
            // pointers are to local variables, and the buffers have the lengths passed with them.
            unsafe {
                events::source_get_info(
                    entry.index().get(), &raw mut name, &raw mut name_len, &raw mut desc, &raw mut desc_len,
                    &raw mut ordering, &raw mut ticks_per_second, &raw mut max_ticks, out,
                )
            }
        };
        // SAFETY: the tool passes `info` as null or with space for a handle of its flavor.
        unsafe { write_host_info(merged, info, hints) }?;
        name.fill(&source.name);
        desc.fill(&source.desc);
        ordering.set(source.ordering);
        ticks_per_second.set(source.ticks_per_second);
        max_ticks.set(source.max_ticks);
        Ok(())
    }

    /// Returns the current time of a source (F27). May be called in signal handlers and callbacks.
    fn MPI_T_source_get_timestamp / PMPI_T_source_get_timestamp(source_index: c_int, timestamp: *mut i64) {
        let (_, merged) = initialized()?;
        timestamp.check()?;
        let time = match merged.sources.get(source_index).ok_or(Error::InvalidIndex)? {
            Entry::Own(own) => merged.registry.source(*own).ok_or(Error::InvalidIndex)?.timestamp(),
            Entry::Host(entry) => {
                let mut time = 0;
                let outcome = merged.lifecycle.call_if_up(|_up| {
                    // SAFETY: the host is up (`_up`) and has this source (`HostIndex`), and `time` is a local variable.
                    unsafe { events::source_get_timestamp(entry.index().get(), &raw mut time) }
                });
                outcome.map_or(Err(Error::NotSupported.into()), from_host)?;
                time
            }
        };
        timestamp.set(time);
        Ok(())
    }
}

/// Stores the info object that the host creates in `query`, or an empty one if the host creates none, unless
/// `info` is null.
///
/// # Safety
///
/// `info` is null, or valid for writes of a handle.
pub(super) unsafe fn write_host_info(
    merged: &Merged,
    info: *mut c_void,
    query: impl FnOnce(HostIsUp<'_>, *mut c_void) -> Option<c_int>,
) -> Result<(), Failure> {
    if info.is_null() {
        return Ok(());
    }
    // The host may have registered the entry again, under another index.
    merged.sync();
    let mut new_handle: u64 = 0;
    // A `u64` has space for a handle of either width.
    let query = |up: HostIsUp<'_>| query(up, (&raw mut new_handle).cast());
    let outcome = merged.lifecycle.call_delaying_forks(query).flatten();
    if let Some(code) = outcome {
        from_host(Some(code))?;
    }
    let abi = crate::abi();
    let mut new_handle = abi.clean(new_handle as Handle);
    if new_handle == 0 || new_handle == abi.null(Bind::Info) {
        new_handle = infos::create()?;
    }
    // SAFETY: `info` is not null (checked), so it is valid for writes of a handle.
    unsafe { abi.store_handle(info, new_handle) };
    Ok(())
}
