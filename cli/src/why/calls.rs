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
    /// A function that does not wait for processes of this world, or that is not known.
    Other,
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
        _ if is_all_to_all_collective(name) => CallKind::Collective(Flow::AllToAll),
        _ => CallKind::Other,
    }
}

/// Returns true for a call that requests a lock of a window. One that does not return waits for that lock.
pub(crate) fn requests_lock(name: &str) -> bool {
    matches!(name, "MPI_Win_lock" | "MPI_Win_lock_all")
}

/// Returns the name of the blocking form of a nonblocking collective operation.
fn blocking(name: &str) -> Option<String> {
    let rest = name.strip_prefix('I')?;
    let first = rest.chars().next().filter(char::is_ascii_lowercase)?;
    let blocking = format!("{}{}", first.to_ascii_uppercase(), &rest[1..]);
    if matches!(kind(&blocking), CallKind::Collective(_)) { Some(blocking) } else { None }
}

/// Returns true for collective operations that no process leaves before all others have entered, or that are treated so.
fn is_all_to_all_collective(name: &str) -> bool {
    const NAMES: [&str; 40] = [
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
        "File_close",
        "File_open",
        "File_preallocate",
        "File_read_all",
        "File_read_at_all",
        "File_read_ordered",
        "File_set_size",
        "File_set_view",
        "File_sync",
        "File_write_all",
        "File_write_at_all",
        "File_write_ordered",
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
    use super::{CallKind, Flow, kind};

    #[test]
    fn functions_have_kinds() {
        for (name, wanted) in [
            ("MPI_Allreduce_c", CallKind::Collective(Flow::AllToAll)),
            ("MPI_Bcast", CallKind::Collective(Flow::FromRoot)),
            ("MPI_Gatherv", CallKind::Collective(Flow::ToRoot)),
            ("MPI_Win_fence", CallKind::Collective(Flow::AllToAll)),
            ("MPI_Ssend", CallKind::Message),
            ("MPI_Waitsome", CallKind::WaitAny),
            ("MPI_Comm_spawn", CallKind::Other),
            ("MPI_Comm_rank", CallKind::Other),
            ("MPI_Ireduce", CallKind::Collective(Flow::ToRoot)),
            ("MPI_Init", CallKind::Init),
            ("MPI_Irecv", CallKind::Other),
        ] {
            assert_eq!(kind(name), wanted, "{name}");
        }
    }
}
