//! The behavior of MPI's functions: which processes a call can wait for.

use mpit_components::store::current::{CALLS, Class};

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
    let Some(call) = CALLS.iter().find(|call| call.name == name) else { return CallKind::Other };
    match (call.class, name) {
        // Not waits for the other process: the message is in a buffer, or was matched before.
        (_, "Bsend" | "Mrecv") => CallKind::Other,
        (_, "Init" | "Init_thread") => CallKind::Init,
        (_, "Finalize") => CallKind::Finalize,
        (_, "Comm_accept") => CallKind::External(External::Accept),
        (_, "Comm_connect") => CallKind::External(External::Connect),
        (_, "Comm_spawn" | "Comm_spawn_multiple") => CallKind::External(External::Spawn),
        (_, "Comm_create_group") => CallKind::CreateGroup,
        (_, "Intercomm_create") => CallKind::Intercomm,
        (_, "Buffer_detach" | "Buffer_flush") => CallKind::Buffered,
        (Class::Send | Class::Receive | Class::Exchange | Class::Probe, _) => CallKind::Message,
        (Class::Wait, "Wait" | "Waitall") => CallKind::WaitAll,
        (Class::Wait, _) => CallKind::WaitAny,
        (Class::Rooted, "Bcast" | "Scatter" | "Scatterv") => CallKind::Collective(Flow::FromRoot),
        (Class::Rooted, _) => CallKind::Collective(Flow::ToRoot),
        (Class::Collective, _) if is_partial(name) => CallKind::Collective(Flow::Partial),
        (Class::Collective | Class::Creation, _) | (_, "Win_fence") => CallKind::Collective(Flow::AllToAll),
        (_, "Win_start" | "Win_complete" | "Win_wait") => CallKind::Epoch,
        (Class::Access, _) if is_of_locks(name) => CallKind::Lock,
        (Class::File, _) if is_of_all(name) => CallKind::File,
        (Class::StartCollective | Class::StartOther, _) => match blocking(name).map(|name| kind(&name)) {
            Some(kind @ CallKind::Collective(_)) => kind,
            _ => CallKind::Other,
        },
        _ => CallKind::Other,
    }
}

/// Returns true for a call that requests a lock of a window. One that does not return waits for that lock.
pub(crate) fn requests_lock(name: &str) -> bool {
    matches!(name, "MPI_Win_lock" | "MPI_Win_lock_all")
}

fn is_of_locks(name: &str) -> bool {
    ["Win_lock", "Win_unlock", "Win_flush"].iter().any(|begin| name.starts_with(begin))
}

/// Returns true for collective operations in which a process waits for some of the others.
fn is_partial(name: &str) -> bool {
    matches!(name, "Scan" | "Exscan") || name.starts_with("Neighbor_")
}

/// Returns true for collective calls on files, among those that may wait.
fn is_of_all(name: &str) -> bool {
    let is_transfer = name.starts_with("File_read") || name.starts_with("File_write");
    let name = name.strip_suffix("_end").unwrap_or(name);
    !is_transfer || name.ends_with("_all") || name.ends_with("_ordered")
}

/// Returns the name of the blocking form of a nonblocking or persistent operation.
fn blocking(name: &str) -> Option<String> {
    if let Some(blocking) = name.strip_suffix("_init") {
        return Some(blocking.to_owned());
    }
    let rest = name.strip_prefix('I')?;
    let first = rest.chars().next().filter(char::is_ascii_lowercase)?;
    Some(format!("{}{}", first.to_ascii_uppercase(), &rest[1..]))
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
