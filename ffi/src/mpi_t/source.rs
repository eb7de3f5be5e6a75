//! Sources of events (F25 to F27).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::desc::SourceDesc;
use mpit::registry::Registry;

use super::{Failure, exported, not_null, up};
use crate::infos;
use crate::strings::{Buffer, put};

exported! {
    /// The number of sources (F25).
    fn MPI_T_source_get_num / PMPI_T_source_get_num(num_sources: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_sources)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_sources.write(merged.registry.source_count() as c_int) };
        Ok(())
    }

    /// What a source says of itself (F26).
    fn MPI_T_source_get_info / PMPI_T_source_get_info(
        source_index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        ordering: *mut c_int, ticks_per_second: *mut i64, max_ticks: *mut i64, info: *mut c_void,
    ) {
        let (_, merged) = up()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: by the caller's promise.
        unsafe { name.check() }?;
        // SAFETY: by the caller's promise.
        unsafe { desc.check() }?;
        let source = source(merged.registry, source_index)?;
        // SAFETY: by the caller's promise.
        unsafe { give_info(info, &[]) }?;
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(source.name()) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(source.text()) };
        // SAFETY: by the caller's promise.
        unsafe { put(ordering, crate::abi().source_order(source.ordering())) };
        // SAFETY: by the caller's promise.
        unsafe { put(ticks_per_second, source.ticks_per_second()) };
        // SAFETY: by the caller's promise.
        unsafe { put(max_ticks, source.max_ticks()) };
        Ok(())
    }

    /// The present time of a source (F27). Works in signal handlers and callbacks.
    fn MPI_T_source_get_timestamp / PMPI_T_source_get_timestamp(source_index: c_int, timestamp: *mut i64) {
        let (_, merged) = up()?;
        not_null(timestamp)?;
        let source = source(merged.registry, source_index)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { timestamp.write(source.timestamp()) };
        Ok(())
    }
}

fn source(registry: &Registry, index: c_int) -> Result<&'static SourceDesc, Failure> {
    let found = u32::try_from(index).ok().and_then(|index| registry.source(index));
    found.ok_or(Error::InvalidIndex.into())
}

/// Gives the user a new info object, unless there is no place for it.
///
/// # Safety
///
/// `info` is null, or valid for writes of a handle.
pub(super) unsafe fn give_info(info: *mut c_void, entries: &[(&str, &str)]) -> Result<(), Failure> {
    if !info.is_null() {
        let made = infos::create(entries)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { crate::abi().store_handle(info, made) };
    }
    Ok(())
}
