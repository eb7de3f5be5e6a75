//! The MPI calls that a process describes while they are in progress, and those that it only counts and measures.
//!
//! Files refer to a call by its index in [`CALLS`], so the order is part of the format.

/// The part that a call has in communication. It determines the arguments that are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A blocking send: communicator, destination, tag, count, datatype.
    Send,
    /// A blocking receive: communicator, source, tag, count, datatype.
    Receive,
    /// A send and a receive: both peers and tags, and the count of the send.
    Exchange,
    /// A wait for a message: communicator, source, tag.
    Probe,
    /// A wait for requests: their number, and the first of them.
    Wait,
    /// A collective operation: communicator, its number there, count, datatype.
    Collective,
    /// A collective operation with a root, which is the peer.
    Rooted,
    /// The collective creation or end of a communicator, of a window, or of a file.
    Creation,
    /// A call that returns a request for a message.
    StartMessage,
    /// A call that returns a request for a collective operation.
    StartCollective,
    /// A call of one-sided communication that may wait: window, and target rank if it has one. `MPI_Win_fence` also has its number
    /// among the fences of the window.
    Access,
    /// A call about files that may wait.
    File,
    /// A call that returns a request for something else. Recorded because libraries use the handles of requests again.
    StartOther,
    /// The initialization and the end of MPI, connections to other programs, and other calls that may wait.
    Other,
    /// A call that tests for the state of an operation and does not wait: counted, with the requests or the message.
    Poll,
    /// A call that starts persistent requests: added to the descriptions of these.
    StartPersistent,
    /// A call that marks partitions of a message as ready: added to the description of the request.
    Partition,
    /// A call that neither waits nor communicates. Not described.
    Local,
}

impl Class {
    /// Returns true for calls that a process describes to other programs.
    #[must_use]
    pub const fn is_described(self) -> bool {
        !matches!(self, Self::Local)
    }
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallName {
    /// The name without `MPI_`.
    pub name: &'static str,
    /// The part in communication.
    pub class: Class,
}

impl CallName {
    /// Returns true for calls that begin or end outside of the measured time.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(self.name, "Init" | "Init_thread" | "Finalize")
    }

    /// Returns true for calls that may wait for other processes or for a file, and are always measured.
    #[must_use]
    pub const fn may_wait(&self) -> bool {
        match self.class {
            Class::Send
            | Class::Receive
            | Class::Exchange
            | Class::Probe
            | Class::Wait
            | Class::Collective
            | Class::Rooted
            | Class::Creation
            | Class::File
            | Class::Other => true,
            // Of the calls of one-sided communication, those that synchronize.
            Class::Access => begins_with(self.name, "Win_"),
            _ => false,
        }
    }
}

/// Returns true if a name begins with a text.
const fn begins_with(name: &str, begin: &str) -> bool {
    has_at(name.as_bytes(), 0, begin.as_bytes())
}

/// Passes all calls to a macro, by [`Class`]. Those in brackets have performance variables. The order is part of the files' format: new calls
/// are added at the end of a line only with a new version of it.
#[macro_export]
macro_rules! for_each_call {
    ($then:ident) => {
        $then! {
            Send: [Send Bsend Ssend Rsend];
            Receive: [Recv Mrecv];
            Exchange: [Sendrecv Sendrecv_replace];
            Probe: [Probe Mprobe];
            Wait: [Wait Waitall Waitany Waitsome];
            Collective: [Barrier Allgather Allgatherv Alltoall Alltoallv Alltoallw Allreduce Reduce_scatter
                Reduce_scatter_block Scan Exscan] Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall
                Neighbor_alltoallv Neighbor_alltoallw;
            Rooted: [Bcast Gather Gatherv Scatter Scatterv Reduce];
            Creation: [Comm_dup] Comm_dup_with_info, [Comm_create Comm_split] Comm_split_type Cart_create Cart_sub
                Graph_create Dist_graph_create Dist_graph_create_adjacent Intercomm_create Intercomm_merge,
                [Comm_free] Comm_disconnect Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_free,
                [File_open];
            StartMessage: [Isend Ibsend Issend Irsend Irecv] Isendrecv Isendrecv_replace Send_init Bsend_init
                Ssend_init Rsend_init Recv_init Psend_init Precv_init, [Imrecv];
            StartCollective: [Ibarrier Iallgather] Iallgatherv, [Ialltoall] Ialltoallv Ialltoallw, [Iallreduce]
                Ireduce_scatter Ireduce_scatter_block Iscan Iexscan Ineighbor_allgather Ineighbor_allgatherv
                Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw, [Ibcast Igather] Igatherv, [Iscatter]
                Iscatterv, [Ireduce] Comm_idup;
            Access: [Win_fence Win_start Win_complete Win_post Win_wait Win_lock Win_unlock Win_lock_all
                Win_unlock_all Win_flush Win_flush_all] Win_flush_local Win_flush_local_all, [Put Get Accumulate
                Get_accumulate Fetch_and_op Compare_and_swap];
            File: [File_close File_read_all File_read_at_all] File_read_ordered, [File_write_all File_write_at_all]
                File_write_ordered File_read_shared File_write_shared File_read_all_end File_read_at_all_end
                File_read_ordered_end File_write_all_end File_write_at_all_end File_write_ordered_end File_set_view
                File_set_size File_preallocate, [File_sync File_read File_read_at File_write File_write_at];
            Other: [] Init Init_thread Finalize Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join
                Session_init Session_finalize Buffer_detach Buffer_flush Comm_agree Comm_shrink Comm_create_group
                Comm_create_from_group Intercomm_create_from_groups Comm_detach_buffer Comm_flush_buffer
                Session_detach_buffer Session_flush_buffer;
            StartOther: [] Rput Rget Raccumulate Rget_accumulate File_iread File_iread_all File_iread_shared
                File_iread_at File_iread_at_all File_iwrite File_iwrite_all File_iwrite_shared File_iwrite_at
                File_iwrite_at_all Comm_idup_with_info Barrier_init Bcast_init Gather_init Gatherv_init Scatter_init
                Scatterv_init Allgather_init Allgatherv_init Alltoall_init Alltoallv_init Alltoallw_init Reduce_init
                Allreduce_init Reduce_scatter_init Reduce_scatter_block_init Scan_init Exscan_init
                Neighbor_allgather_init Neighbor_allgatherv_init Neighbor_alltoall_init Neighbor_alltoallv_init
                Neighbor_alltoallw_init;
            Poll: [Test Testall Testany Testsome] Request_get_status Request_get_status_any Request_get_status_all
                Request_get_status_some, [Iprobe Improbe] Parrived Win_test;
            StartPersistent: [Start Startall];
            Local: [] Cancel;
            Partition: [] Pready Pready_range Pready_list;
            Local: [] Buffer_attach;
            StartOther: [] Buffer_iflush;
            Local: [] Comm_attach_buffer;
            StartOther: [] Comm_iflush_buffer;
            Local: [] Session_attach_buffer;
            StartOther: [] Session_iflush_buffer Comm_iagree;
            Local: [] Win_sync File_read_all_begin File_read_at_all_begin File_read_ordered_begin File_write_all_begin
                File_write_at_all_begin File_write_ordered_begin File_get_size File_get_group File_get_amode
                File_set_info File_get_info File_seek File_seek_shared File_get_position File_get_position_shared
                File_get_byte_offset File_get_type_extent File_set_atomicity File_get_atomicity File_delete
                File_get_view;
            StartOther: [] Grequest_start;
        }
    };
}

