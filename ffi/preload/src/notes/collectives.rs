//! Collective operations: who takes part, and what this process exchanges with each other.
//!
//! Only arguments that the standard calls significant at a process are looked at: others may be anything.

use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};
use mpit_ffi::datatypes;
use mpit_ffi::host::Host;

use super::Note;
use crate::arguments::{
    self, Buf, Count, CountArray, Int, Language, RecvCounts, SendCounts, Type, TypeArray, Types,
};

/// What a process exchanges with each other one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amounts {
    /// So many bytes.
    Each(u64),
    /// As many elements as the array says, of one size.
    Counts(CountArray, u64),
    /// The same, of a type each.
    Typed(CountArray, TypeArray),
}

impl Amounts {
    /// The bytes exchanged with one process, or neighbor.
    fn with(&self, index: u32) -> u64 {
        match self {
            Self::Each(bytes) => *bytes,
            Self::Counts(counts, size) => bytes(counts.get(index), *size),
            Self::Typed(counts, types) => {
                let abi = mpit_ffi::abi();
                bytes(counts.get(index), datatypes::size(abi, abi.clean(types.get(index))))
            }
        }
    }
}

/// A collective operation of this process's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collective {
    pub(crate) comm: &'static Comm,
    pub(crate) kind: Kind,
    pub(crate) root: Root,
    pub(crate) amounts: Amounts,
    pub(crate) in_place: bool,
}

impl Collective {
    #[inline]
    fn tell(&self, tell: impl FnOnce(&Operation<'_>)) {
        let with = |index| self.amounts.with(index);
        let volume = match self.amounts {
            Amounts::Each(bytes) => Volume::Each(bytes),
            _ => Volume::By(&with),
        };
        let Self { comm, kind, root, in_place, .. } = *self;
        let (rank, size) = (comm.rank(), comm.exchanges_with(kind));
        tell(&Operation { comm: comm.id(), kind, rank, size, root, volume, in_place });
    }

    /// The bytes exchanged with each process, or neighbor; none if it is the same with all.
    pub(crate) fn listed(&self) -> Option<impl Iterator<Item = u64> + '_> {
        let len = self.comm.exchanges_with(self.kind);
        let varies = !matches!(self.amounts, Amounts::Each(_));
        varies.then(|| (0..len).map(|index| self.amounts.with(index)))
    }
}

impl Note for Collective {
    #[inline]
    fn begin(&self) {
        if coll::beginnings_wanted() {
            self.tell(coll::begin);
        }
    }

    #[inline]
    fn end(self) {
        self.tell(coll::end);
    }
}

fn bytes(count: i64, size: u64) -> u64 {
    count.max(0).cast_unsigned().wrapping_mul(size)
}

/// A call's communicator, and the numbers to read the rest with.
#[derive(Clone, Copy)]
struct Of {
    abi: &'static Abi,
    comm: &'static Comm,
}

impl Of {
    #[inline]
    fn new<L: Language>(comm: arguments::Comm<L>) -> Option<Self> {
        let abi = Host::get()?.abi();
        Some(Self { abi, comm: comms::in_use(abi.clean(comm.get()))? })
    }

    /// Who the root is.
    fn root<L: Language>(self, root: Int<L>) -> Root {
        root_of(self.abi, self.comm, root.get())
    }

    #[inline]
    fn size(self, datatype: Handle) -> u64 {
        datatypes::size(self.abi, self.abi.clean(datatype))
    }

    #[inline]
    fn each<L: Language>(self, (count, datatype): (Count<L>, Type<L>)) -> Amounts {
        Amounts::Each(bytes(count.get(), self.size(datatype.get())))
    }

    #[inline]
    fn note(self, kind: Kind, root: Root, amounts: Amounts, in_place: bool) -> Collective {
        Collective { comm: self.comm, kind, root, amounts, in_place }
    }
}

/// The root that a call names.
pub(crate) fn root_of(abi: &Abi, comm: &Comm, root: std::ffi::c_int) -> Root {
    if comm.is_remote() {
        match root {
            root if root == abi.root => Root::Here,
            root if root == abi.proc_null => Root::None,
            root => Root::At(root.cast_unsigned()),
        }
    } else if root.cast_unsigned() == comm.rank() {
        Root::Here
    } else {
        Root::At(root.cast_unsigned())
    }
}

/// `MPI_Barrier`.
pub(crate) fn barrier<L: Language>(comm: arguments::Comm<L>) -> Option<Collective> {
    Some(Of::new(comm)?.note(Kind::Barrier, Root::None, Amounts::Each(0), false))
}

/// `MPI_Bcast`.
pub(crate) fn bcast<L: Language>(
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = if root == Root::None { Amounts::Each(0) } else { of.each(block) };
    Some(of.note(Kind::Bcast, root, amounts, false))
}

/// `MPI_Reduce`.
pub(crate) fn reduce<L: Language>(
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = if root == Root::None { Amounts::Each(0) } else { of.each(block) };
    Some(of.note(Kind::Reduce, root, amounts, root == Root::Here && sendbuf.is_in_place()))
}

