//! Number and duration of the calls of each name, as performance variables. They are 0 while monitoring_time is off.

use std::sync::atomic::Ordering::Relaxed;

use mpit::event::clock;
use mpit::internal::log::Log;
use mpit::pvar;
use mpit_format::calls::index_of_symbol;
use mpit_format::store::count_and_ticks;
use mpit_frameworks::calls::CallsMade;

use super::CallWords;

/// The words of all calls, with the index of their name. Appended to with the registry's lock.
static ALL: Log<(u32, &CallWords)> = Log::new();

/// Adds the words of calls of one name. The caller guarantees that no other thread does at the same time.
pub(super) fn add(call: u32, words: &'static CallWords) {
    // In a full list, the variables lack some calls.
    let _ = ALL.push((call, words));
}

/// Returns the number of calls of one name, and their ticks.
fn sum(call: Option<u32>) -> (u64, f64) {
    let of_call = ALL.iter().filter(|(of, _)| Some(*of) == call);
    of_call.fold((0, 0.0), |(count, ticks), (_, words)| {
        let (more, longer) = count_and_ticks(&words.each_ref().map(|word| word.load(Relaxed)));
        (count + more, ticks + longer)
    })
}

/// Defines the COUNTER and the TIMER of each name.
macro_rules! variables {
    ($($name:ident: $count:ident, $seconds:ident;)*) => {$(
        #[doc = concat!("Calls of MPI_", stringify!($name), ", unless monitoring_time is off.")]
        #[pvar(class = "COUNTER", verbosity = "USER_DETAIL", category = CallsMade)]
        fn $count() -> u64 {
            const CALL: Option<u32> = index_of_symbol(concat!("MPI_", stringify!($name)));
            sum(CALL).0
        }

        #[doc = concat!("Time spent in MPI_", stringify!($name), ", summed over threads; an estimate if not all calls are measured.")]
        #[pvar(class = "TIMER", verbosity = "USER_DETAIL", category = CallsMade)]
        fn $seconds() -> f64 {
            const CALL: Option<u32> = index_of_symbol(concat!("MPI_", stringify!($name)));
            sum(CALL).1 / clock::ticks_per_second() as f64
        }
    )*};
}

