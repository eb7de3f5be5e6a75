//! One-sided communication. A line of `accesses!` is an access and its request-based form. The time of
//! synchronization calls is measured. Windows that are created by calls which are not listed here are
//! registered at the first access.

use mpit_components::osc::Kind;

use crate::interpose::calls;
use crate::recorders::accesses::AccessRecorder;
use crate::recorders::windows;

macro_rules! accesses {
    ($($name:ident($($arg:ident: $kind:ident),* $(,)?) => $recorder:expr;)+) => {
        pastey::paste! {
            calls! {$(
                #[in_registers]
                around(Accesses) large fn $name($($arg: $kind),*) => $recorder;
                #[in_registers]
                around(Accesses) large fn [<R $name:lower>]($($arg: $kind,)* request: Request) => $recorder;
            )+}
        }
    };
}

accesses! {
    Put(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, win: Win,
    ) => AccessRecorder::new(Kind::Put, target_rank, win).sends(origin_count, origin_datatype);
    Get(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, win: Win,
    ) => AccessRecorder::new(Kind::Get, target_rank, win).receives(origin_count, origin_datatype);
    Accumulate(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, op: Op, win: Win,
    ) => AccessRecorder::new(Kind::Accumulate, target_rank, win).sends(origin_count, origin_datatype).operation(op);
    Get_accumulate(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, result_addr: Buf, result_count: Count,
        result_datatype: Type, target_rank: Int, target_disp: Disp, target_count: Count, target_datatype: Type,
        op: Op, win: Win,
    ) => AccessRecorder::new(Kind::GetAccumulate, target_rank, win)
        .sends(origin_count, origin_datatype)
        .receives(result_count, result_datatype)
        .operation(op);
}

calls! {
    #[in_registers]
    around(Accesses) plain fn Fetch_and_op(
        origin_addr: Buf, result_addr: Buf, datatype: Type, target_rank: Int, target_disp: Disp, op: Op, win: Win,
    ) => AccessRecorder::new(Kind::FetchAndOp, target_rank, win).exchanges_one(datatype).operation(op);
    #[in_registers]
    around(Accesses) plain fn Compare_and_swap(
        origin_addr: Buf, compare_addr: Buf, result_addr: Buf, datatype: Type, target_rank: Int, target_disp: Disp,
        win: Win,
    ) => AccessRecorder::new(Kind::CompareAndSwap, target_rank, win).exchanges_one(datatype);

    // The displacement unit is an `int` that has 64 bits in the large forms, like a count.
    always() large fn Win_create(
        base: Buf, size: Disp, unit: Count, info: Object, comm: Comm, new: NewWin,
    ) => windows::created(new);
    always() large fn Win_allocate(
        size: Disp, unit: Count, info: Object, comm: Comm, base: Pointer, new: NewWin,
    ) => windows::created(new);
    always() large fn Win_allocate_shared(
        size: Disp, unit: Count, info: Object, comm: Comm, base: Pointer, new: NewWin,
    ) => windows::created(new);
    always() plain fn Win_create_dynamic(info: Object, comm: Comm, new: NewWin) => windows::created(new);

    freeing() plain fn Win_free(win: NewWin) => windows::freeing(win);

    timed(Synchronization) plain fn Win_fence(assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_start(group: Object, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_complete(win: Win);
    timed(Synchronization) plain fn Win_post(group: Object, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_wait(win: Win);
    timed(Synchronization) plain fn Win_test(win: Win, flag: Pointer);
    timed(Synchronization) plain fn Win_lock(kind: Int, rank: Int, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_unlock(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_lock_all(assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_unlock_all(win: Win);
    timed(Synchronization) plain fn Win_flush(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_flush_all(win: Win);
    timed(Synchronization) plain fn Win_flush_local(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_flush_local_all(win: Win);
    #[in_registers]
    timed(Synchronization) plain fn Win_sync(win: Win);
}
