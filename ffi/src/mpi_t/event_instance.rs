//! Instances, inside the callback that got them (F42 to F45). All four work in signal handlers and callbacks.

use std::ffi::{c_int, c_void};

use mpit::event::instance;

use super::event_handle::instance as id;
use super::{exported, not_null, up};

exported! {
    /// Copies one element (F42).
    fn MPI_T_event_read / PMPI_T_event_read(event_instance: usize, element_index: c_int, buffer: *mut c_void) {
        up()?;
        // SAFETY: by the caller's promise.
        Ok(unsafe { instance::read(id(event_instance), element_index, buffer.cast()) }?)
    }

    /// Copies the whole event (F43).
    fn MPI_T_event_copy / PMPI_T_event_copy(event_instance: usize, buffer: *mut c_void) {
        up()?;
        // SAFETY: by the caller's promise.
        Ok(unsafe { instance::copy(id(event_instance), buffer.cast()) }?)
    }

    /// When it was observed (F44).
    fn MPI_T_event_get_timestamp / PMPI_T_event_get_timestamp(event_instance: usize, event_timestamp: *mut i64) {
        up()?;
        not_null(event_timestamp)?;
        let time = instance::timestamp(id(event_instance))?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_timestamp.write(time) };
        Ok(())
    }

    /// Which source it is from (F45).
    fn MPI_T_event_get_source / PMPI_T_event_get_source(event_instance: usize, source_index: *mut c_int) {
        up()?;
        not_null(source_index)?;
        let source = instance::source_index(id(event_instance))?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { source_index.write(source as c_int) };
        Ok(())
    }
}
