//! Number and duration of the calls of each name, as performance variables. They are 0 while monitoring_time is off.

use std::sync::atomic::Ordering::Relaxed;

use mpit::cell::{Numbered, NumberedPvars};
use mpit::event::clock;
use mpit::pvar;
use mpit_format::calls::index_of_symbol;
use mpit_format::store::count_and_ticks;
use mpit_frameworks::calls::CallsMade;
use mpit_sync::log::Log;

use super::CallWords;

/// The words of all calls, with the index of their name. Appended to with the registry's lock.
static ALL: Log<(u32, &CallWords)> = Log::new();

/// Adds the words of calls of one name. The caller guarantees that no other thread does at the same time.
pub(super) fn add(call: u32, words: &'static CallWords) {
    // In a full list, the variables lack some calls.
    let _ = ALL.push((call, words));
}

/// Returns the number of calls of one name, and their ticks.
fn sum(call: u32) -> (u64, f64) {
    let of_call = ALL.iter().filter(|(of, _)| *of == call);
    of_call.fold((0, 0.0), |(count, ticks), (_, words)| {
        let (more, longer) = count_and_ticks(&words.each_ref().map(|word| word.load(Relaxed)));
        (count + more, ticks + longer)
    })
}

/// The number of calls of a name, by its index.
enum Count {}

impl NumberedPvars for Count {
    type Value = u64;

    fn value(call: u32) -> u64 {
        sum(call).0
    }
}

/// The duration of calls of a name, by its index.
enum Seconds {}

impl NumberedPvars for Seconds {
    type Value = f64;

    fn value(call: u32) -> f64 {
        sum(call).1 / clock::ticks_per_second() as f64
    }
}

/// Returns the cell of a name. Fails to compile if there is no such call.
const fn of_call<F>(symbol: &str) -> Numbered<F> {
    match index_of_symbol(symbol) {
        Some(call) => Numbered::new(call),
        None => panic!("not a call of MPI"),
    }
}

/// Defines the COUNTER and the TIMER of each name.
macro_rules! variables {
    ($($name:ident: $count:ident, $seconds:ident;)*) => {$(
        #[doc = concat!("Calls of MPI_", stringify!($name), ", unless monitoring_time is off.")]
        #[pvar(class = "COUNTER", verbosity = "USER_DETAIL", category = CallsMade)]
        static $count: Numbered<Count> = of_call(concat!("MPI_", stringify!($name)));

        #[doc = concat!("Time spent in MPI_", stringify!($name), ", summed over threads; an estimate if not all calls are measured.")]
        #[pvar(class = "TIMER", verbosity = "USER_DETAIL", category = CallsMade)]
        static $seconds: Numbered<Seconds> = of_call(concat!("MPI_", stringify!($name)));
    )*};
}

