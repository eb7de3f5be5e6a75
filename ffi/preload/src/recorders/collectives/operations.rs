//! The collective operations: each function makes a record from the arguments of its call.

use mpit_components::coll::{Kind, Root};

use super::{Amounts, Collective, CollectiveRecorder, Look, Of, bytes, collective};
use crate::arguments::{self, Binding, Buf, Count, Int, RecvCounts, SendCounts, Type, Types};

/// Records `MPI_Barrier`.
#[inline]
pub(crate) fn barrier<L: Binding>(
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        Some(Of::new(look, comm)?.record(Kind::Barrier, Root::None, Amounts::Each(0), false))
    })
}

/// Records `MPI_Bcast`.
#[inline]
pub(crate) fn bcast<L: Binding>(
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = of.each_unless_idle(root, block)?;
        Some(of.record(Kind::Bcast, root, amounts, false))
    })
}

/// Records `MPI_Reduce`.
#[inline]
pub(crate) fn reduce<L: Binding>(
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = of.each_unless_idle(root, block)?;
        Some(of.record(Kind::Reduce, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// Records reductions to all processes, in which the same number of bytes goes to each.
#[inline]
pub(crate) fn reduce_to_all<L: Binding>(
    kind: Kind,
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        Some(of.record(kind, Root::None, of.each(block)?, of.is_in_place(sendbuf)?))
    })
}

/// Records `MPI_Reduce_scatter`.
#[inline]
pub(crate) fn reduce_scatter<L: Binding>(
    sendbuf: Buf<L>,
    counts: RecvCounts<L>,
    datatype: Type<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        // The array has a count for each process of the local group, also on an intercommunicator.
        let amounts = Amounts::Counts(counts.of(of.comm.local_size()), of.size(datatype)?);
        Some(of.record(Kind::ReduceScatter, Root::None, amounts, of.is_in_place(sendbuf)?))
    })
}

/// Records `MPI_Gather`: at the root the bytes received from each process, elsewhere the bytes sent to the
/// root.
#[inline]
pub(crate) fn gather<L: Binding>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => of.each(recv)?,
            Root::At(_) => of.each(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.record(Kind::Gather, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// Records `MPI_Gatherv`.
#[inline]
pub(crate) fn gatherv<L: Binding>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype)?),
            Root::At(_) => of.each(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.record(Kind::Gatherv, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// Records `MPI_Scatter`: at the root the bytes sent to each process, elsewhere the bytes received from the
/// root.
#[inline]
pub(crate) fn scatter<L: Binding>(
    send: (Count<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => of.each(send)?,
            Root::At(_) => of.each(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.record(Kind::Scatter, root, amounts, root == Root::Here && of.is_in_place(recvbuf)?))
    })
}

/// Records `MPI_Scatterv`.
#[inline]
pub(crate) fn scatterv<L: Binding>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype)?),
            Root::At(_) => of.each(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.record(Kind::Scatterv, root, amounts, root == Root::Here && of.is_in_place(recvbuf)?))
    })
}

/// Records `MPI_Allgather` and `MPI_Alltoall`: with `MPI_IN_PLACE`, the number of bytes sent is that of the
/// bytes received.
#[inline]
pub(crate) fn all<L: Binding>(
    kind: Kind,
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        Some(of.record(kind, Root::None, of.each(if in_place { recv } else { send })?, in_place))
    })
}

/// Records `MPI_Allgatherv`: with `MPI_IN_PLACE`, this process sends its own block of the receive buffer.
#[inline]
pub(crate) fn allgatherv<L: Binding>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        let amounts = if in_place {
            let own = counts.of(of.comm.size()).get(of.comm.rank());
            Amounts::Each(bytes(own, of.size(datatype)?))
        } else {
            of.each(send)?
        };
        Some(of.record(Kind::Allgatherv, Root::None, amounts, in_place))
    })
}

/// Records `MPI_Alltoallv`.
#[inline]
pub(crate) fn alltoallv<L: Binding>(
    sendbuf: Buf<L>,
    (send_counts, send_type): (SendCounts<L>, Type<L>),
    (recv_counts, recv_type): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        let amounts = if in_place {
            Amounts::Counts(recv_counts.of(of.comm.size()), of.size(recv_type)?)
        } else {
            Amounts::Counts(send_counts.of(of.comm.size()), of.size(send_type)?)
        };
        Some(of.record(Kind::Alltoallv, Root::None, amounts, in_place))
    })
}

/// Records `MPI_Alltoallw`.
#[inline]
pub(crate) fn alltoallw<L: Binding>(
    sendbuf: Buf<L>,
    (send_counts, send_types): (SendCounts<L>, Types<L>),
    (recv_counts, recv_types): (RecvCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let (in_place, len) = (of.is_in_place(sendbuf)?, of.comm.size());
        let amounts = if in_place {
            of.typed(len, &recv_counts.of(len), &recv_types.of(len))?
        } else {
            of.typed(len, &send_counts.of(len), &send_types.of(len))?
        };
        Some(of.record(Kind::Alltoallw, Root::None, amounts, in_place))
    })
}

/// Records neighborhood collectives that send the same number of bytes to each neighbor.
#[inline]
pub(crate) fn neighbors<L: Binding>(
    kind: Kind,
    send: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        Some(of.record(kind, Root::None, of.each(send)?, false))
    })
}

/// Records `MPI_Neighbor_alltoallv`.
#[inline]
pub(crate) fn neighbors_v<L: Binding>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let amounts = Amounts::Counts(counts.of(of.comm.destinations()), of.size(datatype)?);
        Some(of.record(Kind::NeighborAlltoallv, Root::None, amounts, false))
    })
}

/// Records `MPI_Neighbor_alltoallw`.
#[inline]
pub(crate) fn neighbors_w<L: Binding>(
    (counts, types): (SendCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Look) -> Option<Collective>> {
    collective(move |look| {
        let of = Of::new(look, comm)?;
        let len = of.comm.destinations();
        let amounts = of.typed(len, &counts.of(len), &types.of(len))?;
        Some(of.record(Kind::NeighborAlltoallw, Root::None, amounts, false))
    })
}
