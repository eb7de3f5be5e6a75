//! The shape of collective operations: the arguments of a call that determine its participants and its blocks, by their meaning.

use mpit_components::coll::{Kind, Root};
use mpit_ffi::abi::Handle;

use super::{Amounts, CallContext, Collective, CollectiveRecorder, Lookup, bytes};
use crate::arguments::{Binding, Buf, Comm, Count, Counts, Int, Op, RecvCounts, SendCounts, Type, Types};
use crate::recorders::routes::RouteKey;

/// The arguments of a call that performs a collective operation.
#[derive(Clone, Copy)]
pub(crate) struct Shape<L: Binding> {
    kind: Kind,
    /// `None` for an operation without a root.
    root: Option<Int<L>>,
    comm: Comm<L>,
    /// The buffer that may be `MPI_IN_PLACE`; with a root, only there.
    buffer: Option<Buf<L>>,
    choice: Choice<L>,
}

/// The arguments of a call for the blocks that this process exchanges with the others.
#[derive(Clone, Copy)]
pub(crate) struct Choice<L: Binding> {
    /// The blocks at the root, or with `MPI_IN_PLACE` if there is no root.
    special: Blocks<L>,
    other: Blocks<L>,
    acceptance: Acceptance<L>,
}

/// Some blocks.
#[derive(Clone, Copy)]
pub(crate) enum Blocks<L: Binding> {
    None,
    Equal(Count<L>, Type<L>),
    /// Blocks of different lengths.
    Counts(Counts<L>, Type<L>),
    /// The block of this process among blocks for all: it is sent to each process.
    Own(Counts<L>, Type<L>),
    /// Blocks of different lengths and types.
    Typed(Counts<L>, Types<L>),
}

/// The arguments that the library must accept besides communicator, root, count and datatype.
#[derive(Clone, Copy)]
enum Acceptance<L: Binding> {
    Unknown,
    /// There are no others.
    All,
    /// The buffer of the data.
    Data(Buf<L>),
    /// The operation of a reduction, and the buffer of its result, which differs from the other one.
    Operation(Op<L>, Buf<L>),
}

/// Records an operation, which may have a root.
#[inline(always)]
pub(crate) fn operation<L: Binding>(
    kind: Kind,
    root: impl Into<Option<Int<L>>> + Copy,
    comm: Comm<L>,
    buffer: impl Into<Option<Buf<L>>> + Copy,
    choice: impl Into<Choice<L>> + Copy,
) -> CollectiveRecorder<L> {
    let (root, buffer, choice) = (root.into(), buffer.into(), choice.into());
    CollectiveRecorder::new(Shape { kind, root, comm, buffer, choice })
}

impl<L: Binding> Shape<L> {
    /// Returns the operation; `None` if that requires a lookup beyond the allowed effort.
    #[inline(always)]
    pub(super) fn operation(self, lookup: Lookup) -> Option<Collective> {
        let Some(root) = self.root else {
            let in_place = self.is_in_place(lookup)?;
            let context = CallContext::new(lookup, self.kind, self.comm)?;
            let amounts = self.choice.blocks(in_place).amounts(context)?;
            return Some(context.collective(Root::None, amounts, in_place));
        };
        let context = CallContext::new(lookup, self.kind, self.comm)?;
        let root = context.root(root)?;
        let in_place = root == Root::Here && self.is_in_place(lookup)?;
        // A process whose root is `MPI_PROC_NULL` takes no part.
        let amounts = match root {
            Root::None => Amounts::Each(0),
            _ => self.choice.blocks(root == Root::Here).amounts(context)?,
        };
        Some(context.collective(root, amounts, in_place))
    }

    #[inline(always)]
    pub(super) fn kind(self) -> Kind {
        self.kind
    }

    /// Returns the key of routes for the operation; `None` if it has no routes. At other processes than the root the blocks are not
    /// significant, and nothing is counted, whatever they are.
    #[inline(always)]
    pub(super) fn route_key(self) -> Option<RouteKey> {
        let is_special = self.root.is_some() || self.is_in_place(Lookup::Cached)?;
        let (count, datatype) = self.choice.blocks(is_special).single()?;
        let other = self.root.map_or(0, |root| u64::from(root.get().cast_unsigned()));
        let has_data = !matches!(self.choice.special, Blocks::None);
        let is_comm_only = self.root.is_none() && !has_data;
        Some(RouteKey { comm: self.comm.get(), datatype, other, count, is_comm_only })
    }

    /// Returns the key of routes for operations that are counted before they are forwarded; `None` unless the library accepts the call
    /// whenever the members of the key are valid.
    #[inline(always)]
    pub(super) fn key_in_advance(self) -> Option<RouteKey> {
        let op = self.accepted_operation()? as u64;
        let key = self.route_key()?;
        if self.root.is_none() {
            return Some(RouteKey { other: op, ..key });
        }
        // Both in one word: addresses have 48 bits.
        let is_packed = op == 0 || op >> 48 == 0 && key.other >> 16 == 0;
        let other = if op == 0 { key.other } else { op | key.other << 48 };
        if is_packed { Some(RouteKey { other, ..key }) } else { None }
    }

    /// Returns the operation of a reduction, 0 for none, if the library accepts the call whenever this, communicator, root, count and
    /// datatype are valid; `None` if that is not known.
    #[inline(always)]
    fn accepted_operation(self) -> Option<Handle> {
        match self.choice.acceptance {
            Acceptance::All => Some(0),
            Acceptance::Data(buffer) if buffer.is_data() => Some(0),
            Acceptance::Operation(op, result) if result.is_data() && self.is_apart_from(result) => {
                Some(op.get())
            }
            _ => None,
        }
    }

