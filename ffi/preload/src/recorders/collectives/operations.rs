//! The collective operations: each function makes a record from the arguments of its call.

use mpit_components::coll::{Kind, Root};

use super::{Amounts, CallContext, Collective, CollectiveRecorder, Lookup, bytes, recorder_of};
use crate::arguments::{self, Binding, Buf, Count, Int, RecvCounts, SendCounts, Type, Types};

/// Records `MPI_Barrier`.
#[inline]
pub(crate) fn barrier<L: Binding>(
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        Some(CallContext::new(lookup, comm)?.collective(Kind::Barrier, Root::None, Amounts::Each(0), false))
    })
}

/// Records `MPI_Bcast`.
#[inline]
pub(crate) fn bcast<L: Binding>(
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = context.equal_amounts_unless_idle(root, block)?;
        Some(context.collective(Kind::Bcast, root, amounts, false))
    })
}

/// Records `MPI_Reduce`.
#[inline]
pub(crate) fn reduce<L: Binding>(
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = context.equal_amounts_unless_idle(root, block)?;
        Some(context.collective(
            Kind::Reduce,
            root,
            amounts,
            root == Root::Here && context.is_in_place(sendbuf)?,
        ))
    })
}

/// Records reductions to all processes, in which the same number of bytes goes to each.
#[inline]
pub(crate) fn reduce_to_all<L: Binding>(
    kind: Kind,
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        Some(context.collective(
            kind,
            Root::None,
            context.equal_amounts(block)?,
            context.is_in_place(sendbuf)?,
        ))
    })
}

/// Records `MPI_Reduce_scatter`.
#[inline]
pub(crate) fn reduce_scatter<L: Binding>(
    sendbuf: Buf<L>,
    counts: RecvCounts<L>,
    datatype: Type<L>,
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        // The array has a count for each process of the local group, also on an intercommunicator.
        let amounts = Amounts::Counts(counts.of(context.comm.local_size()), context.size(datatype)?);
        Some(context.collective(Kind::ReduceScatter, Root::None, amounts, context.is_in_place(sendbuf)?))
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
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = match root {
            Root::Here => context.equal_amounts(recv)?,
            Root::At(_) => context.equal_amounts(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(context.collective(
            Kind::Gather,
            root,
            amounts,
            root == Root::Here && context.is_in_place(sendbuf)?,
        ))
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
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(context.comm.size()), context.size(datatype)?),
            Root::At(_) => context.equal_amounts(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(context.collective(
            Kind::Gatherv,
            root,
            amounts,
            root == Root::Here && context.is_in_place(sendbuf)?,
        ))
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
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = match root {
            Root::Here => context.equal_amounts(send)?,
            Root::At(_) => context.equal_amounts(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(context.collective(
            Kind::Scatter,
            root,
            amounts,
            root == Root::Here && context.is_in_place(recvbuf)?,
        ))
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
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let root = context.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(context.comm.size()), context.size(datatype)?),
            Root::At(_) => context.equal_amounts(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(context.collective(
            Kind::Scatterv,
            root,
            amounts,
            root == Root::Here && context.is_in_place(recvbuf)?,
        ))
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
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let in_place = context.is_in_place(sendbuf)?;
        Some(context.collective(
            kind,
            Root::None,
            context.equal_amounts(if in_place { recv } else { send })?,
            in_place,
        ))
    })
}

/// Records `MPI_Allgatherv`: with `MPI_IN_PLACE`, this process sends its own block of the receive buffer.
#[inline]
pub(crate) fn allgatherv<L: Binding>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let in_place = context.is_in_place(sendbuf)?;
        let amounts = if in_place {
            let own = counts.of(context.comm.size()).get(context.comm.rank());
            Amounts::Each(bytes(own, context.size(datatype)?))
        } else {
            context.equal_amounts(send)?
        };
        Some(context.collective(Kind::Allgatherv, Root::None, amounts, in_place))
    })
}

/// Records `MPI_Alltoallv`.
#[inline]
pub(crate) fn alltoallv<L: Binding>(
    sendbuf: Buf<L>,
    (send_counts, send_type): (SendCounts<L>, Type<L>),
    (recv_counts, recv_type): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let in_place = context.is_in_place(sendbuf)?;
        let amounts = if in_place {
            Amounts::Counts(recv_counts.of(context.comm.size()), context.size(recv_type)?)
        } else {
            Amounts::Counts(send_counts.of(context.comm.size()), context.size(send_type)?)
        };
        Some(context.collective(Kind::Alltoallv, Root::None, amounts, in_place))
    })
}

/// Records `MPI_Alltoallw`.
#[inline]
pub(crate) fn alltoallw<L: Binding>(
    sendbuf: Buf<L>,
    (send_counts, send_types): (SendCounts<L>, Types<L>),
    (recv_counts, recv_types): (RecvCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let (in_place, len) = (context.is_in_place(sendbuf)?, context.comm.size());
        let amounts = if in_place {
            context.amounts_by_type(len, &recv_counts.of(len), &recv_types.of(len))?
        } else {
            context.amounts_by_type(len, &send_counts.of(len), &send_types.of(len))?
        };
        Some(context.collective(Kind::Alltoallw, Root::None, amounts, in_place))
    })
}

/// Records neighborhood collectives that send the same number of bytes to each neighbor.
#[inline]
pub(crate) fn neighbors<L: Binding>(
    kind: Kind,
    send: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        Some(context.collective(kind, Root::None, context.equal_amounts(send)?, false))
    })
}

/// Records `MPI_Neighbor_alltoallv`.
#[inline]
pub(crate) fn neighbors_v<L: Binding>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let amounts = Amounts::Counts(counts.of(context.comm.destinations()), context.size(datatype)?);
        Some(context.collective(Kind::NeighborAlltoallv, Root::None, amounts, false))
    })
}

/// Records `MPI_Neighbor_alltoallw`.
#[inline]
pub(crate) fn neighbors_w<L: Binding>(
    (counts, types): (SendCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> CollectiveRecorder<impl Fn(Lookup) -> Option<Collective>> {
    recorder_of(move |lookup| {
        let context = CallContext::new(lookup, comm)?;
        let len = context.comm.destinations();
        let amounts = context.amounts_by_type(len, &counts.of(len), &types.of(len))?;
        Some(context.collective(Kind::NeighborAlltoallw, Root::None, amounts, false))
    })
}
