//! Calls to the host's MPI_T, by its `PMPI_T_` names and with checked arguments.

use std::ffi::{c_char, c_int, c_void};

host_calls! {
    /// `MPI_T_init_thread`.
    fn init_thread = c"MPI_T_init_thread" / c"PMPI_T_init_thread" (required: c_int, provided: *mut c_int);
    /// `MPI_T_finalize`.
    fn finalize = c"MPI_T_finalize" / c"PMPI_T_finalize" ();
    /// `MPI_T_enum_get_info`.
    fn enum_get_info = c"MPI_T_enum_get_info" / c"PMPI_T_enum_get_info"
        (enumeration: usize, num: *mut c_int, name: *mut c_char, name_len: *mut c_int);
    /// `MPI_T_enum_get_item`.
    fn enum_get_item = c"MPI_T_enum_get_item" / c"PMPI_T_enum_get_item"
        (enumeration: usize, index: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int);
    /// `MPI_T_cvar_get_num`.
    fn cvar_get_num = c"MPI_T_cvar_get_num" / c"PMPI_T_cvar_get_num" (num: *mut c_int);
    /// `MPI_T_cvar_get_info`. `datatype` points to memory for a handle of the flavor's width.
    fn cvar_get_info = c"MPI_T_cvar_get_info" / c"PMPI_T_cvar_get_info"
        (index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, datatype: *mut c_void,
         enumeration: *mut usize, desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int, scope: *mut c_int);
    /// `MPI_T_cvar_handle_alloc`.
    fn cvar_handle_alloc = c"MPI_T_cvar_handle_alloc" / c"PMPI_T_cvar_handle_alloc"
        (index: c_int, object: *mut c_void, handle: *mut usize, count: *mut c_int);
    /// `MPI_T_cvar_handle_free`.
    fn cvar_handle_free = c"MPI_T_cvar_handle_free" / c"PMPI_T_cvar_handle_free" (handle: *mut usize);
    /// `MPI_T_cvar_read`.
    fn cvar_read = c"MPI_T_cvar_read" / c"PMPI_T_cvar_read" (handle: usize, out: *mut c_void);
    /// `MPI_T_cvar_write`.
    fn cvar_write = c"MPI_T_cvar_write" / c"PMPI_T_cvar_write" (handle: usize, value: *const c_void);
    /// `MPI_T_pvar_get_num`.
    fn pvar_get_num = c"MPI_T_pvar_get_num" / c"PMPI_T_pvar_get_num" (num: *mut c_int);
    /// `MPI_T_pvar_get_info`. `datatype` points to memory for a handle of the flavor's width.
    fn pvar_get_info = c"MPI_T_pvar_get_info" / c"PMPI_T_pvar_get_info"
        (index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, class: *mut c_int,
         datatype: *mut c_void, enumeration: *mut usize, desc: *mut c_char, desc_len: *mut c_int,
         bind: *mut c_int, readonly: *mut c_int, continuous: *mut c_int, atomic: *mut c_int);
    /// `MPI_T_pvar_session_create`.
    fn session_create = c"MPI_T_pvar_session_create" / c"PMPI_T_pvar_session_create" (session: *mut usize);
    /// `MPI_T_pvar_session_free`.
    fn session_free = c"MPI_T_pvar_session_free" / c"PMPI_T_pvar_session_free" (session: *mut usize);
    /// `MPI_T_pvar_handle_alloc`.
    fn pvar_handle_alloc = c"MPI_T_pvar_handle_alloc" / c"PMPI_T_pvar_handle_alloc"
        (session: usize, index: c_int, object: *mut c_void, handle: *mut usize, count: *mut c_int);
    /// `MPI_T_pvar_handle_free`.
    fn pvar_handle_free = c"MPI_T_pvar_handle_free" / c"PMPI_T_pvar_handle_free"
        (session: usize, handle: *mut usize);
    /// `MPI_T_pvar_start`.
    fn pvar_start = c"MPI_T_pvar_start" / c"PMPI_T_pvar_start" (session: usize, handle: usize);
    /// `MPI_T_pvar_stop`.
    fn pvar_stop = c"MPI_T_pvar_stop" / c"PMPI_T_pvar_stop" (session: usize, handle: usize);
    /// `MPI_T_pvar_read`.
    fn pvar_read = c"MPI_T_pvar_read" / c"PMPI_T_pvar_read" (session: usize, handle: usize, out: *mut c_void);
    /// `MPI_T_pvar_write`.
    fn pvar_write = c"MPI_T_pvar_write" / c"PMPI_T_pvar_write"
        (session: usize, handle: usize, value: *const c_void);
    /// `MPI_T_pvar_reset`.
    fn pvar_reset = c"MPI_T_pvar_reset" / c"PMPI_T_pvar_reset" (session: usize, handle: usize);
    /// `MPI_T_pvar_readreset`.
    fn pvar_readreset = c"MPI_T_pvar_readreset" / c"PMPI_T_pvar_readreset"
        (session: usize, handle: usize, out: *mut c_void);
    /// `MPI_T_category_get_num`.
    fn category_get_num = c"MPI_T_category_get_num" / c"PMPI_T_category_get_num" (num: *mut c_int);
    /// `MPI_T_category_get_info`.
    fn category_get_info = c"MPI_T_category_get_info" / c"PMPI_T_category_get_info"
        (index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
         cvars: *mut c_int, pvars: *mut c_int, categories: *mut c_int);
    /// `MPI_T_category_get_cvars`.
    fn category_get_cvars = c"MPI_T_category_get_cvars" / c"PMPI_T_category_get_cvars"
        (index: c_int, len: c_int, indices: *mut c_int);
    /// `MPI_T_category_get_pvars`.
    fn category_get_pvars = c"MPI_T_category_get_pvars" / c"PMPI_T_category_get_pvars"
        (index: c_int, len: c_int, indices: *mut c_int);
    /// `MPI_T_category_get_categories`.
    fn category_get_categories = c"MPI_T_category_get_categories" / c"PMPI_T_category_get_categories"
        (index: c_int, len: c_int, indices: *mut c_int);
    /// `MPI_T_category_get_num_events`.
    fn category_get_num_events = c"MPI_T_category_get_num_events" / c"PMPI_T_category_get_num_events"
        (index: c_int, num: *mut c_int);
    /// `MPI_T_category_get_events`.
    fn category_get_events = c"MPI_T_category_get_events" / c"PMPI_T_category_get_events"
        (index: c_int, len: c_int, indices: *mut c_int);
    /// `MPI_T_category_changed`.
    fn category_changed = c"MPI_T_category_changed" / c"PMPI_T_category_changed" (number: *mut c_int);
}