/// Reductions to all: as many bytes go to each.
#[inline]
pub(crate) fn reduce_to_all<L: Language>(
    kind: Kind,
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    Some(of.note(kind, Root::None, of.each(block), sendbuf.is_in_place()))
}

/// `MPI_Reduce_scatter`.
pub(crate) fn reduce_scatter<L: Language>(
    sendbuf: Buf<L>,
    counts: RecvCounts<L>,
    datatype: Type<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    // One for each process of this one's group, also where the parts come from another.
    let amounts = Amounts::Counts(counts.of(of.comm.local_size()), of.size(datatype.get()));
    Some(of.note(Kind::ReduceScatter, Root::None, amounts, sendbuf.is_in_place()))
}

/// `MPI_Gather`: what the root receives from each, or what goes to it.
pub(crate) fn gather<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = match root {
        Root::Here => of.each(recv),
        Root::At(_) => of.each(send),
        Root::None => Amounts::Each(0),
    };
    Some(of.note(Kind::Gather, root, amounts, root == Root::Here && sendbuf.is_in_place()))
}

/// `MPI_Gatherv`.
pub(crate) fn gatherv<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = match root {
        Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype.get())),
        Root::At(_) => of.each(send),
        Root::None => Amounts::Each(0),
    };
    Some(of.note(Kind::Gatherv, root, amounts, root == Root::Here && sendbuf.is_in_place()))
}

/// `MPI_Scatter`: what the root sends to each, or what comes from it.
pub(crate) fn scatter<L: Language>(
    send: (Count<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = match root {
        Root::Here => of.each(send),
        Root::At(_) => of.each(recv),
        Root::None => Amounts::Each(0),
    };
    Some(of.note(Kind::Scatter, root, amounts, root == Root::Here && recvbuf.is_in_place()))
}

/// `MPI_Scatterv`.
pub(crate) fn scatterv<L: Language>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let root = of.root(root);
    let amounts = match root {
        Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype.get())),
        Root::At(_) => of.each(recv),
        Root::None => Amounts::Each(0),
    };
    Some(of.note(Kind::Scatterv, root, amounts, root == Root::Here && recvbuf.is_in_place()))
}

/// `MPI_Allgather`, `MPI_Alltoall`: in place, as much is sent as is received.
pub(crate) fn all<L: Language>(
    kind: Kind,
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let in_place = sendbuf.is_in_place();
    Some(of.note(kind, Root::None, of.each(if in_place { recv } else { send }), in_place))
}

/// `MPI_Allgatherv`: in place, this process's own block is sent.
pub(crate) fn allgatherv<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let in_place = sendbuf.is_in_place();
    let amounts = if in_place {
        let own = counts.of(of.comm.size()).get(of.comm.rank());
        Amounts::Each(bytes(own, of.size(datatype.get())))
    } else {
        of.each(send)
    };
    Some(of.note(Kind::Allgatherv, Root::None, amounts, in_place))
}

/// `MPI_Alltoallv`.
pub(crate) fn alltoallv<L: Language>(
    sendbuf: Buf<L>,
    (send_counts, send_type): (SendCounts<L>, Type<L>),
    (recv_counts, recv_type): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let in_place = sendbuf.is_in_place();
    let amounts = if in_place {
        Amounts::Counts(recv_counts.of(of.comm.size()), of.size(recv_type.get()))
    } else {
        Amounts::Counts(send_counts.of(of.comm.size()), of.size(send_type.get()))
    };
    Some(of.note(Kind::Alltoallv, Root::None, amounts, in_place))
}

/// `MPI_Alltoallw`.
pub(crate) fn alltoallw<L: Language>(
    sendbuf: Buf<L>,
    (send_counts, send_types): (SendCounts<L>, Types<L>),
    (recv_counts, recv_types): (RecvCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let (in_place, len) = (sendbuf.is_in_place(), of.comm.size());
    let amounts = if in_place {
        Amounts::Typed(recv_counts.of(len), recv_types.of(len))
    } else {
        Amounts::Typed(send_counts.of(len), send_types.of(len))
    };
    Some(of.note(Kind::Alltoallw, Root::None, amounts, in_place))
}

/// Neighborhood operations that send as much to each.
pub(crate) fn neighbors<L: Language>(
    kind: Kind,
    send: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    Some(of.note(kind, Root::None, of.each(send), false))
}

/// `MPI_Neighbor_alltoallv`.
pub(crate) fn neighbors_v<L: Language>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let amounts = Amounts::Counts(counts.of(of.comm.destinations()), of.size(datatype.get()));
    Some(of.note(Kind::NeighborAlltoallv, Root::None, amounts, false))
}

/// `MPI_Neighbor_alltoallw`.
pub(crate) fn neighbors_w<L: Language>(
    (counts, types): (SendCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> Option<Collective> {
    let of = Of::new(comm)?;
    let len = of.comm.destinations();
    let amounts = Amounts::Typed(counts.of(len), types.of(len));
    Some(of.note(Kind::NeighborAlltoallw, Root::None, amounts, false))
}
