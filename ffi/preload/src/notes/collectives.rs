//! Collective operations: who takes part, and what this process exchanges with each other.
//!
//! Only arguments that the standard calls significant at a process are looked at: others may be anything.

use std::cell::Cell;

use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};
use mpit_ffi::datatypes;

use super::{Note, Tell};
use crate::arguments::{
    self, Buf, Count, CountArray, Int, Language, RecvCounts, SendCounts, Type, TypeArray, Types,
};

/// What a process exchanges with each other one.
#[derive(Debug)]
pub(crate) enum Amounts {
    /// So many bytes.
    Each(u64),
    /// As many elements as the array says, of one size.
    Counts(CountArray, u64),
    /// Bytes of each: the elements have types of their own.
    Listed(Listed),
}

impl Amounts {
    /// The bytes exchanged with one process, or neighbor.
    fn with(&self, index: u32) -> u64 {
        match self {
            Self::Each(bytes) => *bytes,
            Self::Counts(counts, size) => bytes(counts.get(index), *size),
            Self::Listed(list) => list.0.get(index as usize).copied().unwrap_or(0),
        }
    }
}

/// Bytes by process, or neighbor. Its memory is used again by the thread's next list.
#[derive(Debug)]
pub(crate) struct Listed(Vec<u64>);

thread_local! {
    static SPARE: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

impl Listed {
    /// `None` if one of the types cannot be looked up that way.
    fn new(len: u32, counts: &CountArray, size: impl Fn(u32) -> Option<u64>) -> Option<Self> {
        let mut list = Self(SPARE.try_with(Cell::take).unwrap_or_default());
        list.0.clear();
        for index in 0..len {
            list.0.push(bytes(counts.get(index), size(index)?));
        }
        Some(list)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        // Of a thread that ends, the memory is given back.
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
    }
}

/// A collective operation of this process's.
#[derive(Debug)]
pub(crate) struct Collective {
    pub(crate) comm: &'static Comm,
    pub(crate) kind: Kind,
    pub(crate) root: Root,
    pub(crate) amounts: Amounts,
    pub(crate) in_place: bool,
}

impl Collective {
    fn tell(&self, tell: impl FnOnce(&Operation<'_>)) {
        let Self { comm, kind, root, ref amounts, in_place } = *self;
        let with = |index| amounts.with(index);
        let volume = match amounts {
            Amounts::Each(bytes) => Volume::Each(*bytes),
            _ => Volume::By(&with),
        };
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

/// How far to go for a communicator and a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// No further than to those of the call before, which most are. Nothing is called for it in C, so the arguments
    /// stay where they are.
    AtLast,
    /// To those that were met before: the library has not accepted them yet.
    Met,
    /// The library is asked.
    Anywhere,
}

/// The note of a collective operation: what makes it out of the call's arguments.
pub(crate) struct Noting<F>(F);

impl<F: Fn(Look) -> Option<Collective>> Noting<F> {
    /// Finds out what can be known before the call.
    pub(crate) fn prepare(self) -> Begun<F> {
        let known = (self.0)(Look::Met);
        Begun { known, make: self.0 }
    }

    /// The operation, if it exchanges as much with each and is on the communicator and of the type of the call before.
    #[inline]
    fn at_last(&self) -> Option<Operation<'static>> {
        let Collective { comm, kind, root, amounts, in_place } = (self.0)(Look::AtLast)?;
        let Amounts::Each(bytes) = amounts else { return None };
        Some(Operation {
            comm: comm.id(),
            kind,
            rank: comm.rank(),
            size: comm.exchanges_with(kind),
            root,
            volume: Volume::Each(bytes),
            in_place,
        })
    }
}

impl<F: Fn(Look) -> Option<Collective>> Note for Noting<F> {
    type Known = Operation<'static>;
    type Begun = Begun<F>;

    #[inline]
    fn known(self) -> Option<Operation<'static>> {
        self.at_last()
    }

    #[inline]
    fn begin(self) -> Begun<F> {
        let mut begun = self.prepare();
        if coll::beginnings_wanted() {
            begun.known = begun.known.or_else(|| (begun.make)(Look::Anywhere));
            if let Some(what) = &begun.known {
                what.tell(coll::begin);
            }
        }
        begun
    }
}

/// A collective operation that was passed on: what was known of it before, or what makes it out of the call's arguments.
pub(crate) struct Begun<F> {
    known: Option<Collective>,
    make: F,
}

impl<F: Fn(Look) -> Option<Collective>> Begun<F> {
    /// Returns the operation. The library has accepted it.
    pub(crate) fn operation(self) -> Option<Collective> {
        self.known.or_else(|| (self.make)(Look::Anywhere))
    }
}

impl<F: Fn(Look) -> Option<Collective>> super::Begun for Begun<F> {
    #[inline]
    fn end(self) {
        if let Some(what) = self.operation() {
            what.tell(coll::end);
        }
    }
}

impl Tell for Operation<'_> {
    #[inline]
    fn tell(&self) {
        coll::end(self);
    }
}

