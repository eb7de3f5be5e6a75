//! Functions of the host that this crate calls itself, by their `PMPI_` names.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::Handle;

/// `MPI_Comm_copy_attr_function` and `MPI_Win_copy_attr_function`.
pub type CopyAttribute =
    unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// `MPI_Comm_delete_attr_function` and `MPI_Win_delete_attr_function`.
pub type DeleteAttribute = unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void) -> c_int;

host_calls! {
    /// Tests if MPI was initialized. Allowed at any time.
    fn initialized = c"MPI_Initialized" / c"PMPI_Initialized" (flag: *mut c_int);
    /// Tests if MPI was finalized. Allowed at any time.
    fn finalized = c"MPI_Finalized" / c"PMPI_Finalized" (flag: *mut c_int);
    /// Returns the thread level that MPI granted.
    fn query_thread = c"MPI_Query_thread" / c"PMPI_Query_thread" (provided: *mut c_int);
    /// Returns the size of a communicator's local group.
    fn comm_size = c"MPI_Comm_size" / c"PMPI_Comm_size" (comm: Handle, size: *mut c_int);
    /// Returns the caller's rank.
    fn comm_rank = c"MPI_Comm_rank" / c"PMPI_Comm_rank" (comm: Handle, rank: *mut c_int);
    /// Tests if a communicator is an intercommunicator.
    fn comm_test_inter = c"MPI_Comm_test_inter" / c"PMPI_Comm_test_inter" (comm: Handle, flag: *mut c_int);
    /// Returns the intercommunicator with the processes that spawned this one, or the null handle.
    fn comm_get_parent = c"MPI_Comm_get_parent" / c"PMPI_Comm_get_parent" (parent: *mut c_void);
    /// Returns the group of a communicator.
    fn comm_group = c"MPI_Comm_group" / c"PMPI_Comm_group" (comm: Handle, group: *mut c_void);
    /// Returns the remote group of an intercommunicator.
    fn comm_remote_group =
        c"MPI_Comm_remote_group" / c"PMPI_Comm_remote_group" (comm: Handle, group: *mut c_void);
    /// Returns the name of a communicator.
    fn comm_get_name =
        c"MPI_Comm_get_name" / c"PMPI_Comm_get_name" (comm: Handle, name: *mut u8, len: *mut c_int);
    /// Returns the size of a group.
    fn group_size = c"MPI_Group_size" / c"PMPI_Group_size" (group: Handle, size: *mut c_int);
    /// Translates ranks of one group to another.
    fn group_translate_ranks = c"MPI_Group_translate_ranks" / c"PMPI_Group_translate_ranks"
        (group: Handle, n: c_int, ranks: *const c_int, other: Handle, translated: *mut c_int);
    /// Creates a group without some ranks of another one.
    fn group_excl = c"MPI_Group_excl" / c"PMPI_Group_excl"
        (group: Handle, n: c_int, ranks: *const c_int, new_group: *mut c_void);
    /// Creates a group of some ranks of another one.
    fn group_incl = c"MPI_Group_incl" / c"PMPI_Group_incl"
        (group: Handle, n: c_int, ranks: *const c_int, new_group: *mut c_void);
    /// Frees a group.
    fn group_free = c"MPI_Group_free" / c"PMPI_Group_free" (group: *mut c_void);
    /// Creates an attribute key.
    fn comm_create_keyval = c"MPI_Comm_create_keyval" / c"PMPI_Comm_create_keyval"
        (copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: *mut c_void);
    /// Frees an attribute key.
    fn comm_free_keyval = c"MPI_Comm_free_keyval" / c"PMPI_Comm_free_keyval" (keyval: *mut c_int);
    /// Sets an attribute of a communicator.
    fn comm_set_attr =
        c"MPI_Comm_set_attr" / c"PMPI_Comm_set_attr" (comm: Handle, keyval: c_int, value: *mut c_void);
    /// Returns an attribute of a communicator.
    fn comm_get_attr = c"MPI_Comm_get_attr" / c"PMPI_Comm_get_attr"
        (comm: Handle, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    /// Returns the kind of topology of a communicator.
    fn topo_test = c"MPI_Topo_test" / c"PMPI_Topo_test" (comm: Handle, status: *mut c_int);
    /// Returns the number of dimensions of a Cartesian topology.
    fn cartdim_get = c"MPI_Cartdim_get" / c"PMPI_Cartdim_get" (comm: Handle, dimensions: *mut c_int);
    /// Returns the two neighbors in a dimension.
    fn cart_shift = c"MPI_Cart_shift" / c"PMPI_Cart_shift"
        (comm: Handle, dimension: c_int, distance: c_int, source: *mut c_int, dest: *mut c_int);
    /// Returns the number of neighbors in a graph.
    fn graph_neighbors_count = c"MPI_Graph_neighbors_count" / c"PMPI_Graph_neighbors_count"
        (comm: Handle, rank: c_int, count: *mut c_int);
    /// Returns the neighbors in a graph.
    fn graph_neighbors = c"MPI_Graph_neighbors" / c"PMPI_Graph_neighbors"
        (comm: Handle, rank: c_int, most: c_int, neighbors: *mut c_int);
    /// Returns the numbers of neighbors in a distributed graph.
    fn dist_graph_neighbors_count = c"MPI_Dist_graph_neighbors_count" / c"PMPI_Dist_graph_neighbors_count"
        (comm: Handle, sources: *mut c_int, destinations: *mut c_int, weighted: *mut c_int);
    /// Returns the neighbors in a distributed graph.
    fn dist_graph_neighbors = c"MPI_Dist_graph_neighbors" / c"PMPI_Dist_graph_neighbors"
        (comm: Handle, most_sources: c_int, sources: *mut c_int, source_weights: *mut c_int,
         most_destinations: c_int, destinations: *mut c_int, destination_weights: *mut c_int);
    /// Returns the group of a window.
    fn win_get_group = c"MPI_Win_get_group" / c"PMPI_Win_get_group" (win: Handle, group: *mut c_void);
    /// Creates an attribute key for windows.
    fn win_create_keyval = c"MPI_Win_create_keyval" / c"PMPI_Win_create_keyval"
        (copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: *mut c_void);
    /// Frees an attribute key for windows.
    fn win_free_keyval = c"MPI_Win_free_keyval" / c"PMPI_Win_free_keyval" (keyval: *mut c_int);
    /// Sets an attribute of a window.
    fn win_set_attr =
        c"MPI_Win_set_attr" / c"PMPI_Win_set_attr" (win: Handle, keyval: c_int, value: *mut c_void);
    /// Returns an attribute of a window.
    fn win_get_attr = c"MPI_Win_get_attr" / c"PMPI_Win_get_attr"
        (win: Handle, keyval: c_int, value: *mut c_void, flag: *mut c_int);
    /// Creates an info object.
    fn info_create = c"MPI_Info_create" / c"PMPI_Info_create" (info: *mut c_void);
    /// Sets a key of an info object.
    fn info_set = c"MPI_Info_set" / c"PMPI_Info_set" (info: Handle, key: *const c_char, value: *const c_char);
    /// Returns the value of a key.
    fn info_get = c"MPI_Info_get" / c"PMPI_Info_get"
        (info: Handle, key: *const c_char, value_len: c_int, value: *mut c_char, flag: *mut c_int);
    /// Frees an info object.
    fn info_free = c"MPI_Info_free" / c"PMPI_Info_free" (info: *mut c_void);
    /// Initializes a session.
    fn session_init = c"MPI_Session_init" / c"PMPI_Session_init"
        (info: Handle, handler: Handle, session: *mut c_void);
    /// Finalizes a session.
    fn session_finalize = c"MPI_Session_finalize" / c"PMPI_Session_finalize" (session: *mut c_void);
    /// Returns the group of a process set.
    fn group_from_session_pset = c"MPI_Group_from_session_pset" / c"PMPI_Group_from_session_pset"
        (session: Handle, name: *const c_char, group: *mut c_void);
    /// Returns the caller's rank in a group.
    fn group_rank = c"MPI_Group_rank" / c"PMPI_Group_rank" (group: Handle, rank: *mut c_int);
    /// Returns the hints of a session as a new info object.
    fn session_get_info =
        c"MPI_Session_get_info" / c"PMPI_Session_get_info" (session: Handle, info: *mut c_void);
    /// Returns the size of a datatype in bytes.
    fn type_size = c"MPI_Type_size" / c"PMPI_Type_size" (datatype: Handle, size: *mut c_int);
    /// Returns the size of a datatype in bytes, also above 2^31.
    fn type_size_x = c"MPI_Type_size_x" / c"PMPI_Type_size_x" (datatype: Handle, size: *mut i64);
}

/// Returns true between `MPI_Init` and `MPI_Finalize`.
#[must_use]
pub fn has_world() -> bool {
    let (mut up, mut down): (c_int, c_int) = (0, 0);
    // SAFETY: `MPI_Initialized` may be called at any time, and `up` is a local variable.
    let code = unsafe { initialized(&raw mut up) };
    if code != Some(0) || up == 0 {
        return false;
    }
    // SAFETY: `MPI_Finalized` may be called at any time, and `down` is a local variable.
    unsafe { finalized(&raw mut down) };
    down == 0
}
