//! Calls to the host's MPI_T, by its `PMPI_T_` names and with checked arguments.

use std::ffi::{c_char, c_int, c_void};

host_calls! {
    fn init_thread = MPI_T_init_thread(required: c_int, provided: *mut c_int);
    fn finalize = MPI_T_finalize();
    fn enum_get_info = MPI_T_enum_get_info(
        enumeration: usize, num: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    );
    fn enum_get_item = MPI_T_enum_get_item(
        enumeration: usize, index: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int,
    );
    fn cvar_get_num = MPI_T_cvar_get_num(num: *mut c_int);
    /// `datatype` points to memory for a handle of the flavor's width.
    fn cvar_get_info = MPI_T_cvar_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, datatype: *mut c_void,
        enumeration: *mut usize, desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int, scope: *mut c_int,
    );
    fn cvar_handle_alloc = MPI_T_cvar_handle_alloc(
        index: c_int, object: *mut c_void, handle: *mut usize, count: *mut c_int,
    );
    fn cvar_handle_free = MPI_T_cvar_handle_free(handle: *mut usize);
    fn cvar_read = MPI_T_cvar_read(handle: usize, out: *mut c_void);
    fn cvar_write = MPI_T_cvar_write(handle: usize, value: *const c_void);
    fn pvar_get_num = MPI_T_pvar_get_num(num: *mut c_int);
    /// `datatype` points to memory for a handle of the flavor's width.
    fn pvar_get_info = MPI_T_pvar_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, class: *mut c_int,
        datatype: *mut c_void, enumeration: *mut usize, desc: *mut c_char, desc_len: *mut c_int,
        bind: *mut c_int, readonly: *mut c_int, continuous: *mut c_int, atomic: *mut c_int,
    );
    fn session_create = MPI_T_pvar_session_create(session: *mut usize);
    fn session_free = MPI_T_pvar_session_free(session: *mut usize);
    fn pvar_handle_alloc = MPI_T_pvar_handle_alloc(
        session: usize, index: c_int, object: *mut c_void, handle: *mut usize, count: *mut c_int,
    );
    fn pvar_handle_free = MPI_T_pvar_handle_free(session: usize, handle: *mut usize);
    fn pvar_start = MPI_T_pvar_start(session: usize, handle: usize);
    fn pvar_stop = MPI_T_pvar_stop(session: usize, handle: usize);
    fn pvar_read = MPI_T_pvar_read(session: usize, handle: usize, out: *mut c_void);
    fn pvar_write = MPI_T_pvar_write(session: usize, handle: usize, value: *const c_void);
    fn pvar_reset = MPI_T_pvar_reset(session: usize, handle: usize);
    fn pvar_readreset = MPI_T_pvar_readreset(session: usize, handle: usize, out: *mut c_void);
    fn category_get_num = MPI_T_category_get_num(num: *mut c_int);
    fn category_get_info = MPI_T_category_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        cvars: *mut c_int, pvars: *mut c_int, categories: *mut c_int,
    );
    fn category_get_cvars = MPI_T_category_get_cvars(index: c_int, len: c_int, indices: *mut c_int);
    fn category_get_pvars = MPI_T_category_get_pvars(index: c_int, len: c_int, indices: *mut c_int);
    fn category_get_categories = MPI_T_category_get_categories(index: c_int, len: c_int, indices: *mut c_int);
    fn category_get_num_events = MPI_T_category_get_num_events(index: c_int, num: *mut c_int);
    fn category_get_events = MPI_T_category_get_events(index: c_int, len: c_int, indices: *mut c_int);
    fn category_changed = MPI_T_category_changed(number: *mut c_int);
}