variables! {
    Send: calls_mpi_send_count, calls_mpi_send_seconds;
    Bsend: calls_mpi_bsend_count, calls_mpi_bsend_seconds;
    Ssend: calls_mpi_ssend_count, calls_mpi_ssend_seconds;
    Rsend: calls_mpi_rsend_count, calls_mpi_rsend_seconds;
    Recv: calls_mpi_recv_count, calls_mpi_recv_seconds;
    Mrecv: calls_mpi_mrecv_count, calls_mpi_mrecv_seconds;
    Sendrecv: calls_mpi_sendrecv_count, calls_mpi_sendrecv_seconds;
    Sendrecv_replace: calls_mpi_sendrecv_replace_count, calls_mpi_sendrecv_replace_seconds;
    Probe: calls_mpi_probe_count, calls_mpi_probe_seconds;
    Mprobe: calls_mpi_mprobe_count, calls_mpi_mprobe_seconds;
    Iprobe: calls_mpi_iprobe_count, calls_mpi_iprobe_seconds;
    Improbe: calls_mpi_improbe_count, calls_mpi_improbe_seconds;
    Isend: calls_mpi_isend_count, calls_mpi_isend_seconds;
    Ibsend: calls_mpi_ibsend_count, calls_mpi_ibsend_seconds;
    Issend: calls_mpi_issend_count, calls_mpi_issend_seconds;
    Irsend: calls_mpi_irsend_count, calls_mpi_irsend_seconds;
    Irecv: calls_mpi_irecv_count, calls_mpi_irecv_seconds;
    Imrecv: calls_mpi_imrecv_count, calls_mpi_imrecv_seconds;
    Start: calls_mpi_start_count, calls_mpi_start_seconds;
    Startall: calls_mpi_startall_count, calls_mpi_startall_seconds;
    Wait: calls_mpi_wait_count, calls_mpi_wait_seconds;
    Waitall: calls_mpi_waitall_count, calls_mpi_waitall_seconds;
    Waitany: calls_mpi_waitany_count, calls_mpi_waitany_seconds;
    Waitsome: calls_mpi_waitsome_count, calls_mpi_waitsome_seconds;
    Test: calls_mpi_test_count, calls_mpi_test_seconds;
    Testall: calls_mpi_testall_count, calls_mpi_testall_seconds;
    Testany: calls_mpi_testany_count, calls_mpi_testany_seconds;
    Testsome: calls_mpi_testsome_count, calls_mpi_testsome_seconds;
    Barrier: calls_mpi_barrier_count, calls_mpi_barrier_seconds;
    Bcast: calls_mpi_bcast_count, calls_mpi_bcast_seconds;
    Gather: calls_mpi_gather_count, calls_mpi_gather_seconds;
    Gatherv: calls_mpi_gatherv_count, calls_mpi_gatherv_seconds;
    Scatter: calls_mpi_scatter_count, calls_mpi_scatter_seconds;
    Scatterv: calls_mpi_scatterv_count, calls_mpi_scatterv_seconds;
    Allgather: calls_mpi_allgather_count, calls_mpi_allgather_seconds;
    Allgatherv: calls_mpi_allgatherv_count, calls_mpi_allgatherv_seconds;
    Alltoall: calls_mpi_alltoall_count, calls_mpi_alltoall_seconds;
    Alltoallv: calls_mpi_alltoallv_count, calls_mpi_alltoallv_seconds;
    Alltoallw: calls_mpi_alltoallw_count, calls_mpi_alltoallw_seconds;
    Reduce: calls_mpi_reduce_count, calls_mpi_reduce_seconds;
    Allreduce: calls_mpi_allreduce_count, calls_mpi_allreduce_seconds;
    Reduce_scatter: calls_mpi_reduce_scatter_count, calls_mpi_reduce_scatter_seconds;
    Reduce_scatter_block: calls_mpi_reduce_scatter_block_count, calls_mpi_reduce_scatter_block_seconds;
    Scan: calls_mpi_scan_count, calls_mpi_scan_seconds;
    Exscan: calls_mpi_exscan_count, calls_mpi_exscan_seconds;
    Ibarrier: calls_mpi_ibarrier_count, calls_mpi_ibarrier_seconds;
    Ibcast: calls_mpi_ibcast_count, calls_mpi_ibcast_seconds;
    Igather: calls_mpi_igather_count, calls_mpi_igather_seconds;
    Iscatter: calls_mpi_iscatter_count, calls_mpi_iscatter_seconds;
    Iallgather: calls_mpi_iallgather_count, calls_mpi_iallgather_seconds;
    Ialltoall: calls_mpi_ialltoall_count, calls_mpi_ialltoall_seconds;
    Ireduce: calls_mpi_ireduce_count, calls_mpi_ireduce_seconds;
    Iallreduce: calls_mpi_iallreduce_count, calls_mpi_iallreduce_seconds;
    Comm_dup: calls_mpi_comm_dup_count, calls_mpi_comm_dup_seconds;
    Comm_create: calls_mpi_comm_create_count, calls_mpi_comm_create_seconds;
    Comm_split: calls_mpi_comm_split_count, calls_mpi_comm_split_seconds;
    Comm_free: calls_mpi_comm_free_count, calls_mpi_comm_free_seconds;
    Put: calls_mpi_put_count, calls_mpi_put_seconds;
    Get: calls_mpi_get_count, calls_mpi_get_seconds;
    Accumulate: calls_mpi_accumulate_count, calls_mpi_accumulate_seconds;
    Get_accumulate: calls_mpi_get_accumulate_count, calls_mpi_get_accumulate_seconds;
    Fetch_and_op: calls_mpi_fetch_and_op_count, calls_mpi_fetch_and_op_seconds;
    Compare_and_swap: calls_mpi_compare_and_swap_count, calls_mpi_compare_and_swap_seconds;
    Win_fence: calls_mpi_win_fence_count, calls_mpi_win_fence_seconds;
    Win_start: calls_mpi_win_start_count, calls_mpi_win_start_seconds;
    Win_complete: calls_mpi_win_complete_count, calls_mpi_win_complete_seconds;
    Win_post: calls_mpi_win_post_count, calls_mpi_win_post_seconds;
    Win_wait: calls_mpi_win_wait_count, calls_mpi_win_wait_seconds;
    Win_lock: calls_mpi_win_lock_count, calls_mpi_win_lock_seconds;
    Win_unlock: calls_mpi_win_unlock_count, calls_mpi_win_unlock_seconds;
    Win_lock_all: calls_mpi_win_lock_all_count, calls_mpi_win_lock_all_seconds;
    Win_unlock_all: calls_mpi_win_unlock_all_count, calls_mpi_win_unlock_all_seconds;
    Win_flush: calls_mpi_win_flush_count, calls_mpi_win_flush_seconds;
    Win_flush_all: calls_mpi_win_flush_all_count, calls_mpi_win_flush_all_seconds;
    File_open: calls_mpi_file_open_count, calls_mpi_file_open_seconds;
    File_close: calls_mpi_file_close_count, calls_mpi_file_close_seconds;
    File_read: calls_mpi_file_read_count, calls_mpi_file_read_seconds;
    File_read_at: calls_mpi_file_read_at_count, calls_mpi_file_read_at_seconds;
    File_read_all: calls_mpi_file_read_all_count, calls_mpi_file_read_all_seconds;
    File_read_at_all: calls_mpi_file_read_at_all_count, calls_mpi_file_read_at_all_seconds;
    File_write: calls_mpi_file_write_count, calls_mpi_file_write_seconds;
    File_write_at: calls_mpi_file_write_at_count, calls_mpi_file_write_at_seconds;
    File_write_all: calls_mpi_file_write_all_count, calls_mpi_file_write_all_seconds;
    File_write_at_all: calls_mpi_file_write_at_all_count, calls_mpi_file_write_at_all_seconds;
    File_sync: calls_mpi_file_sync_count, calls_mpi_file_sync_seconds;
}
