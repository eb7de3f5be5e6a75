//! Instances, inside the callback that got them (F42 to F45). All four work in signal handlers and callbacks.

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::instance;

use super::event_handle::instance as id;
use super::{exported, host_instances, not_null, up};
use crate::host::events;

exported! {
    /// Copies one element (F42).
    fn MPI_T_event_read / PMPI_T_event_read(event_instance: usize, element_index: c_int, buffer: *mut c_void) {
        let (_, merged) = up()?;
        not_null(buffer)?;
        if host_instances::is_one(event_instance) {
            return host_instances::ask(merged, event_instance, Some(element_index), |host| {
                // SAFETY: the host is up, and this is an instance of its that has this element; the buffer by the caller's
                // promise.
                unsafe { events::event_read(host, element_index, buffer) }
            });
        }
        // SAFETY: by the caller's promise.
        Ok(unsafe { instance::read(id(event_instance), element_index, buffer.cast()) }?)
    }

    /// Copies the whole event (F43).
    fn MPI_T_event_copy / PMPI_T_event_copy(event_instance: usize, buffer: *mut c_void) {
        let (_, merged) = up()?;
        not_null(buffer)?;
        if host_instances::is_one(event_instance) {
            // SAFETY: the host is up, and this is an instance of its; the buffer by the caller's promise.
            return host_instances::ask(merged, event_instance, None, |host| unsafe { events::event_copy(host, buffer) });
        }
        // SAFETY: by the caller's promise.
        Ok(unsafe { instance::copy(id(event_instance), buffer.cast()) }?)
    }

    /// When it was observed (F44).
    fn MPI_T_event_get_timestamp / PMPI_T_event_get_timestamp(event_instance: usize, event_timestamp: *mut i64) {
        let (_, merged) = up()?;
        not_null(event_timestamp)?;
        let time = if host_instances::is_one(event_instance) {
            let mut time = 0;
            // SAFETY: the host is up, and this is an instance of its; the time is writable.
            host_instances::ask(merged, event_instance, None, |host| unsafe {
                events::event_get_timestamp(host, &raw mut time)
            })?;
            time
        } else {
            instance::timestamp(id(event_instance))?
        };
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_timestamp.write_unaligned(time) };
        Ok(())
    }

    /// Which source it is from (F45).
    fn MPI_T_event_get_source / PMPI_T_event_get_source(event_instance: usize, source_index: *mut c_int) {
        let (_, merged) = up()?;
        not_null(source_index)?;
        let source = if host_instances::is_one(event_instance) {
            let mut source = -1;
            // SAFETY: the host is up, and this is an instance of its; the source is writable.
            host_instances::ask(merged, event_instance, None, |host| unsafe {
                events::event_get_source(host, &raw mut source)
            })?;
            merged.sources.of_host(source)
        } else {
            merged.sources.of_own(instance::source_index(id(event_instance))?)
        };
        let source = source.ok_or(Error::Invalid)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { source_index.write_unaligned(source as c_int) };
        Ok(())
    }
}
