//! Calls to the host's communication functions, for the transport during `MPI_Finalize`.

use std::ffi::{c_int, c_void};

use crate::abi::Handle;

host_calls! {
    /// Starts a barrier.
    fn ibarrier = c"MPI_Ibarrier" / c"PMPI_Ibarrier" (comm: Handle, request: *mut c_void);
    /// Starts to duplicate a communicator; the handle is written when the request is complete.
    fn comm_idup = c"MPI_Comm_idup" / c"PMPI_Comm_idup" (comm: Handle, made: *mut c_void, request: *mut c_void);
    /// Sets the error handler of a communicator.
    fn comm_set_errhandler =
        c"MPI_Comm_set_errhandler" / c"PMPI_Comm_set_errhandler" (comm: Handle, handler: Handle);
    /// Starts a synchronous send; complete when the receiver has matched it.
    fn issend = c"MPI_Issend" / c"PMPI_Issend"
        (data: *const c_void, count: c_int, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
         request: *mut c_void);
    /// Starts a receive.
    fn irecv = c"MPI_Irecv" / c"PMPI_Irecv"
        (data: *mut c_void, count: c_int, datatype: Handle, from: c_int, tag: c_int, comm: Handle,
         request: *mut c_void);
    /// Tests if a request is complete.
    fn test = c"MPI_Test" / c"PMPI_Test" (request: *mut c_void, flag: *mut c_int, status: *mut c_void);
    /// Returns the name of the machine.
    fn get_processor_name =
        c"MPI_Get_processor_name" / c"PMPI_Get_processor_name" (name: *mut u8, len: *mut c_int);
}
