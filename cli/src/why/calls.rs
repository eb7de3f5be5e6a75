//! The behavior of MPI's functions: which processes a call can wait for.

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// `MPI_Init` and its relatives.
    Init,
    Finalize,
    /// Sends and receives, also both: waits for all its operations.
    Message,
    /// Waits for all requests.
    WaitAll,
    /// Waits for one of several requests.
    WaitAny,
    Collective(Flow),
    /// Waits until another process unlocks a window.
    Lock,
    /// Waits for the other side of an exposure or access epoch.
    Epoch,
    /// A collective operation on a file, which may also wait for the file.
    File,
    /// A collective operation that waits for processes of another world as well.
    External(External),
    /// The creation of a communicator by the members of a group.
    CreateGroup,
    /// The creation of a communicator between two groups, by their leaders.
    Intercomm,
    /// Waits for the messages in a buffer.
    Buffered,
    /// A function of which it is not known for which processes it waits.
    Other,
}

/// The processes of another world that a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum External {
    Accept,
    Connect,
    Spawn,
}

/// The direction of a collective operation's data: which processes wait for which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Each process waits for all.
    AllToAll,
    /// The others wait for the root.
    FromRoot,
    /// The root waits for the others.
    ToRoot,
    /// Each process waits for some others.
    Partial,
}

/// Returns the kind of a function by its name.
pub(crate) fn kind(name: &str) -> CallKind {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let name = name.strip_suffix("_c").unwrap_or(name);
    if let Some(blocking) = blocking(name) {
        return kind(&blocking);
    }
    match name {
        "Init" | "Init_thread" => CallKind::Init,
        "Finalize" => CallKind::Finalize,
        "Send" | "Ssend" | "Rsend" | "Recv" | "Sendrecv" | "Sendrecv_replace" | "Probe" | "Mprobe" => {
            CallKind::Message
        }
        "Wait" | "Waitall" => CallKind::WaitAll,
        "Waitany" | "Waitsome" => CallKind::WaitAny,
        "Bcast" | "Scatter" | "Scatterv" => CallKind::Collective(Flow::FromRoot),
        "Reduce" | "Gather" | "Gatherv" => CallKind::Collective(Flow::ToRoot),
        "Scan"
        | "Exscan"
        | "Neighbor_allgather"
        | "Neighbor_allgatherv"
        | "Neighbor_alltoall"
        | "Neighbor_alltoallv"
        | "Neighbor_alltoallw" => CallKind::Collective(Flow::Partial),
        "Win_lock"
        | "Win_lock_all"
        | "Win_unlock"
        | "Win_unlock_all"
        | "Win_flush"
        | "Win_flush_all"
        | "Win_flush_local"
        | "Win_flush_local_all" => CallKind::Lock,
        "Win_start" | "Win_complete" | "Win_wait" => CallKind::Epoch,
        "Comm_accept" => CallKind::External(External::Accept),
        "Comm_connect" => CallKind::External(External::Connect),
        "Comm_spawn" | "Comm_spawn_multiple" => CallKind::External(External::Spawn),
        "Comm_create_group" => CallKind::CreateGroup,
        "Intercomm_create" => CallKind::Intercomm,
        "Buffer_detach" | "Buffer_flush" => CallKind::Buffered,
        "File_close" | "File_set_view" | "File_set_size" | "File_preallocate" | "File_sync" => CallKind::File,
        _ if is_transfer_of_all(name) => CallKind::File,
        _ if is_all_to_all_collective(name) => CallKind::Collective(Flow::AllToAll),
        _ => CallKind::Other,
    }
}

/// Returns true for a call that requests a lock of a window. One that does not return waits for that lock.
pub(crate) fn requests_lock(name: &str) -> bool {
    matches!(name, "MPI_Win_lock" | "MPI_Win_lock_all")
}

/// Returns true for collective transfers from and to files.
fn is_transfer_of_all(name: &str) -> bool {
    let name = name.strip_suffix("_end").unwrap_or(name);
    let is_transfer = name.starts_with("File_read") || name.starts_with("File_write");
    is_transfer && (name.ends_with("_all") || name.ends_with("_ordered"))
}

/// Returns the name of the blocking form of a nonblocking or persistent collective operation.
fn blocking(name: &str) -> Option<String> {
    if let Some(blocking) = name.strip_suffix("_init") {
        return if matches!(kind(blocking), CallKind::Collective(_)) {
            Some(blocking.to_owned())
        } else {
            None
        };
    }
    let rest = name.strip_prefix('I')?;
    let first = rest.chars().next().filter(char::is_ascii_lowercase)?;
    let blocking = format!("{}{}", first.to_ascii_uppercase(), &rest[1..]);
    if matches!(kind(&blocking), CallKind::Collective(_)) { Some(blocking) } else { None }
}

/// Returns true for collective operations that no process leaves before all others have entered, or that are treated so.
fn is_all_to_all_collective(name: &str) -> bool {
    const NAMES: [&str; 29] = [
        "Allgather",
        "Allgatherv",
        "Allreduce",
        "Alltoall",
        "Alltoallv",
        "Alltoallw",
        "Barrier",
        "Cart_create",
        "Cart_sub",
        "Comm_create",
        "Comm_disconnect",
        "Comm_dup",
        "Comm_dup_with_info",
        "Comm_free",
        "Comm_split",
        "Comm_split_type",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
        "File_open",
        "Graph_create",
        "Intercomm_merge",
        "Reduce_scatter",
        "Reduce_scatter_block",
        "Win_allocate",
        "Win_allocate_shared",
        "Win_create",
        "Win_create_dynamic",
        "Win_fence",
        "Win_free",
    ];
    NAMES.contains(&name)
}

/// Returns true if all processes must give a collective operation the same amount of data.
pub(crate) fn has_equal_amounts(name: &str) -> bool {
    let name = name.strip_suffix("_c").unwrap_or(name);
    matches!(
        name,
        "MPI_Bcast" | "MPI_Allreduce" | "MPI_Reduce" | "MPI_Scan" | "MPI_Exscan" | "MPI_Reduce_scatter_block"
    )
}

#[cfg(test)]
mod tests {
    use super::{CallKind, External, Flow, kind};

    #[test]
    fn functions_have_kinds() {
        for (name, wanted) in [
            ("MPI_Allreduce_c", CallKind::Collective(Flow::AllToAll)),
            ("MPI_Bcast", CallKind::Collective(Flow::FromRoot)),
            ("MPI_Gatherv", CallKind::Collective(Flow::ToRoot)),
            ("MPI_Win_fence", CallKind::Collective(Flow::AllToAll)),
            ("MPI_Ssend", CallKind::Message),
            ("MPI_Waitsome", CallKind::WaitAny),
            ("MPI_Comm_spawn", CallKind::External(External::Spawn)),
            ("MPI_File_write_at_all_end", CallKind::File),
            ("MPI_File_open", CallKind::Collective(Flow::AllToAll)),
            ("MPI_File_write_at", CallKind::Other),
            ("MPI_Bcast_init", CallKind::Collective(Flow::FromRoot)),
            ("MPI_Send_init", CallKind::Other),
            ("MPI_Comm_rank", CallKind::Other),
            ("MPI_Ireduce", CallKind::Collective(Flow::ToRoot)),
            ("MPI_Init", CallKind::Init),
            ("MPI_Irecv", CallKind::Other),
        ] {
            assert_eq!(kind(name), wanted, "{name}");
        }
    }
}
