//! Collective operations. A line is a blocking, a nonblocking and a persistent call, each in all its forms, with
//! the shape from which the operation of this name is recorded. Open MPI 4 has the persistent ones as extensions, `MPIX_*_init`.

use mpit_components::coll::Kind;

use crate::arguments::small_counts::ArrayLifetime;
use crate::interpose::calls;
use crate::recorders::array_lengths;
use crate::recorders::collectives::{self, Either, InBuffer, Own, Reduced};
use crate::recorders::persistent::CreationRecorder;

macro_rules! collectives {
    ($(
        $form:ident $(($array_lengths:expr))? fn $name:ident($($arg:ident: $kind:ident),* $(,)?)
            => $shape:ident($($shape_arg:expr),*);
    )+) => {
        pastey::paste! {
            calls! {$(
                around(Collectives) $form $(($array_lengths, ArrayLifetime::Blocking))? fn $name($($arg: $kind),*) => collectives::$shape(Kind::[<$name:camel>], $($shape_arg),*);
                around(Collectives) $form $(($array_lengths, ArrayLifetime::Nonblocking))? fn [<I $name:lower>](
                    $($arg: $kind,)* request: Request,
                ) => collectives::$shape(Kind::[<$name:camel>], $($shape_arg),*).nonblocking(request);
                creating() $form $(($array_lengths, ArrayLifetime::Persistent))? fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, collectives::$shape(Kind::[<$name:camel>], $($shape_arg),*));
                creating() extension fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, collectives::$shape(Kind::[<$name:camel>], $($shape_arg),*));
            )+}
        }
    };
}

collectives! {
    plain fn Barrier(comm: Comm) => rootless(comm, (), ());
    large fn Bcast(buf: Buf, count: Count, datatype: Type, root: Int, comm: Comm)
        => rooted(root, comm, (), InBuffer(buf, count, datatype));
    large fn Gather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => rooted(root, comm, sendbuf, [(recvcount, recvtype), (sendcount, sendtype)]);
    large(array_lengths::at_root(root, comm)) fn Gatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, root: Int, comm: Comm,
    ) => rooted(root, comm, sendbuf, Either((recvcounts, recvtype), (sendcount, sendtype)));
    large fn Scatter(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => rooted(root, comm, recvbuf, [(sendcount, sendtype), (recvcount, recvtype)]);
    large(array_lengths::at_root(root, comm)) fn Scatterv(
        sendbuf: Buf, sendcounts: SendCounts, displs: SendDispls, sendtype: Type, recvbuf: Buf, recvcount: Count,
        recvtype: Type, root: Int, comm: Comm,
    ) => rooted(root, comm, recvbuf, Either((sendcounts, sendtype), (recvcount, recvtype)));
    large fn Allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => rootless(comm, sendbuf, [(recvcount, recvtype), (sendcount, sendtype)]);
    large(array_lengths::of_all(sendbuf, comm)) fn Allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => rootless(comm, sendbuf, Either(Own((recvcounts, recvtype)), (sendcount, sendtype)));
    large fn Alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => rootless(comm, sendbuf, [(recvcount, recvtype), (sendcount, sendtype)]);
    large(array_lengths::of_all(sendbuf, comm)) fn Alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => rootless(comm, sendbuf, Either((recvcounts, recvtype), (sendcounts, sendtype)));
    large(array_lengths::of_all(sendbuf, comm)) fn Alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtypes: Types, comm: Comm,
    ) => rootless(comm, sendbuf, Either((recvcounts, recvtypes), (sendcounts, sendtypes)));
    large fn Reduce(
        sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, root: Int, comm: Comm,
    ) => rooted(root, comm, sendbuf, Reduced(count, datatype, op, recvbuf));
    large fn Allreduce(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => rootless(comm, sendbuf, Reduced(count, datatype, op, recvbuf));
    large(array_lengths::of_own(comm)) fn Reduce_scatter(
        sendbuf: Buf, recvbuf: Buf, recvcounts: RecvCounts, datatype: Type, op: Object, comm: Comm,
    ) => rootless(comm, sendbuf, (recvcounts, datatype));
    large fn Reduce_scatter_block(
        sendbuf: Buf, recvbuf: Buf, recvcount: Count, datatype: Type, op: Object, comm: Comm,
    ) => rootless(comm, sendbuf, (recvcount, datatype));
    large fn Scan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => rootless(comm, sendbuf, Reduced(count, datatype, op, recvbuf));
    large fn Exscan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Op, comm: Comm)
        => rootless(comm, sendbuf, Reduced(count, datatype, op, recvbuf));
    large fn Neighbor_allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => rootless(comm, (), (sendcount, sendtype));
    large(array_lengths::of_neighbors(comm)) fn Neighbor_allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => rootless(comm, (), (sendcount, sendtype));
    large fn Neighbor_alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => rootless(comm, (), (sendcount, sendtype));
    large(array_lengths::of_neighbors(comm)) fn Neighbor_alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => rootless(comm, (), (sendcounts, sendtype));
    // Displacements have 64 bits in all forms.
    large(array_lengths::of_neighbors(comm)) fn Neighbor_alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: Pointer, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: Pointer, recvtypes: Types, comm: Comm,
    ) => rootless(comm, (), (sendcounts, sendtypes));
}