    /// Returns true if the buffer has another address than the result, and none that the library refuses.
    #[inline(always)]
    fn is_apart_from(self, result: Buf<L>) -> bool {
        self.buffer.is_none_or(|buffer| buffer.is_given() && buffer.address() != result.address())
    }

    /// Returns true if the buffer is `MPI_IN_PLACE`; `None` if that requires a lookup beyond the allowed effort.
    #[inline(always)]
    fn is_in_place(self, lookup: Lookup) -> Option<bool> {
        let Some(buffer) = self.buffer else { return Some(false) };
        match lookup {
            Lookup::Cached => buffer.is_in_place_without_lookup(),
            Lookup::Registered | Lookup::Library => Some(buffer.is_in_place()),
        }
    }

    /// Queries the error handler of the communicator, once. The library has accepted the communicator.
    #[inline]
    pub(super) fn query_error_handler(self, comm: &mpit_ffi::comms::Comm) {
        if let Some(handle) = self.comm.live() {
            comm.query_error_handler(handle);
        }
    }
}

impl<L: Binding> Choice<L> {
    #[inline(always)]
    fn of(blocks: Blocks<L>, acceptance: Acceptance<L>) -> Self {
        Self { special: blocks, other: blocks, acceptance }
    }

    #[inline(always)]
    fn blocks(self, is_special: bool) -> Blocks<L> {
        if is_special { self.special } else { self.other }
    }
}

impl<L: Binding> Blocks<L> {
    /// Returns the bytes of the blocks; `None` if that requires a lookup beyond the allowed effort.
    #[inline(always)]
    fn amounts(self, context: CallContext) -> Option<Amounts> {
        // SAFETY: the standard requires a block for each process, at processes where the array is significant.
        let array = |counts: Counts<L>| unsafe { counts.of(context.block_count()) };
        match self {
            Self::None => Some(Amounts::Each(0)),
            Self::Equal(count, datatype) => {
                let size = context.size(datatype)?;
                Some(Amounts::Each(bytes(count.get(), size)))
            }
            Self::Counts(counts, datatype) => Some(Amounts::Counts(array(counts), context.size(datatype)?)),
            Self::Own(counts, datatype) => {
                let blocks = Amounts::Counts(array(counts), context.size(datatype)?);
                Some(Amounts::Each(blocks.with(context.comm.rank())))
            }
            Self::Typed(counts, types) => {
                let len = context.block_count();
                // SAFETY: the standard requires a type for each block.
                let types = unsafe { types.of(len) };
                context.amounts_by_type(len, &array(counts), &types)
            }
        }
    }

    /// Returns the count and the datatype of equal blocks, (0, 0) for none; `None` for blocks of different lengths or types.
    #[inline(always)]
    fn single(self) -> Option<(i64, Handle)> {
        match self {
            Self::None => Some((0, 0)),
            Self::Equal(count, datatype) => Some((count.get(), datatype.get())),
            Self::Counts(..) | Self::Own(..) | Self::Typed(..) => None,
        }
    }
}

/// Describes a call without blocks.
#[inline(always)]
pub(crate) fn no_blocks<L: Binding>() -> Choice<L> {
    Choice::of(Blocks::None, Acceptance::All)
}

/// Describes the only block, in a buffer.
#[inline(always)]
pub(crate) fn in_buffer<L: Binding>(buffer: Buf<L>, count: Count<L>, datatype: Type<L>) -> Choice<L> {
    Choice::of(Blocks::Equal(count, datatype), Acceptance::Data(buffer))
}

/// Describes the elements of a reduction, by its operation and the buffer of the result.
#[inline(always)]
pub(crate) fn reduced<L: Binding>(
    count: Count<L>,
    datatype: Type<L>,
    op: Op<L>,
    result: Buf<L>,
) -> Choice<L> {
    Choice::of(Blocks::Equal(count, datatype), Acceptance::Operation(op, result))
}

/// Describes blocks of two kinds: the first ones in the special case, the second ones otherwise.
#[inline(always)]
pub(crate) fn either<L: Binding>(
    special: impl Into<Blocks<L>> + Copy,
    other: impl Into<Blocks<L>> + Copy,
) -> Choice<L> {
    Choice { special: special.into(), other: other.into(), acceptance: Acceptance::Unknown }
}

/// Describes the block of this process among blocks for all.
#[inline(always)]
pub(crate) fn own<L: Binding>(counts: RecvCounts<L>, datatype: Type<L>) -> Blocks<L> {
    Blocks::Own(counts.into(), datatype)
}

macro_rules! blocks {
    ($($counts:ident $types:ident $blocks:ident;)+) => {$(
        impl<L: Binding> From<($counts<L>, $types<L>)> for Blocks<L> {
            #[inline(always)]
            fn from((counts, types): ($counts<L>, $types<L>)) -> Self {
                Self::$blocks(counts.into(), types)
            }
        }

        impl<L: Binding> From<($counts<L>, $types<L>)> for Choice<L> {
            #[inline(always)]
            fn from(blocks: ($counts<L>, $types<L>)) -> Self {
                Self::of(blocks.into(), Acceptance::Unknown)
            }
        }
    )+};
}

blocks! {
    Count Type Equal;
    SendCounts Type Counts;
    RecvCounts Type Counts;
    SendCounts Types Typed;
    RecvCounts Types Typed;
}
