//! Accesses to memory of other processes: a line of `accesses!` is a call and its form with a request. Their
//! synchronization, of which the time is taken. And calls that make windows: what is made in another way is met when it is
//! first accessed.

use mpit_components::osc::Kind;

use crate::interpose::calls;
use crate::notes::accesses::{exchanged, exchanged_one, got, made, sent};

macro_rules! accesses {
    ($($name:ident($($arg:ident: $kind:ident),* $(,)?) => $note:expr;)+) => {
        pastey::paste! {
            calls! {$(
                after(Accesses) large fn $name($($arg: $kind),*) => $note;
                after(Accesses) large fn [<R $name:lower>]($($arg: $kind,)* request: Request) => $note;
            )+}
        }
    };
}

accesses! {
    Put(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, win: Win,
    ) => sent(Kind::Put, (origin_count, origin_datatype), target_rank, win);
    Get(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, win: Win,
    ) => got(Kind::Get, (origin_count, origin_datatype), target_rank, win);
    Accumulate(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, target_rank: Int, target_disp: Disp,
        target_count: Count, target_datatype: Type, op: Object, win: Win,
    ) => sent(Kind::Accumulate, (origin_count, origin_datatype), target_rank, win);
    Get_accumulate(
        origin_addr: Buf, origin_count: Count, origin_datatype: Type, result_addr: Buf, result_count: Count,
        result_datatype: Type, target_rank: Int, target_disp: Disp, target_count: Count, target_datatype: Type,
        op: Object, win: Win,
    ) => exchanged(
        Kind::GetAccumulate, (origin_count, origin_datatype), (result_count, result_datatype), target_rank, win,
    );
}

calls! {
    after(Accesses) plain fn Fetch_and_op(
        origin_addr: Buf, result_addr: Buf, datatype: Type, target_rank: Int, target_disp: Disp, op: Object, win: Win,
    ) => exchanged_one(Kind::FetchAndOp, datatype, target_rank, win);
    after(Accesses) plain fn Compare_and_swap(
        origin_addr: Buf, compare_addr: Buf, result_addr: Buf, datatype: Type, target_rank: Int, target_disp: Disp,
        win: Win,
    ) => exchanged_one(Kind::CompareAndSwap, datatype, target_rank, win);

    // A displacement unit is an `int`, and of 64 bits in the large forms, as counts are.
    after(Windows) large fn Win_create(
        base: Buf, size: Disp, unit: Count, info: Object, comm: Comm, new: NewWin,
    ) => made(new);
    after(Windows) large fn Win_allocate(
        size: Disp, unit: Count, info: Object, comm: Comm, base: Place, new: NewWin,
    ) => made(new);
    after(Windows) large fn Win_allocate_shared(
        size: Disp, unit: Count, info: Object, comm: Comm, base: Place, new: NewWin,
    ) => made(new);
    after(Windows) plain fn Win_create_dynamic(info: Object, comm: Comm, new: NewWin) => made(new);

    timed(Synchronization) plain fn Win_fence(assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_start(group: Object, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_complete(win: Win);
    timed(Synchronization) plain fn Win_post(group: Object, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_wait(win: Win);
    timed(Synchronization) plain fn Win_test(win: Win, flag: Place);
    timed(Synchronization) plain fn Win_lock(kind: Int, rank: Int, assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_unlock(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_lock_all(assertion: Int, win: Win);
    timed(Synchronization) plain fn Win_unlock_all(win: Win);
    timed(Synchronization) plain fn Win_flush(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_flush_all(win: Win);
    timed(Synchronization) plain fn Win_flush_local(rank: Int, win: Win);
    timed(Synchronization) plain fn Win_flush_local_all(win: Win);
    timed(Synchronization) plain fn Win_sync(win: Win);
}
