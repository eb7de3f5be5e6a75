//! Persistent requests for messages, and the calls that start and free all persistent requests.

use mpit_components::pml::Mode::{Buffered, Ready, Standard, Synchronous};

use crate::interpose::calls;
use crate::recorders::messages::Sending;
use crate::recorders::persistent::{CreationRecorder, Starting, made_other};

macro_rules! sends {
    ($($mode:ident: $name:ident;)+) => {
        calls! {$(
            making() large fn $name(
                buf: Buf, count: Count, datatype: Type, dest: Int, tag: Int, comm: Comm, request: Request,
            ) => CreationRecorder::new(request, Sending::new($mode, count, datatype, dest, tag, comm));
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
    ) => made_other(request);

    // A partitioned send is one message, regardless of the order in which its partitions become ready.
    making() plain fn Psend_init(
        buf: Buf, partitions: Int, count: Wide, datatype: Type, dest: Int, tag: Int, comm: Comm, info: Object,
        request: Request,
    ) => CreationRecorder::new(request, Sending::partitioned(partitions, count, datatype, dest, tag, comm));
    always() plain fn Precv_init(
        buf: Buf, partitions: Int, count: Wide, datatype: Type, source: Int, tag: Int, comm: Comm, info: Object,
        request: Request,
    ) => made_other(request);

    around(Starts) plain fn Start(request: Request) => Starting::new(request, 1);
    around(Starts) plain fn Startall(count: Int, requests: Request) => Starting::new(requests, count.get());
    before() plain fn Request_free(request: Request) => made_other(request);
}
