//! Messages: sends in four modes, blocking and nonblocking, and combined calls; and calls for receiving and
//! buffering, whose time is measured.

use mpit_components::pml::Mode::{Buffered, Ready, Standard, Synchronous};

use crate::interpose::calls;
use crate::recorders::messages::SendRecorder;

/// Defines the blocking and the nonblocking send of a mode.
macro_rules! sends {
    ($($when:ident $mode:ident: $name:ident $nonblocking:ident;)+) => {
        calls! {$(
            #[in_registers]
            $when(Messages) large fn $name(
                buf: Buf, count: Count, datatype: Type, dest: Int, tag: Int, comm: Comm,
            ) => SendRecorder::new($mode, count, datatype, dest, tag, comm).validate_arguments(buf, None);
            #[in_registers]
            $when(Messages) large fn $nonblocking(
                buf: Buf, count: Count, datatype: Type, dest: Int, tag: Int, comm: Comm, request: Request,
            ) => SendRecorder::new($mode, count, datatype, dest, tag, comm).validate_arguments(buf, Some(request));
        )+}
    };
}

// Buffered and ready sends are not recorded in advance: the library may refuse them for lack of buffer space
// or of a receive.
sends! {
    in_advance Standard: Send Isend;
    around Buffered: Bsend Ibsend;
    in_advance Synchronous: Ssend Issend;
    around Ready: Rsend Irsend;
}

calls! {
    #[in_registers]
    around(Messages) large fn Sendrecv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, dest: Int, sendtag: Int,
        recvbuf: Buf, recvcount: Count, recvtype: Type, source: Int, recvtag: Int, comm: Comm, status: Pointer,
    ) => SendRecorder::new(Standard, sendcount, sendtype, dest, sendtag, comm);
    around(Messages) large fn Isendrecv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, dest: Int, sendtag: Int,
        recvbuf: Buf, recvcount: Count, recvtype: Type, source: Int, recvtag: Int, comm: Comm, request: Request,
    ) => SendRecorder::new(Standard, sendcount, sendtype, dest, sendtag, comm);
    #[in_registers]
    around(Messages) large fn Sendrecv_replace(
        buf: Buf, count: Count, datatype: Type, dest: Int, sendtag: Int, source: Int, recvtag: Int, comm: Comm,
        status: Pointer,
    ) => SendRecorder::new(Standard, count, datatype, dest, sendtag, comm);
    around(Messages) large fn Isendrecv_replace(
        buf: Buf, count: Count, datatype: Type, dest: Int, sendtag: Int, source: Int, recvtag: Int, comm: Comm,
        request: Request,
    ) => SendRecorder::new(Standard, count, datatype, dest, sendtag, comm);

    #[in_registers]
    timed(Receives) large fn Recv(
        buf: Buf, count: Count, datatype: Type, source: Int, tag: Int, comm: Comm, status: Pointer,
    );
    #[in_registers]
    timed(Receives) large fn Irecv(
        buf: Buf, count: Count, datatype: Type, source: Int, tag: Int, comm: Comm, request: Request,
    );
    timed(Receives) plain fn Probe(source: Int, tag: Int, comm: Comm, status: Pointer);
    #[in_registers]
    timed(Receives) plain fn Iprobe(source: Int, tag: Int, comm: Comm, flag: Pointer, status: Pointer);
    #[in_registers]
    timed(Receives) plain fn Mprobe(source: Int, tag: Int, comm: Comm, message: Pointer, status: Pointer);
    #[in_registers]
    timed(Receives) plain fn Improbe(
        source: Int, tag: Int, comm: Comm, flag: Pointer, message: Pointer, status: Pointer,
    );
    #[in_registers]
    timed(Receives) large fn Mrecv(
        buf: Buf, count: Count, datatype: Type, message: Pointer, status: Pointer,
    );
    #[in_registers]
    timed(Receives) large fn Imrecv(
        buf: Buf, count: Count, datatype: Type, message: Pointer, request: Request,
    );
    #[in_registers]
    timed(Receives) plain fn Cancel(request: Request);
    // The partitions belong to a message that was recorded when it was started.
    #[in_registers]
    timed(Receives) plain fn Pready(partition: Int, request: OneRequest);
    timed(Receives) plain fn Pready_range(first: Int, last: Int, request: OneRequest);
    timed(Receives) plain fn Pready_list(len: Int, partitions: Pointer, request: OneRequest);

    // Detaching or flushing a buffer waits for the messages in it.
    timed(Receives) large fn Buffer_attach(buffer: Buf, size: Count);
    timed(Receives) large fn Buffer_detach(buffer: Pointer, size: CountOut);
    timed(Receives) plain fn Buffer_flush();
    timed(Receives) plain fn Buffer_iflush(request: Request);
    timed(Receives) large fn Comm_attach_buffer(comm: Comm, buffer: Buf, size: Count);
    timed(Receives) large fn Comm_detach_buffer(comm: Comm, buffer: Pointer, size: CountOut);
    timed(Receives) plain fn Comm_flush_buffer(comm: Comm);
    timed(Receives) plain fn Comm_iflush_buffer(comm: Comm, request: Request);
    timed(Receives) large fn Session_attach_buffer(session: Object, buffer: Buf, size: Count);
    timed(Receives) large fn Session_detach_buffer(session: Object, buffer: Pointer, size: CountOut);
    timed(Receives) plain fn Session_flush_buffer(session: Object);
    timed(Receives) plain fn Session_iflush_buffer(session: Object, request: Request);
}
