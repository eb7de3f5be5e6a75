//! Persistent requests for messages, and the calls that start and free all persistent requests.

use mpit_components::pml::Mode::{Buffered, Ready, Standard, Synchronous};

use crate::interpose::calls;
use crate::recorders::messages::SendRecorder;
use crate::recorders::persistent::{CreationRecorder, StartRecorder, created_without_record};

macro_rules! sends {
    ($($mode:ident: $name:ident;)+) => {
        calls! {$(
            creating() large fn $name(
                buf: Buf, count: Count, datatype: Type, dest: Int, tag: Int, comm: Comm, request: Request,
            ) => CreationRecorder::new(request, SendRecorder::new($mode, count, datatype, dest, tag, comm));
        )+}
    };
}

sends! {
    Standard: Send_init;
    Buffered: Bsend_init;
    Synchronous: Ssend_init;
    Ready: Rsend_init;
}

calls! {
    always() large fn Recv_init(
        buf: Buf, count: Count, datatype: Type, source: Int, tag: Int, comm: Comm, request: Request,
    ) => created_without_record(request);

    // A partitioned send is one message, regardless of the order in which its partitions become ready.
    creating() plain fn Psend_init(
        buf: Buf, partitions: Int, count: Wide, datatype: Type, dest: Int, tag: Int, comm: Comm, info: Object,
        request: Request,
    ) => CreationRecorder::new(request, SendRecorder::partitioned(partitions, count, datatype, dest, tag, comm));
    always() plain fn Precv_init(
        buf: Buf, partitions: Int, count: Wide, datatype: Type, source: Int, tag: Int, comm: Comm, info: Object,
        request: Request,
    ) => created_without_record(request);

    #[in_registers]
    around(Starts) plain fn Start(request: Request) => StartRecorder::one(request);
    #[in_registers]
    around(Starts) plain fn Startall(count: Int, requests: Request) => StartRecorder::all(count, requests);
    before() plain fn Request_free(request: Request) => created_without_record(request);
}
