//! Calls to the event functions of the host's MPI_T, by their `PMPI_T_` names and with checked arguments.
//! Hosts before MPI-4 have none of these functions.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::Handle;

/// `MPI_T_event_cb_function`.
pub type EventCallback =
    unsafe extern "C" fn(instance: usize, registration: usize, safety: c_int, user_data: *mut c_void);
/// `MPI_T_event_free_cb_function`.
pub type FreeCallback = unsafe extern "C" fn(registration: usize, safety: c_int, user_data: *mut c_void);
/// `MPI_T_event_dropped_cb_function`.
pub type DroppedCallback = unsafe extern "C" fn(
    count: i64,
    registration: usize,
    source_index: c_int,
    safety: c_int,
    user_data: *mut c_void,
);

host_calls! {
    fn source_get_num = MPI_T_source_get_num(num: *mut c_int);
    /// `info` is null, or points to memory for a handle of the flavor's width.
    fn source_get_info = MPI_T_source_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        ordering: *mut c_int, ticks_per_second: *mut i64, max_ticks: *mut i64, info: *mut c_void,
    );
    fn source_get_timestamp = MPI_T_source_get_timestamp(index: c_int, timestamp: *mut i64);
    fn event_get_num = MPI_T_event_get_num(num: *mut c_int);
    /// `datatypes` and `info` are null, or point to memory for handles of the flavor's width.
    fn event_get_info = MPI_T_event_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, datatypes: *mut c_void,
        displacements: *mut isize, num_elements: *mut c_int, enumeration: *mut usize, info: *mut c_void,
        desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int,
    );
    fn event_handle_alloc = MPI_T_event_handle_alloc(
        index: c_int, object: *mut c_void, info: Handle, registration: *mut usize,
    );
    fn event_handle_set_info = MPI_T_event_handle_set_info(registration: usize, info: Handle);
    /// `info` points to memory for a handle of the flavor's width.
    fn event_handle_get_info = MPI_T_event_handle_get_info(registration: usize, info: *mut c_void);
    fn event_register_callback = MPI_T_event_register_callback(
        registration: usize, safety: c_int, info: Handle, user_data: *mut c_void,
        callback: Option<EventCallback>,
    );
    fn event_callback_set_info = MPI_T_event_callback_set_info(
        registration: usize, safety: c_int, info: Handle,
    );
    /// `info` points to memory for a handle of the flavor's width.
    fn event_callback_get_info = MPI_T_event_callback_get_info(
        registration: usize, safety: c_int, info: *mut c_void,
    );
    fn event_handle_free = MPI_T_event_handle_free(
        registration: usize, user_data: *mut c_void, free_callback: Option<FreeCallback>,
    );
    fn event_set_dropped_handler = MPI_T_event_set_dropped_handler(
        registration: usize, handler: Option<DroppedCallback>,
    );
    fn event_read = MPI_T_event_read(instance: usize, element: c_int, out: *mut c_void);
    fn event_copy = MPI_T_event_copy(instance: usize, out: *mut c_void);
    fn event_get_timestamp = MPI_T_event_get_timestamp(instance: usize, timestamp: *mut i64);
    fn event_get_source = MPI_T_event_get_source(instance: usize, source: *mut c_int);
}

/// Looks up the functions that callbacks may call, because `dlsym` is not async-signal-safe and callbacks may
/// run in signal handlers.
pub fn prepare_for_callbacks() {
    for function in [
        &source_get_timestamp::FUNCTION,
        &event_read::FUNCTION,
        &event_copy::FUNCTION,
        &event_get_timestamp::FUNCTION,
        &event_get_source::FUNCTION,
    ] {
        function.pmpi();
    }
}
