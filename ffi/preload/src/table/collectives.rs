//! Collective operations. A line is a blocking, a nonblocking and a persistent call, each in all its forms.
//! Open MPI 4 has the persistent ones as extensions, `MPIX_*_init`.

use mpit_components::coll::Kind;

use crate::arguments::small_counts::ArrayLifetime;
use crate::interpose::calls;
use crate::recorders::persistent::CreationRecorder;
use crate::recorders::{array_lengths, collectives};

macro_rules! collectives {
    ($(
        $form:ident $(($array_lengths:expr))? fn $name:ident($($arg:ident: $kind:ident),* $(,)?) => $recorder:expr;
    )+) => {
        pastey::paste! {
            calls! {$(
                around(Collectives) $form $(($array_lengths, ArrayLifetime::Blocking))? fn $name($($arg: $kind),*) => $recorder;
                around(Collectives) $form $(($array_lengths, ArrayLifetime::Nonblocking))? fn [<I $name:lower>](
                    $($arg: $kind,)* request: Request,
                ) => $recorder;
                creating() $form $(($array_lengths, ArrayLifetime::Persistent))? fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, $recorder);
                creating() extension fn [<$name _init>](
                    $($arg: $kind,)* info: Object, request: Request,
                ) => CreationRecorder::new(request, $recorder);
            )+}
        }
    };
}

collectives! {
    plain fn Barrier(comm: Comm) => collectives::barrier(comm);
    large fn Bcast(buf: Buf, count: Count, datatype: Type, root: Int, comm: Comm)
        => collectives::bcast((count, datatype), root, comm);
    large fn Gather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => collectives::gather(sendbuf, (sendcount, sendtype), (recvcount, recvtype), root, comm);
    large(array_lengths::at_root(root, comm)) fn Gatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, root: Int, comm: Comm,
    ) => collectives::gatherv(sendbuf, (sendcount, sendtype), (recvcounts, recvtype), root, comm);
    large fn Scatter(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, root: Int,
        comm: Comm,
    ) => collectives::scatter((sendcount, sendtype), recvbuf, (recvcount, recvtype), root, comm);
    large(array_lengths::at_root(root, comm)) fn Scatterv(
        sendbuf: Buf, sendcounts: SendCounts, displs: SendDispls, sendtype: Type, recvbuf: Buf, recvcount: Count,
        recvtype: Type, root: Int, comm: Comm,
    ) => collectives::scatterv((sendcounts, sendtype), recvbuf, (recvcount, recvtype), root, comm);
    large fn Allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => collectives::all(Kind::Allgather, sendbuf, (sendcount, sendtype), (recvcount, recvtype), comm);
    large(array_lengths::of_all(sendbuf, comm)) fn Allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => collectives::allgatherv(sendbuf, (sendcount, sendtype), (recvcounts, recvtype), comm);
    large fn Alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => collectives::all(Kind::Alltoall, sendbuf, (sendcount, sendtype), (recvcount, recvtype), comm);
    large(array_lengths::of_all(sendbuf, comm)) fn Alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => collectives::alltoallv(sendbuf, (sendcounts, sendtype), (recvcounts, recvtype), comm);
    large(array_lengths::of_all(sendbuf, comm)) fn Alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtypes: Types, comm: Comm,
    ) => collectives::alltoallw(sendbuf, (sendcounts, sendtypes), (recvcounts, recvtypes), comm);
    large fn Reduce(
        sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Object, root: Int, comm: Comm,
    ) => collectives::reduce(sendbuf, (count, datatype), root, comm);
    large fn Allreduce(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Object, comm: Comm)
        => collectives::reduce_to_all(Kind::Allreduce, sendbuf, (count, datatype), comm);
    large(array_lengths::of_own(comm)) fn Reduce_scatter(
        sendbuf: Buf, recvbuf: Buf, recvcounts: RecvCounts, datatype: Type, op: Object, comm: Comm,
    ) => collectives::reduce_scatter(sendbuf, recvcounts, datatype, comm);
    large fn Reduce_scatter_block(
        sendbuf: Buf, recvbuf: Buf, recvcount: Count, datatype: Type, op: Object, comm: Comm,
    ) => collectives::reduce_to_all(Kind::ReduceScatterBlock, sendbuf, (recvcount, datatype), comm);
    large fn Scan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Object, comm: Comm)
        => collectives::reduce_to_all(Kind::Scan, sendbuf, (count, datatype), comm);
    large fn Exscan(sendbuf: Buf, recvbuf: Buf, count: Count, datatype: Type, op: Object, comm: Comm)
        => collectives::reduce_to_all(Kind::Exscan, sendbuf, (count, datatype), comm);
    large fn Neighbor_allgather(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => collectives::neighbors(Kind::NeighborAllgather, (sendcount, sendtype), comm);
    large(array_lengths::of_neighbors(comm)) fn Neighbor_allgatherv(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcounts: RecvCounts, displs: RecvDispls,
        recvtype: Type, comm: Comm,
    ) => collectives::neighbors(Kind::NeighborAllgatherv, (sendcount, sendtype), comm);
    large fn Neighbor_alltoall(
        sendbuf: Buf, sendcount: Count, sendtype: Type, recvbuf: Buf, recvcount: Count, recvtype: Type, comm: Comm,
    ) => collectives::neighbors(Kind::NeighborAlltoall, (sendcount, sendtype), comm);
    large(array_lengths::of_neighbors(comm)) fn Neighbor_alltoallv(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: SendDispls, sendtype: Type,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: RecvDispls, recvtype: Type, comm: Comm,
    ) => collectives::neighbors_v((sendcounts, sendtype), comm);
    // Displacements have 64 bits in all forms.
    large(array_lengths::of_neighbors(comm)) fn Neighbor_alltoallw(
        sendbuf: Buf, sendcounts: SendCounts, sdispls: Pointer, sendtypes: Types,
        recvbuf: Buf, recvcounts: RecvCounts, rdispls: Pointer, recvtypes: Types, comm: Comm,
    ) => collectives::neighbors_w((sendcounts, sendtypes), comm);
}
