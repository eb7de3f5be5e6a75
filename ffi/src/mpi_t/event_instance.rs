//! Event instances, inside the callback that received them (F42 to F45).
//!
//! All four functions may be called in signal handlers and callbacks.

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::instance;

use super::event_handle::instance as id;
use super::{exported, host_instances, initialized, not_null};
use crate::host::events;

exported! {
    /// Copies one element of an event instance (F42).
    fn MPI_T_event_read / PMPI_T_event_read(event_instance: usize, element_index: c_int, buffer: *mut c_void) {
        let (_, merged) = initialized()?;
        not_null(buffer)?;
        if host_instances::is_instance(event_instance) {
            return host_instances::call(merged, event_instance, Some(element_index), |_up, host| {
                // SAFETY: the host is up (`_up`), and `call` passes a live instance of the host's that has
                // this element; the tool passes a buffer for a value of the element's datatype.
                unsafe { events::event_read(host, element_index, buffer) }
            });
        }
        // SAFETY: the tool passes a buffer for a value of the element's datatype.
        Ok(unsafe { instance::read(id(event_instance), element_index, buffer.cast()) }?)
    }

    /// Copies all elements of an event instance (F43).
    fn MPI_T_event_copy / PMPI_T_event_copy(event_instance: usize, buffer: *mut c_void) {
        let (_, merged) = initialized()?;
        not_null(buffer)?;
        if host_instances::is_instance(event_instance) {
            // SAFETY: the host is up (`_up`), and `call` passes a live instance of the host's; the tool
            // passes a buffer as large as the event type's elements require.
            return host_instances::call(merged, event_instance, None, |_up, host| unsafe { events::event_copy(host, buffer) });
        }
        // SAFETY: the tool passes a buffer as large as its elements' displacements and datatypes require.
        Ok(unsafe { instance::copy(id(event_instance), buffer.cast()) }?)
    }

    /// Returns the time at which the event was observed (F44).
    fn MPI_T_event_get_timestamp / PMPI_T_event_get_timestamp(event_instance: usize, event_timestamp: *mut i64) {
        let (_, merged) = initialized()?;
        event_timestamp.check()?;
        let time = if host_instances::is_instance(event_instance) {
            let mut time = 0;
            // SAFETY: the host is up (`_up`), and `call` passes a live instance of the host's; `time` is a
            // local variable.
            host_instances::call(merged, event_instance, None, |_up, host| unsafe {
                events::event_get_timestamp(host, &raw mut time)
            })?;
            time
        } else {
            instance::timestamp(id(event_instance))?
        };
        event_timestamp.set(time);
        Ok(())
    }

    /// Returns the source of an event instance (F45).
    fn MPI_T_event_get_source / PMPI_T_event_get_source(event_instance: usize, source_index: *mut c_int) {
        let (_, merged) = initialized()?;
        source_index.check()?;
        let source = if host_instances::is_instance(event_instance) {
            let mut source = -1;
            // SAFETY: the host is up (`_up`), and `call` passes a live instance of the host's; `source` is
            // a local variable.
            host_instances::call(merged, event_instance, None, |_up, host| unsafe {
                events::event_get_source(host, &raw mut source)
            })?;
            merged.sources.of_host(source)
        } else {
            merged.sources.of_own(instance::source_index(id(event_instance))?)
        };
        let source = source.ok_or(Error::Invalid)?;
        source_index.set(source as c_int);
        Ok(())
    }
}
