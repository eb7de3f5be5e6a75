//! Calls that complete requests, whose time is measured.

use crate::interpose::calls;

calls! {
    #[in_registers]
    timed(Waits) plain fn Wait(request: Request, status: Pointer);
    #[in_registers]
    timed(Waits) plain fn Waitall(count: Int, requests: Request, statuses: Pointer);
    #[in_registers]
    timed(Waits) plain fn Waitany(count: Int, requests: Request, index: Pointer, status: Pointer);
    #[in_registers]
    timed(Waits) plain fn Waitsome(
        count: Int, requests: Request, done: Pointer, indices: Pointer, statuses: Pointer,
    );
    // The program completes the operation of such a request. Taken because libraries use the handles of requests again.
    timed(Waits) plain fn Grequest_start(
        query: Pointer, free: Pointer, cancel: Pointer, state: Pointer, request: Request,
    );
    #[in_registers]
    timed(Waits) plain fn Test(request: Request, flag: Pointer, status: Pointer);
    #[in_registers]
    timed(Waits) plain fn Testall(count: Int, requests: Request, flag: Pointer, statuses: Pointer);
    #[in_registers]
    timed(Waits) plain fn Testany(count: Int, requests: Request, index: Pointer, flag: Pointer, status: Pointer);
    #[in_registers]
    timed(Waits) plain fn Testsome(
        count: Int, requests: Request, done: Pointer, indices: Pointer, statuses: Pointer,
    );
    #[in_registers]
    timed(Waits) plain fn Request_get_status(request: OneRequest, flag: Pointer, status: Pointer);
    timed(Waits) plain fn Request_get_status_any(
        count: Int, requests: Request, index: Pointer, flag: Pointer, status: Pointer,
    );
    timed(Waits) plain fn Request_get_status_all(count: Int, requests: Request, flag: Pointer, statuses: Pointer);
    timed(Waits) plain fn Request_get_status_some(
        count: Int, requests: Request, done: Pointer, indices: Pointer, statuses: Pointer,
    );
    #[in_registers]
    timed(Waits) plain fn Parrived(request: OneRequest, partition: Int, flag: Pointer);
}