#[inline]
fn bytes(count: i64, size: u64) -> u64 {
    count.max(0).cast_unsigned().wrapping_mul(size)
}

/// A call's communicator, to read the rest with.
#[derive(Clone, Copy)]
struct Of {
    comm: &'static Comm,
    look: Look,
}

impl Of {
    #[inline]
    fn new<L: Language>(look: Look, comm: arguments::Comm<L>) -> Option<Self> {
        let comm = comm.get();
        let comm = match look {
            Look::AtLast => comms::last(comm)?,
            Look::Met => comms::met(mpit_ffi::abi().clean(comm))?,
            Look::Anywhere => comms::in_use(mpit_ffi::abi().clean(comm))?,
        };
        Some(Self { comm, look })
    }

    /// Who the root is.
    #[inline]
    fn root<L: Language>(self, root: Int<L>) -> Option<Root> {
        let at_a_glance = self.look != Look::AtLast || !self.comm.is_remote();
        at_a_glance.then(|| root_of(self.comm, root.get()))
    }

    /// Whether a buffer is `MPI_IN_PLACE`.
    #[inline]
    fn is_in_place<L: Language>(self, buffer: Buf<L>) -> Option<bool> {
        match self.look {
            Look::AtLast => buffer.is_in_place_at_a_glance(),
            Look::Met | Look::Anywhere => Some(buffer.is_in_place()),
        }
    }

    #[inline]
    fn size<L: Language>(self, datatype: Type<L>) -> Option<u64> {
        let datatype = datatype.get();
        match self.look {
            Look::AtLast => datatypes::last_size(datatype),
            _ => self.size_of(datatype),
        }
    }

    fn size_of(self, datatype: Handle) -> Option<u64> {
        let abi = mpit_ffi::abi();
        let datatype = abi.clean(datatype);
        match self.look {
            Look::Anywhere => Some(datatypes::size(abi, datatype)),
            _ => datatypes::known_size(abi, datatype),
        }
    }

    /// Elements of a type for each.
    fn typed(self, len: u32, counts: &CountArray, types: &TypeArray) -> Option<Amounts> {
        if self.look == Look::AtLast {
            return None;
        }
        Some(Amounts::Listed(Listed::new(len, counts, |index| self.size_of(types.get(index)))?))
    }

    #[inline]
    fn each<L: Language>(self, (count, datatype): (Count<L>, Type<L>)) -> Option<Amounts> {
        Some(Amounts::Each(bytes(count.get(), self.size(datatype)?)))
    }

    /// The same where the root may be somebody to whom nothing is passed.
    #[inline]
    fn each_unless_idle<L: Language>(self, root: Root, block: (Count<L>, Type<L>)) -> Option<Amounts> {
        if root == Root::None { Some(Amounts::Each(0)) } else { self.each(block) }
    }

    #[inline]
    fn note(self, kind: Kind, root: Root, amounts: Amounts, in_place: bool) -> Collective {
        Collective { comm: self.comm, kind, root, amounts, in_place }
    }
}

/// A note of this kind.
#[inline]
fn noting<F: Fn(Look) -> Option<Collective>>(make: F) -> Noting<F> {
    Noting(make)
}

/// The root that a call names.
#[inline]
pub(crate) fn root_of(comm: &Comm, root: std::ffi::c_int) -> Root {
    if comm.is_remote() {
        remote_root(mpit_ffi::abi(), root)
    } else if root.cast_unsigned() == comm.rank() {
        Root::Here
    } else {
        Root::At(root.cast_unsigned())
    }
}

/// The same on an intercommunicator.
fn remote_root(abi: &Abi, root: std::ffi::c_int) -> Root {
    match root {
        root if root == abi.root => Root::Here,
        root if root == abi.proc_null => Root::None,
        root => Root::At(root.cast_unsigned()),
    }
}

/// `MPI_Barrier`.
#[inline]
pub(crate) fn barrier<L: Language>(comm: arguments::Comm<L>) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| Some(Of::new(look, comm)?.note(Kind::Barrier, Root::None, Amounts::Each(0), false)))
}

/// `MPI_Bcast`.
#[inline]
pub(crate) fn bcast<L: Language>(
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = of.each_unless_idle(root, block)?;
        Some(of.note(Kind::Bcast, root, amounts, false))
    })
}

/// `MPI_Reduce`.
#[inline]
pub(crate) fn reduce<L: Language>(
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = of.each_unless_idle(root, block)?;
        Some(of.note(Kind::Reduce, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// Reductions to all: as many bytes go to each.
#[inline]
pub(crate) fn reduce_to_all<L: Language>(
    kind: Kind,
    sendbuf: Buf<L>,
    block: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        Some(of.note(kind, Root::None, of.each(block)?, of.is_in_place(sendbuf)?))
    })
}

/// `MPI_Reduce_scatter`.
#[inline]
pub(crate) fn reduce_scatter<L: Language>(
    sendbuf: Buf<L>,
    counts: RecvCounts<L>,
    datatype: Type<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        // One for each process of this one's group, also where the parts come from another.
        let amounts = Amounts::Counts(counts.of(of.comm.local_size()), of.size(datatype)?);
        Some(of.note(Kind::ReduceScatter, Root::None, amounts, of.is_in_place(sendbuf)?))
    })
}

