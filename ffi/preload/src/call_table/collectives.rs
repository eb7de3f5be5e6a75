//! Collective operations. A line is a blocking, a nonblocking and a persistent call, each in all its forms, with the shape from which the
//! operation of this name is recorded: root, communicator, buffer and blocks. Open MPI 4 has the persistent ones as extensions,
//! `MPIX_*_init`.

use mpit_components::coll::Kind;

use crate::interpose::calls;
use crate::recorders::collectives::{either, in_buffer, no_blocks, operation, own, reduced};
use crate::recorders::persistent::CreationRecorder;

macro_rules! collectives {
    ($(
        $(#[$own:ident])? $form:ident $(($lengths:ident))? fn $name:ident($($arg:ident: $kind:ident),* $(,)?)
            => ($($shape:expr),*);
    )+) => {
        pastey::paste! {
            calls! {$(
                $(#[$own])?
                around(Collectives) $form $(($lengths, Blocking))? fn $name($($arg: $kind),*) => operation(Kind::[<$name:camel>], $($shape),*);
                $(#[$own])?
                around(Collectives) $form $(($lengths, Nonblocking))? fn [<I $name:lower>](
                    $($arg: $kind,)* request: Request,
                ) => operation(Kind::[<$name:camel>], $($shape),*).nonblocking(request);
                creating() $form $(($lengths, Persistent))? fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, operation(Kind::[<$name:camel>], $($shape),*));
                creating() extension fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, operation(Kind::[<$name:camel>], $($shape),*));
            )+}
        }
    };
}

collectives! {
    #[in_registers]
    plain fn Barrier(comm: Comm) => (None, comm, None, no_blocks());
    #[in_registers]
    large fn Bcast(buf: Buf, count: Count, datatype: Type, root: Int, comm: Comm)
        => (root, comm, None, in_buffer(buf, count, datatype));
    #[in_registers]
    large fn Gather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => (root, comm, sendbuf, either((recvcount, recvtype), (sendcount, sendtype)));
    #[observed_in_registers]
    large(AtRoot) fn Gatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, root: Int, comm: Comm,
    ) => (root, comm, sendbuf, either((recvcounts, recvtype), (sendcount, sendtype)));
    #[in_registers]
    large fn Scatter(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => (root, comm, recvbuf, either((sendcount, sendtype), (recvcount, recvtype)));
    #[observed_in_registers]
    large(AtRoot) fn Scatterv(
        sendbuf: Buf, sendcounts: SendCounts, displs: SendDispls, sendtype: Type, recvbuf: Buf, recvcount: Count,
        recvtype: Type, root: Int, comm: Comm,
    ) => (root, comm, recvbuf, either((sendcounts, sendtype), (recvcount, recvtype)));
    #[in_registers]
    large fn Allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => (None, comm, sendbuf, either((recvcount, recvtype), (sendcount, sendtype)));
    #[in_registers]
    large(OfAll) fn Allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => (None, comm, sendbuf, either(own(recvcounts, recvtype), (sendcount, sendtype)));
    #[in_registers]
    large fn Alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => (None, comm, sendbuf, either((recvcount, recvtype), (sendcount, sendtype)));
    #[observed_in_registers]
    large(OfAll) fn Alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => (None, comm, sendbuf, either((recvcounts, recvtype), (sendcounts, sendtype)));
    #[observed_in_registers]
    large(OfAll) fn Alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtypes: Types, comm: Comm,
    ) => (None, comm, sendbuf, either((recvcounts, recvtypes), (sendcounts, sendtypes)));
    #[in_registers]
    large fn Reduce(
        sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, root: Int, comm: Comm,
    ) => (root, comm, sendbuf, reduced(count, datatype, op, recvbuf));
    #[in_registers]
    large fn Allreduce(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => (None, comm, sendbuf, reduced(count, datatype, op, recvbuf));
    #[observed_in_registers]
    large(OfOwn) fn Reduce_scatter(
        sendbuf: Buf, recvbuf: Buf, recvcounts: RecvCounts, datatype: Type, op: Object, comm: Comm,
    ) => (None, comm, sendbuf, (recvcounts, datatype));
    #[in_registers]
    large fn Reduce_scatter_block(
        sendbuf: Buf, recvbuf: Buf, recvcount: Count, datatype: Type, op: Object, comm: Comm,
    ) => (None, comm, sendbuf, (recvcount, datatype));
    #[in_registers]
    large fn Scan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => (None, comm, sendbuf, reduced(count, datatype, op, recvbuf));
    #[in_registers]
    large fn Exscan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => (None, comm, sendbuf, reduced(count, datatype, op, recvbuf));
    #[observed_in_registers]
    large fn Neighbor_allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => (None, comm, None, (sendcount, sendtype));
    large(OfNeighbors) fn Neighbor_allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => (None, comm, None, (sendcount, sendtype));
    #[observed_in_registers]
    large fn Neighbor_alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => (None, comm, None, (sendcount, sendtype));
    #[observed_in_registers]
    large(OfNeighbors) fn Neighbor_alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => (None, comm, None, (sendcounts, sendtype));
    // Displacements have 64 bits in all forms.
    large(OfNeighbors) fn Neighbor_alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: Pointer, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: Pointer, recvtypes: Types, comm: Comm,
    ) => (None, comm, None, (sendcounts, sendtypes));
}
