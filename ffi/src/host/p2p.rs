//! Calls to the host's communication functions, for the transport during `MPI_Finalize`.

use std::ffi::{c_int, c_void};

use crate::abi::Handle;

host_calls! {
    fn ibarrier = MPI_Ibarrier(comm: Handle, request: *mut c_void);
    /// The handle is written when the request is complete.
    fn comm_idup = MPI_Comm_idup(comm: Handle, made: *mut c_void, request: *mut c_void);
    fn comm_set_errhandler = MPI_Comm_set_errhandler(comm: Handle, handler: Handle);
    fn isend = MPI_Isend(
        data: *const c_void, count: c_int, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
        request: *mut c_void,
    );
    fn irecv = MPI_Irecv(
        data: *mut c_void, count: c_int, datatype: Handle, from: c_int, tag: c_int, comm: Handle,
        request: *mut c_void,
    );
    fn test = MPI_Test(request: *mut c_void, flag: *mut c_int, status: *mut c_void);
    fn get_processor_name = MPI_Get_processor_name(name: *mut u8, len: *mut c_int);
}
