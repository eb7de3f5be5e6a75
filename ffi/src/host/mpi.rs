//! Functions of the host that this crate calls itself, by their `PMPI_` names.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::{Abi, Handle};

/// `MPI_Comm_copy_attr_function` and `MPI_Win_copy_attr_function`.
pub type CopyAttribute =
    unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// `MPI_Comm_delete_attr_function` and `MPI_Win_delete_attr_function`.
pub type DeleteAttribute = unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void) -> c_int;

host_calls! {
    /// Allowed at any time.
    fn initialized = MPI_Initialized(flag: *mut c_int);
    /// Allowed at any time.
    fn finalized = MPI_Finalized(flag: *mut c_int);
    fn query_thread = MPI_Query_thread(provided: *mut c_int);
    fn comm_size = MPI_Comm_size(comm: Handle, size: *mut c_int);
    fn comm_rank = MPI_Comm_rank(comm: Handle, rank: *mut c_int);
    fn comm_test_inter = MPI_Comm_test_inter(comm: Handle, flag: *mut c_int);
    /// Returns the intercommunicator with the processes that spawned this one, or the null handle.
    fn comm_get_parent = MPI_Comm_get_parent(parent: *mut c_void);
    fn comm_group = MPI_Comm_group(comm: Handle, group: *mut c_void);
    fn comm_remote_group = MPI_Comm_remote_group(comm: Handle, group: *mut c_void);
    /// The handler has to be freed, also a predefined one.
    fn comm_get_errhandler = MPI_Comm_get_errhandler(comm: Handle, handler: *mut c_void);
    fn errhandler_free = MPI_Errhandler_free(handler: *mut c_void);
    fn comm_get_name = MPI_Comm_get_name(comm: Handle, name: *mut u8, len: *mut c_int);
    fn group_size = MPI_Group_size(group: Handle, size: *mut c_int);
    fn group_translate_ranks = MPI_Group_translate_ranks(
        group: Handle, n: c_int, ranks: *const c_int, other: Handle, translated: *mut c_int,
    );
    fn group_excl = MPI_Group_excl(group: Handle, n: c_int, ranks: *const c_int, new_group: *mut c_void);
    fn group_incl = MPI_Group_incl(group: Handle, n: c_int, ranks: *const c_int, new_group: *mut c_void);
    fn group_free = MPI_Group_free(group: *mut c_void);
    fn comm_create_keyval = MPI_Comm_create_keyval(
        copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: *mut c_void,
    );
    fn comm_free_keyval = MPI_Comm_free_keyval(keyval: *mut c_int);
    fn comm_set_attr = MPI_Comm_set_attr(comm: Handle, keyval: c_int, value: *mut c_void);
    fn comm_get_attr = MPI_Comm_get_attr(comm: Handle, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    fn topo_test = MPI_Topo_test(comm: Handle, status: *mut c_int);
    fn cartdim_get = MPI_Cartdim_get(comm: Handle, dimensions: *mut c_int);
    fn cart_shift = MPI_Cart_shift(
        comm: Handle, dimension: c_int, distance: c_int, source: *mut c_int, dest: *mut c_int,
    );
    fn graph_neighbors_count = MPI_Graph_neighbors_count(comm: Handle, rank: c_int, count: *mut c_int);
    fn graph_neighbors = MPI_Graph_neighbors(comm: Handle, rank: c_int, most: c_int, neighbors: *mut c_int);
    fn dist_graph_neighbors_count = MPI_Dist_graph_neighbors_count(
        comm: Handle, sources: *mut c_int, destinations: *mut c_int, weighted: *mut c_int,
    );
    fn dist_graph_neighbors = MPI_Dist_graph_neighbors(
        comm: Handle, most_sources: c_int, sources: *mut c_int, source_weights: *mut c_int,
        most_destinations: c_int, destinations: *mut c_int, destination_weights: *mut c_int,
    );
    fn win_get_group = MPI_Win_get_group(win: Handle, group: *mut c_void);
    fn win_create_keyval = MPI_Win_create_keyval(
        copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: *mut c_void,
    );
    fn win_free_keyval = MPI_Win_free_keyval(keyval: *mut c_int);
    fn win_set_attr = MPI_Win_set_attr(win: Handle, keyval: c_int, value: *mut c_void);
    fn win_get_attr = MPI_Win_get_attr(win: Handle, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    fn info_create = MPI_Info_create(info: *mut c_void);
    fn info_set = MPI_Info_set(info: Handle, key: *const c_char, value: *const c_char);
    fn info_get = MPI_Info_get(
        info: Handle, key: *const c_char, value_len: c_int, value: *mut c_char, flag: *mut c_int,
    );
    fn info_free = MPI_Info_free(info: *mut c_void);
    fn session_init = MPI_Session_init(info: Handle, handler: Handle, session: *mut c_void);
    fn session_finalize = MPI_Session_finalize(session: *mut c_void);
    fn group_from_session_pset = MPI_Group_from_session_pset(
        session: Handle, name: *const c_char, group: *mut c_void,
    );
    fn group_rank = MPI_Group_rank(group: Handle, rank: *mut c_int);
    /// The hints are a new info object.
    fn session_get_info = MPI_Session_get_info(session: Handle, info: *mut c_void);
    fn type_size = MPI_Type_size(datatype: Handle, size: *mut c_int);
    /// Also for sizes above 2^31.
    fn type_size_x = MPI_Type_size_x(datatype: Handle, size: *mut i64);
}

/// Returns the value that a call of the host writes; `None` if the call fails.
pub(crate) fn value<T: Default>(query: impl FnOnce(*mut T) -> Option<c_int>) -> Option<T> {
    let mut value = T::default();
    if query(&raw mut value) == Some(Abi::SUCCESS) { Some(value) } else { None }
}

/// Returns the handle that a call of the host writes; `None` if the call fails.
pub(crate) fn handle(abi: &Abi, query: impl FnOnce(*mut c_void) -> Option<c_int>) -> Option<Handle> {
    // A `u64` has space for a handle of either width.
    let handle = value(|at: *mut u64| query(at.cast()))?;
    Some(abi.clean(handle as Handle))
}

/// Returns the text that a call of the host writes into a buffer; empty if the call fails.
pub(crate) fn text(query: impl FnOnce(*mut u8, *mut c_int) -> Option<c_int>) -> String {
    // Longer than `MPI_MAX_OBJECT_NAME` and `MPI_MAX_PROCESSOR_NAME` of any flavor.
    let mut text = [0_u8; 1024];
    let mut len = 0;
    let code = query(text.as_mut_ptr(), &raw mut len);
    let end = if code == Some(Abi::SUCCESS) { len.clamp(0, 1023) as usize } else { 0 };
    String::from_utf8_lossy(&text[..end]).into_owned()
}

/// Returns true between `MPI_Init` and `MPI_Finalize`.
pub fn has_world() -> bool {
    // SAFETY: `MPI_Initialized` may be called at any time, and `value` passes a local variable.
    let is_initialized = value(|flag| unsafe { initialized(flag) }).unwrap_or(0) != 0;
    // SAFETY: `MPI_Finalized` may be called at any time, and `value` passes a local variable.
    is_initialized && value(|flag| unsafe { finalized(flag) }).unwrap_or(0) == 0
}
