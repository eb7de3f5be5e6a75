//! Sources of events (F25 to F27).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::words::Bind;

use super::{Failure, exported, from_host, not_null, up};
use crate::abi::Handle;
use crate::host::events;
use crate::infos;
use crate::merge::{Entry, Merged};
use crate::strings::{Buffer, put};

exported! {
    /// The number of sources (F25).
    fn MPI_T_source_get_num / PMPI_T_source_get_num(num_sources: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_sources)?;
        merged.sync();
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_sources.write_unaligned(merged.sources.len() as c_int) };
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
        merged.sources.sync_unless_own(merged, source_index);
        let source = merged.source_info(source_index).ok_or(Error::InvalidIndex)?;
        let hints = |out| {
            let Some(Entry::Host(entry)) = merged.sources.get(source_index) else { return None };
            let (mut ordering, mut ticks_per_second, mut max_ticks): (c_int, i64, i64) = (0, 0, 0);
            // MPICH 4.0 refuses to leave out the texts.
            let (mut name_len, mut desc_len): (c_int, c_int) = (1, 1);
            let (mut name, mut desc): (c_char, c_char) = (0, 0);
            // SAFETY: the host is up and has this index; all pointers are writable, the texts as long as said.
            unsafe {
                events::source_get_info(
                    entry.index(), &raw mut name, &raw mut name_len, &raw mut desc, &raw mut desc_len,
                    &raw mut ordering, &raw mut ticks_per_second, &raw mut max_ticks, out,
                )
            }
        };
        // SAFETY: by the caller's promise.
        unsafe { give_hosts_info(merged, info, hints) }?;
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(&source.name) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(&source.desc) };
        // SAFETY: by the caller's promise.
        unsafe { put(ordering, source.ordering) };
        // SAFETY: by the caller's promise.
        unsafe { put(ticks_per_second, source.ticks_per_second) };
        // SAFETY: by the caller's promise.
        unsafe { put(max_ticks, source.max_ticks) };
        Ok(())
    }

    /// The present time of a source (F27). Works in signal handlers and callbacks.
    fn MPI_T_source_get_timestamp / PMPI_T_source_get_timestamp(source_index: c_int, timestamp: *mut i64) {
        let (_, merged) = up()?;
        not_null(timestamp)?;
        let time = match merged.sources.get(source_index).ok_or(Error::InvalidIndex)? {
            Entry::Own(own) => merged.registry.source(*own).ok_or(Error::InvalidIndex)?.timestamp(),
            Entry::Host(entry) => {
                let mut time = 0;
                let asked = merged.life.while_up(|| {
                    // SAFETY: the host is up and has this index; the time is writable.
                    unsafe { events::source_get_timestamp(entry.index(), &raw mut time) }
                });
                asked.map_or(Err(Error::NotSupported.into()), from_host)?;
                time
            }
        };
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { timestamp.write_unaligned(time) };
        Ok(())
    }
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

/// Gives the user the info object that `ask` has the host make, or a new one where it makes none, unless there is no place
/// for it.
///
/// # Safety
///
/// `info` is null, or valid for writes of a handle.
pub(super) unsafe fn give_hosts_info(
    merged: &Merged,
    info: *mut c_void,
    ask: impl FnOnce(*mut c_void) -> Option<c_int>,
) -> Result<(), Failure> {
    if info.is_null() {
        return Ok(());
    }
    let mut made: u64 = 0;
    // A word has room for a handle of either width.
    let asked = merged.life.while_up_and_unforked(|| ask((&raw mut made).cast())).flatten();
    if let Some(code) = asked {
        from_host(Some(code))?;
    }
    let abi = crate::abi();
    let made = abi.clean(made as Handle);
    if made == 0 || made == abi.nulls[Bind::Info as usize] {
        // SAFETY: by the caller's promise.
        return unsafe { give_info(info, &[]) };
    }
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { abi.store_handle(info, made) };
    Ok(())
}