variables! {
    Send: CALLS_MPI_SEND_COUNT, CALLS_MPI_SEND_SECONDS;
    Bsend: CALLS_MPI_BSEND_COUNT, CALLS_MPI_BSEND_SECONDS;
    Ssend: CALLS_MPI_SSEND_COUNT, CALLS_MPI_SSEND_SECONDS;
    Rsend: CALLS_MPI_RSEND_COUNT, CALLS_MPI_RSEND_SECONDS;
    Recv: CALLS_MPI_RECV_COUNT, CALLS_MPI_RECV_SECONDS;
    Mrecv: CALLS_MPI_MRECV_COUNT, CALLS_MPI_MRECV_SECONDS;
    Sendrecv: CALLS_MPI_SENDRECV_COUNT, CALLS_MPI_SENDRECV_SECONDS;
    Sendrecv_replace: CALLS_MPI_SENDRECV_REPLACE_COUNT, CALLS_MPI_SENDRECV_REPLACE_SECONDS;
    Probe: CALLS_MPI_PROBE_COUNT, CALLS_MPI_PROBE_SECONDS;
    Mprobe: CALLS_MPI_MPROBE_COUNT, CALLS_MPI_MPROBE_SECONDS;
    Iprobe: CALLS_MPI_IPROBE_COUNT, CALLS_MPI_IPROBE_SECONDS;
    Improbe: CALLS_MPI_IMPROBE_COUNT, CALLS_MPI_IMPROBE_SECONDS;
    Isend: CALLS_MPI_ISEND_COUNT, CALLS_MPI_ISEND_SECONDS;
    Ibsend: CALLS_MPI_IBSEND_COUNT, CALLS_MPI_IBSEND_SECONDS;
    Issend: CALLS_MPI_ISSEND_COUNT, CALLS_MPI_ISSEND_SECONDS;
    Irsend: CALLS_MPI_IRSEND_COUNT, CALLS_MPI_IRSEND_SECONDS;
    Irecv: CALLS_MPI_IRECV_COUNT, CALLS_MPI_IRECV_SECONDS;
    Imrecv: CALLS_MPI_IMRECV_COUNT, CALLS_MPI_IMRECV_SECONDS;
    Start: CALLS_MPI_START_COUNT, CALLS_MPI_START_SECONDS;
    Startall: CALLS_MPI_STARTALL_COUNT, CALLS_MPI_STARTALL_SECONDS;
    Wait: CALLS_MPI_WAIT_COUNT, CALLS_MPI_WAIT_SECONDS;
    Waitall: CALLS_MPI_WAITALL_COUNT, CALLS_MPI_WAITALL_SECONDS;
    Waitany: CALLS_MPI_WAITANY_COUNT, CALLS_MPI_WAITANY_SECONDS;
    Waitsome: CALLS_MPI_WAITSOME_COUNT, CALLS_MPI_WAITSOME_SECONDS;
    Test: CALLS_MPI_TEST_COUNT, CALLS_MPI_TEST_SECONDS;
    Testall: CALLS_MPI_TESTALL_COUNT, CALLS_MPI_TESTALL_SECONDS;
    Testany: CALLS_MPI_TESTANY_COUNT, CALLS_MPI_TESTANY_SECONDS;
    Testsome: CALLS_MPI_TESTSOME_COUNT, CALLS_MPI_TESTSOME_SECONDS;
    Barrier: CALLS_MPI_BARRIER_COUNT, CALLS_MPI_BARRIER_SECONDS;
    Bcast: CALLS_MPI_BCAST_COUNT, CALLS_MPI_BCAST_SECONDS;
    Gather: CALLS_MPI_GATHER_COUNT, CALLS_MPI_GATHER_SECONDS;
    Gatherv: CALLS_MPI_GATHERV_COUNT, CALLS_MPI_GATHERV_SECONDS;
    Scatter: CALLS_MPI_SCATTER_COUNT, CALLS_MPI_SCATTER_SECONDS;
    Scatterv: CALLS_MPI_SCATTERV_COUNT, CALLS_MPI_SCATTERV_SECONDS;
    Allgather: CALLS_MPI_ALLGATHER_COUNT, CALLS_MPI_ALLGATHER_SECONDS;
    Allgatherv: CALLS_MPI_ALLGATHERV_COUNT, CALLS_MPI_ALLGATHERV_SECONDS;
    Alltoall: CALLS_MPI_ALLTOALL_COUNT, CALLS_MPI_ALLTOALL_SECONDS;
    Alltoallv: CALLS_MPI_ALLTOALLV_COUNT, CALLS_MPI_ALLTOALLV_SECONDS;
    Alltoallw: CALLS_MPI_ALLTOALLW_COUNT, CALLS_MPI_ALLTOALLW_SECONDS;
    Reduce: CALLS_MPI_REDUCE_COUNT, CALLS_MPI_REDUCE_SECONDS;
    Allreduce: CALLS_MPI_ALLREDUCE_COUNT, CALLS_MPI_ALLREDUCE_SECONDS;
    Reduce_scatter: CALLS_MPI_REDUCE_SCATTER_COUNT, CALLS_MPI_REDUCE_SCATTER_SECONDS;
    Reduce_scatter_block: CALLS_MPI_REDUCE_SCATTER_BLOCK_COUNT, CALLS_MPI_REDUCE_SCATTER_BLOCK_SECONDS;
    Scan: CALLS_MPI_SCAN_COUNT, CALLS_MPI_SCAN_SECONDS;
    Exscan: CALLS_MPI_EXSCAN_COUNT, CALLS_MPI_EXSCAN_SECONDS;
    Ibarrier: CALLS_MPI_IBARRIER_COUNT, CALLS_MPI_IBARRIER_SECONDS;
    Ibcast: CALLS_MPI_IBCAST_COUNT, CALLS_MPI_IBCAST_SECONDS;
    Igather: CALLS_MPI_IGATHER_COUNT, CALLS_MPI_IGATHER_SECONDS;
    Iscatter: CALLS_MPI_ISCATTER_COUNT, CALLS_MPI_ISCATTER_SECONDS;
    Iallgather: CALLS_MPI_IALLGATHER_COUNT, CALLS_MPI_IALLGATHER_SECONDS;
    Ialltoall: CALLS_MPI_IALLTOALL_COUNT, CALLS_MPI_IALLTOALL_SECONDS;
    Ireduce: CALLS_MPI_IREDUCE_COUNT, CALLS_MPI_IREDUCE_SECONDS;
    Iallreduce: CALLS_MPI_IALLREDUCE_COUNT, CALLS_MPI_IALLREDUCE_SECONDS;
    Comm_dup: CALLS_MPI_COMM_DUP_COUNT, CALLS_MPI_COMM_DUP_SECONDS;
    Comm_create: CALLS_MPI_COMM_CREATE_COUNT, CALLS_MPI_COMM_CREATE_SECONDS;
    Comm_split: CALLS_MPI_COMM_SPLIT_COUNT, CALLS_MPI_COMM_SPLIT_SECONDS;
    Comm_free: CALLS_MPI_COMM_FREE_COUNT, CALLS_MPI_COMM_FREE_SECONDS;
    Put: CALLS_MPI_PUT_COUNT, CALLS_MPI_PUT_SECONDS;
    Get: CALLS_MPI_GET_COUNT, CALLS_MPI_GET_SECONDS;
    Accumulate: CALLS_MPI_ACCUMULATE_COUNT, CALLS_MPI_ACCUMULATE_SECONDS;
    Get_accumulate: CALLS_MPI_GET_ACCUMULATE_COUNT, CALLS_MPI_GET_ACCUMULATE_SECONDS;
    Fetch_and_op: CALLS_MPI_FETCH_AND_OP_COUNT, CALLS_MPI_FETCH_AND_OP_SECONDS;
    Compare_and_swap: CALLS_MPI_COMPARE_AND_SWAP_COUNT, CALLS_MPI_COMPARE_AND_SWAP_SECONDS;
    Win_fence: CALLS_MPI_WIN_FENCE_COUNT, CALLS_MPI_WIN_FENCE_SECONDS;
    Win_start: CALLS_MPI_WIN_START_COUNT, CALLS_MPI_WIN_START_SECONDS;
    Win_complete: CALLS_MPI_WIN_COMPLETE_COUNT, CALLS_MPI_WIN_COMPLETE_SECONDS;
    Win_post: CALLS_MPI_WIN_POST_COUNT, CALLS_MPI_WIN_POST_SECONDS;
    Win_wait: CALLS_MPI_WIN_WAIT_COUNT, CALLS_MPI_WIN_WAIT_SECONDS;
    Win_lock: CALLS_MPI_WIN_LOCK_COUNT, CALLS_MPI_WIN_LOCK_SECONDS;
    Win_unlock: CALLS_MPI_WIN_UNLOCK_COUNT, CALLS_MPI_WIN_UNLOCK_SECONDS;
    Win_lock_all: CALLS_MPI_WIN_LOCK_ALL_COUNT, CALLS_MPI_WIN_LOCK_ALL_SECONDS;
    Win_unlock_all: CALLS_MPI_WIN_UNLOCK_ALL_COUNT, CALLS_MPI_WIN_UNLOCK_ALL_SECONDS;
    Win_flush: CALLS_MPI_WIN_FLUSH_COUNT, CALLS_MPI_WIN_FLUSH_SECONDS;
    Win_flush_all: CALLS_MPI_WIN_FLUSH_ALL_COUNT, CALLS_MPI_WIN_FLUSH_ALL_SECONDS;
    File_open: CALLS_MPI_FILE_OPEN_COUNT, CALLS_MPI_FILE_OPEN_SECONDS;
    File_close: CALLS_MPI_FILE_CLOSE_COUNT, CALLS_MPI_FILE_CLOSE_SECONDS;
    File_read: CALLS_MPI_FILE_READ_COUNT, CALLS_MPI_FILE_READ_SECONDS;
    File_read_at: CALLS_MPI_FILE_READ_AT_COUNT, CALLS_MPI_FILE_READ_AT_SECONDS;
    File_read_all: CALLS_MPI_FILE_READ_ALL_COUNT, CALLS_MPI_FILE_READ_ALL_SECONDS;
    File_read_at_all: CALLS_MPI_FILE_READ_AT_ALL_COUNT, CALLS_MPI_FILE_READ_AT_ALL_SECONDS;
    File_write: CALLS_MPI_FILE_WRITE_COUNT, CALLS_MPI_FILE_WRITE_SECONDS;
    File_write_at: CALLS_MPI_FILE_WRITE_AT_COUNT, CALLS_MPI_FILE_WRITE_AT_SECONDS;
    File_write_all: CALLS_MPI_FILE_WRITE_ALL_COUNT, CALLS_MPI_FILE_WRITE_ALL_SECONDS;
    File_write_at_all: CALLS_MPI_FILE_WRITE_AT_ALL_COUNT, CALLS_MPI_FILE_WRITE_AT_ALL_SECONDS;
    File_sync: CALLS_MPI_FILE_SYNC_COUNT, CALLS_MPI_FILE_SYNC_SECONDS;
}
