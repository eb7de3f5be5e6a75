//! Messages: the four modes, blocking and not, and the combined calls.

use std::ffi::{c_int, c_void};

use mpit_components::pml::Mode::{self, Buffered, Ready, Standard, Synchronous};
use mpit_ffi::abi::Handle;

use crate::calls::{self, Buffer, Count, HandleAt, Sending, interposed};

/// A message of the call's arguments.
macro_rules! message {
    ($mode:expr, $count:expr, $datatype:expr, $dest:expr, $tag:expr, $comm:expr) => {
        calls::sent(Sending {
            count: Count::from($count),
            datatype: $datatype,
            dest: $dest,
            tag: $tag,
            comm: $comm,
            mode: $mode as Mode,
        })
    };
}

/// Blocking sends.
macro_rules! blocking {
    ($($mode:ident: $name:ident / $profiling:ident, $large:ident / $large_profiling:ident;)+) => {
        interposed! {$(
            Watched fn $name / $profiling(
                buf: Buffer, count: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
            ) => message!($mode, count, datatype, dest, tag, comm);
            Watched fn $large / $large_profiling(
                buf: Buffer, count: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
            ) large $name / $profiling(count) => message!($mode, count, datatype, dest, tag, comm);
        )+}
    };
}

blocking! {
    Standard: MPI_Send / PMPI_Send, MPI_Send_c / PMPI_Send_c;
    Buffered: MPI_Bsend / PMPI_Bsend, MPI_Bsend_c / PMPI_Bsend_c;
    Synchronous: MPI_Ssend / PMPI_Ssend, MPI_Ssend_c / PMPI_Ssend_c;
    Ready: MPI_Rsend / PMPI_Rsend, MPI_Rsend_c / PMPI_Rsend_c;
}

/// Nonblocking sends.
macro_rules! nonblocking {
    ($($mode:ident: $name:ident / $profiling:ident, $large:ident / $large_profiling:ident;)+) => {
        interposed! {$(
            Watched fn $name / $profiling(
                buf: Buffer, count: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
                request: HandleAt,
            ) => message!($mode, count, datatype, dest, tag, comm);
            Watched fn $large / $large_profiling(
                buf: Buffer, count: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
                request: HandleAt,
            ) large $name / $profiling(count) => message!($mode, count, datatype, dest, tag, comm);
        )+}
    };
}

nonblocking! {
    Standard: MPI_Isend / PMPI_Isend, MPI_Isend_c / PMPI_Isend_c;
    Buffered: MPI_Ibsend / PMPI_Ibsend, MPI_Ibsend_c / PMPI_Ibsend_c;
    Synchronous: MPI_Issend / PMPI_Issend, MPI_Issend_c / PMPI_Issend_c;
    Ready: MPI_Irsend / PMPI_Irsend, MPI_Irsend_c / PMPI_Irsend_c;
}

interposed! {
    Watched fn MPI_Sendrecv / PMPI_Sendrecv(
        sendbuf: Buffer, sendcount: c_int, sendtype: Handle, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, source: c_int, recvtag: c_int,
        comm: Handle, status: *mut c_void,
    ) => message!(Standard, sendcount, sendtype, dest, sendtag, comm);
    Watched fn MPI_Sendrecv_c / PMPI_Sendrecv_c(
        sendbuf: Buffer, sendcount: Count, sendtype: Handle, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: Count, recvtype: Handle, source: c_int, recvtag: c_int,
        comm: Handle, status: *mut c_void,
    ) large MPI_Sendrecv / PMPI_Sendrecv(sendcount, recvcount)
      => message!(Standard, sendcount, sendtype, dest, sendtag, comm);
    Watched fn MPI_Sendrecv_replace / PMPI_Sendrecv_replace(
        buf: *mut c_void, count: c_int, datatype: Handle, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Handle, status: *mut c_void,
    ) => message!(Standard, count, datatype, dest, sendtag, comm);
    Watched fn MPI_Sendrecv_replace_c / PMPI_Sendrecv_replace_c(
        buf: *mut c_void, count: Count, datatype: Handle, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Handle, status: *mut c_void,
    ) large MPI_Sendrecv_replace / PMPI_Sendrecv_replace(count)
      => message!(Standard, count, datatype, dest, sendtag, comm);
    Watched fn MPI_Isendrecv / PMPI_Isendrecv(
        sendbuf: Buffer, sendcount: c_int, sendtype: Handle, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, source: c_int, recvtag: c_int,
        comm: Handle, request: HandleAt,
    ) => message!(Standard, sendcount, sendtype, dest, sendtag, comm);
    Watched fn MPI_Isendrecv_c / PMPI_Isendrecv_c(
        sendbuf: Buffer, sendcount: Count, sendtype: Handle, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: Count, recvtype: Handle, source: c_int, recvtag: c_int,
        comm: Handle, request: HandleAt,
    ) large MPI_Isendrecv / PMPI_Isendrecv(sendcount, recvcount)
      => message!(Standard, sendcount, sendtype, dest, sendtag, comm);
    Watched fn MPI_Isendrecv_replace / PMPI_Isendrecv_replace(
        buf: *mut c_void, count: c_int, datatype: Handle, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Handle, request: HandleAt,
    ) => message!(Standard, count, datatype, dest, sendtag, comm);
    Watched fn MPI_Isendrecv_replace_c / PMPI_Isendrecv_replace_c(
        buf: *mut c_void, count: Count, datatype: Handle, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Handle, request: HandleAt,
    ) large MPI_Isendrecv_replace / PMPI_Isendrecv_replace(count)
      => message!(Standard, count, datatype, dest, sendtag, comm);
}