macro_rules! calls {
    ($($class:ident: $([$($public:ident)*] $($name:ident)*),+;)+) => {
        /// All calls.
        pub const CALLS: &[CallName] = &[$($(
            $(CallName { name: stringify!($public), class: Class::$class },)*
            $(CallName { name: stringify!($name), class: Class::$class },)*
        )+)+];
    };
}

for_each_call!(calls);

/// Returns the index of the call of a symbol of C or Fortran, in any of its forms; `None` for calls that are not counted.
#[must_use]
pub const fn index_of_symbol(symbol: &str) -> Option<u32> {
    let mut at = 0;
    while at < CALLS.len() {
        if is_form_of(symbol.as_bytes(), CALLS[at].name.as_bytes()) {
            return Some(at as u32);
        }
        at += 1;
    }
    None
}

/// The endings of the names of functions with large counts, and of Fortran.
const ENDINGS: [&str; 7] = ["", "_c", "_", "_f08_", "_f08ts_", "_c_f08_", "_c_f08ts_"];

const fn is_form_of(symbol: &[u8], name: &[u8]) -> bool {
    let start = match symbol {
        [b'M', b'P', b'I', b'X', b'_', ..] => 5,
        [b'M' | b'm', b'P' | b'p', b'I' | b'i', b'_', ..] => 4,
        _ => return false,
    };
    if !has_at(symbol, start, name) {
        return false;
    }
    let mut at = 0;
    while at < ENDINGS.len() {
        let ending = ENDINGS[at].as_bytes();
        if symbol.len() == start + name.len() + ending.len() && has_at(symbol, start + name.len(), ending) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns true if a text has another one at a position, ignoring case.
const fn has_at(text: &[u8], start: usize, part: &[u8]) -> bool {
    let mut at = 0;
    while at < part.len() {
        if start + at >= text.len() || !text[start + at].eq_ignore_ascii_case(&part[at]) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{CALLS, ENDINGS, index_of_symbol};

    #[test]
    fn calls_that_may_wait() {
        let may_wait = |name: &str| CALLS.iter().find(|call| call.name == name).unwrap().may_wait();
        for name in
            ["Send", "Waitall", "Allreduce", "Win_fence", "Comm_split", "File_open", "File_read", "Finalize"]
        {
            assert!(may_wait(name), "{name}");
        }
        for name in ["Isend", "Put", "Get_accumulate", "Test", "Iprobe", "Start", "File_seek", "Ibarrier"] {
            assert!(!may_wait(name), "{name}");
        }
    }

    #[test]
    fn symbols_name_one_call() {
        for (at, call) in CALLS.iter().enumerate() {
            assert_eq!(index_of_symbol(&format!("MPI_{}", call.name)), Some(at as u32), "{}", call.name);
            for ending in &ENDINGS[2..] {
                let symbol = format!("mpi_{}{ending}", call.name.to_lowercase());
                assert_eq!(index_of_symbol(&symbol), Some(at as u32), "{symbol}");
            }
        }
        assert_eq!(index_of_symbol("MPI_Send_c"), index_of_symbol("MPI_Send"));
        for other in ["MPI_Wtime", "MPI_", "Send", "MPI_Send_init_x", "MPI_Sendr"] {
            assert_eq!(index_of_symbol(other), None, "{other}");
        }
    }
}