/// `MPI_Gather`: what the root receives from each, or what goes to it.
#[inline]
pub(crate) fn gather<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => of.each(recv)?,
            Root::At(_) => of.each(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.note(Kind::Gather, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// `MPI_Gatherv`.
#[inline]
pub(crate) fn gatherv<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype)?),
            Root::At(_) => of.each(send)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.note(Kind::Gatherv, root, amounts, root == Root::Here && of.is_in_place(sendbuf)?))
    })
}

/// `MPI_Scatter`: what the root sends to each, or what comes from it.
#[inline]
pub(crate) fn scatter<L: Language>(
    send: (Count<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => of.each(send)?,
            Root::At(_) => of.each(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.note(Kind::Scatter, root, amounts, root == Root::Here && of.is_in_place(recvbuf)?))
    })
}

/// `MPI_Scatterv`.
#[inline]
pub(crate) fn scatterv<L: Language>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    recvbuf: Buf<L>,
    recv: (Count<L>, Type<L>),
    root: Int<L>,
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let root = of.root(root)?;
        let amounts = match root {
            Root::Here => Amounts::Counts(counts.of(of.comm.size()), of.size(datatype)?),
            Root::At(_) => of.each(recv)?,
            Root::None => Amounts::Each(0),
        };
        Some(of.note(Kind::Scatterv, root, amounts, root == Root::Here && of.is_in_place(recvbuf)?))
    })
}

/// `MPI_Allgather`, `MPI_Alltoall`: in place, as much is sent as is received.
#[inline]
pub(crate) fn all<L: Language>(
    kind: Kind,
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    recv: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        Some(of.note(kind, Root::None, of.each(if in_place { recv } else { send })?, in_place))
    })
}

/// `MPI_Allgatherv`: in place, this process's own block is sent.
#[inline]
pub(crate) fn allgatherv<L: Language>(
    sendbuf: Buf<L>,
    send: (Count<L>, Type<L>),
    (counts, datatype): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        let amounts = if in_place {
            let own = counts.of(of.comm.size()).get(of.comm.rank());
            Amounts::Each(bytes(own, of.size(datatype)?))
        } else {
            of.each(send)?
        };
        Some(of.note(Kind::Allgatherv, Root::None, amounts, in_place))
    })
}

/// `MPI_Alltoallv`.
#[inline]
pub(crate) fn alltoallv<L: Language>(
    sendbuf: Buf<L>,
    (send_counts, send_type): (SendCounts<L>, Type<L>),
    (recv_counts, recv_type): (RecvCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let in_place = of.is_in_place(sendbuf)?;
        let amounts = if in_place {
            Amounts::Counts(recv_counts.of(of.comm.size()), of.size(recv_type)?)
        } else {
            Amounts::Counts(send_counts.of(of.comm.size()), of.size(send_type)?)
        };
        Some(of.note(Kind::Alltoallv, Root::None, amounts, in_place))
    })
}

/// `MPI_Alltoallw`.
#[inline]
pub(crate) fn alltoallw<L: Language>(
    sendbuf: Buf<L>,
    (send_counts, send_types): (SendCounts<L>, Types<L>),
    (recv_counts, recv_types): (RecvCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let (in_place, len) = (of.is_in_place(sendbuf)?, of.comm.size());
        let amounts = if in_place {
            of.typed(len, &recv_counts.of(len), &recv_types.of(len))?
        } else {
            of.typed(len, &send_counts.of(len), &send_types.of(len))?
        };
        Some(of.note(Kind::Alltoallw, Root::None, amounts, in_place))
    })
}

/// Neighborhood operations that send as much to each.
#[inline]
pub(crate) fn neighbors<L: Language>(
    kind: Kind,
    send: (Count<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        Some(of.note(kind, Root::None, of.each(send)?, false))
    })
}

/// `MPI_Neighbor_alltoallv`.
#[inline]
pub(crate) fn neighbors_v<L: Language>(
    (counts, datatype): (SendCounts<L>, Type<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let amounts = Amounts::Counts(counts.of(of.comm.destinations()), of.size(datatype)?);
        Some(of.note(Kind::NeighborAlltoallv, Root::None, amounts, false))
    })
}

/// `MPI_Neighbor_alltoallw`.
#[inline]
pub(crate) fn neighbors_w<L: Language>(
    (counts, types): (SendCounts<L>, Types<L>),
    comm: arguments::Comm<L>,
) -> Noting<impl Fn(Look) -> Option<Collective>> {
    noting(move |look| {
        let of = Of::new(look, comm)?;
        let len = of.comm.destinations();
        let amounts = of.typed(len, &counts.of(len), &types.of(len))?;
        Some(of.note(Kind::NeighborAlltoallw, Root::None, amounts, false))
    })
}
