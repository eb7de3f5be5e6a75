//! The two shapes of collective operations, with a root and without. The table of calls lists the shape of each
//! call, and the arguments that describe its blocks.

#![allow(
    clippy::inline_always,
    reason = "the fast path of each operation, on which all but a few lines fold away"
)]

use mpit_components::coll::{Kind, Root};
use mpit_ffi::abi::Handle;

use super::{Amounts, CallContext, Collective, CollectiveRecorder, Lookup, Shape, bytes};
use crate::arguments::{Binding, Buf, Comm, Count, Int, Op, RecvCounts, SendCounts, Type, Types};
use crate::recorders::routes::RouteKey;

#[derive(Clone, Copy)]
pub(crate) struct Rooted<L: Binding, U, B> {
    kind: Kind,
    root: Int<L>,
    comm: Comm<L>,
    buffer: U,
    blocks: B,
}

/// Records an operation with a root. The buffer, if any, is the one that may be `MPI_IN_PLACE` at the root.
#[inline]
pub(crate) fn rooted<L: Binding, U: Buffer, B: Blocks>(
    kind: Kind,
    root: Int<L>,
    comm: Comm<L>,
    buffer: U,
    blocks: B,
) -> CollectiveRecorder<Rooted<L, U, B>> {
    CollectiveRecorder::new(Rooted { kind, root, comm, buffer, blocks })
}

impl<L: Binding, U: Buffer, B: Blocks> Shape for Rooted<L, U, B> {
    #[inline(always)]
    fn operation(self, lookup: Lookup) -> Option<Collective> {
        let context = CallContext::new(lookup, self.kind, self.comm)?;
        let root = context.root(self.root)?;
        let in_place = root == Root::Here && self.buffer.is_in_place(lookup)?;
        // A process whose root is `MPI_PROC_NULL` takes no part.
        let amounts = match root {
            Root::None => Amounts::Each(0),
            _ => self.blocks.amounts(context, root == Root::Here)?,
        };
        Some(context.collective(root, amounts, in_place))
    }

    #[inline(always)]
    fn kind(self) -> Kind {
        self.kind
    }

    /// At other processes than the root the blocks are not significant, and nothing is counted, whatever they are.
    #[inline(always)]
    fn route_key(self) -> Option<RouteKey> {
        let (count, datatype) = self.blocks.single(true)?;
        let root = u64::from(self.root.get().cast_unsigned());
        Some(RouteKey { comm: self.comm.get(), datatype, other: root, count, is_comm_only: false })
    }

    #[inline(always)]
    fn key_in_advance(self) -> Option<RouteKey> {
        let op = self.blocks.accepted_operation(self.buffer)? as u64;
        let key = self.route_key()?;
        // Both in one word: addresses have 48 bits.
        let is_packed = op == 0 || op >> 48 == 0 && key.other >> 16 == 0;
        let other = if op == 0 { key.other } else { op | key.other << 48 };
        if is_packed { Some(RouteKey { other, ..key }) } else { None }
    }

    #[inline]
    fn query_error_handler(self, comm: &mpit_ffi::comms::Comm) {
        if let Some(handle) = self.comm.live() {
            comm.query_error_handler(handle);
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Rootless<L: Binding, U, B> {
    kind: Kind,
    comm: Comm<L>,
    buffer: U,
    blocks: B,
}

/// Records an operation without a root. The buffer, if any, is the one that may be `MPI_IN_PLACE`.
#[inline]
pub(crate) fn rootless<L: Binding, U: Buffer, B: Blocks>(
    kind: Kind,
    comm: Comm<L>,
    buffer: U,
    blocks: B,
) -> CollectiveRecorder<Rootless<L, U, B>> {
    CollectiveRecorder::new(Rootless { kind, comm, buffer, blocks })
}

impl<L: Binding, U: Buffer, B: Blocks> Shape for Rootless<L, U, B> {
    #[inline(always)]
    fn operation(self, lookup: Lookup) -> Option<Collective> {
        let in_place = self.buffer.is_in_place(lookup)?;
        let context = CallContext::new(lookup, self.kind, self.comm)?;
        Some(context.collective(Root::None, self.blocks.amounts(context, in_place)?, in_place))
    }

    #[inline(always)]
    fn kind(self) -> Kind {
        self.kind
    }

    #[inline(always)]
    fn route_key(self) -> Option<RouteKey> {
        let in_place = self.buffer.is_in_place(Lookup::Cached)?;
        let (count, datatype) = self.blocks.single(in_place)?;
        Some(RouteKey { comm: self.comm.get(), datatype, other: 0, count, is_comm_only: !B::HAS_DATA })
    }

    #[inline(always)]
    fn key_in_advance(self) -> Option<RouteKey> {
        let op = self.blocks.accepted_operation(self.buffer)? as u64;
        Some(RouteKey { other: op, ..self.route_key()? })
    }

    #[inline]
    fn query_error_handler(self, comm: &mpit_ffi::comms::Comm) {
        if let Some(handle) = self.comm.live() {
            comm.query_error_handler(handle);
        }
    }
}

/// The buffer of a call that may be `MPI_IN_PLACE`, or `()`.
pub(crate) trait Buffer: Copy {
    /// Returns true if it is; `None` if that requires a lookup beyond the allowed effort.
    fn is_in_place(self, lookup: Lookup) -> Option<bool>;

    /// Returns true if it has another address than a buffer, and none that the library refuses.
    fn is_apart_from<L: Binding>(self, other: Buf<L>) -> bool;
}

impl Buffer for () {
    #[inline(always)]
    fn is_apart_from<L: Binding>(self, _other: Buf<L>) -> bool {
        true
    }

    #[inline]
    fn is_in_place(self, _lookup: Lookup) -> Option<bool> {
        Some(false)
    }
}

impl<B: Binding> Buffer for Buf<B> {
    #[inline(always)]
    fn is_apart_from<L: Binding>(self, other: Buf<L>) -> bool {
        self.is_given() && self.address() != other.address()
    }

    #[inline]
    fn is_in_place(self, lookup: Lookup) -> Option<bool> {
        match lookup {
            Lookup::Cached => self.is_in_place_without_lookup(),
            Lookup::Registered | Lookup::Library => Some(Self::is_in_place(self)),
        }
    }
}

/// The arguments of a call for the blocks that this process exchanges with the others; `()` for none.
pub(crate) trait Blocks: Copy {
    /// False if there are no blocks.
    const HAS_DATA: bool = true;

    /// Returns the bytes of the blocks; `None` if that requires a lookup beyond the allowed effort.
    /// `is_special` is true at the root, or with `MPI_IN_PLACE` if there is no root.
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts>;

    /// Returns the operation of a reduction, 0 for none, if the library accepts the call whenever this, communicator, root, count and
    /// datatype are valid; `None` if that is not known. `buffer` is that which may be `MPI_IN_PLACE`.
    #[inline(always)]
    fn accepted_operation(self, _buffer: impl Buffer) -> Option<Handle> {
        None
    }

    /// Returns the count and the datatype of equal blocks, (0, 0) for none; `None` for blocks of different lengths or types.
    #[inline(always)]
    fn single(self, _is_special: bool) -> Option<(i64, Handle)> {
        None
    }
}

impl Blocks for () {
    const HAS_DATA: bool = false;

    #[inline]
    fn amounts(self, _context: CallContext, _is_special: bool) -> Option<Amounts> {
        Some(Amounts::Each(0))
    }

    #[inline(always)]
    fn accepted_operation(self, _buffer: impl Buffer) -> Option<Handle> {
        Some(0)
    }

    #[inline(always)]
    fn single(self, _is_special: bool) -> Option<(i64, Handle)> {
        Some((0, 0))
    }
}

/// The only block, in a buffer.
#[derive(Clone, Copy)]
pub(crate) struct InBuffer<L: Binding>(pub(crate) Buf<L>, pub(crate) Count<L>, pub(crate) Type<L>);

impl<L: Binding> Blocks for InBuffer<L> {
    #[inline]
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts> {
        (self.1, self.2).amounts(context, is_special)
    }

    #[inline(always)]
    fn accepted_operation(self, _buffer: impl Buffer) -> Option<Handle> {
        if self.0.is_data() { Some(0) } else { None }
    }

    #[inline(always)]
    fn single(self, is_special: bool) -> Option<(i64, Handle)> {
        (self.1, self.2).single(is_special)
    }
}

/// The elements of a reduction, its operation, and the buffer of the result.
#[derive(Clone, Copy)]
pub(crate) struct Reduced<L: Binding>(
    pub(crate) Count<L>,
    pub(crate) Type<L>,
    pub(crate) Op<L>,
    pub(crate) Buf<L>,
);

impl<L: Binding> Blocks for Reduced<L> {
    #[inline]
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts> {
        (self.0, self.1).amounts(context, is_special)
    }

    #[inline(always)]
    fn accepted_operation(self, buffer: impl Buffer) -> Option<Handle> {
        if self.3.is_data() && buffer.is_apart_from(self.3) { Some(self.2.get()) } else { None }
    }

    #[inline(always)]
    fn single(self, is_special: bool) -> Option<(i64, Handle)> {
        (self.0, self.1).single(is_special)
    }
}

/// Equal blocks.
impl<L: Binding> Blocks for (Count<L>, Type<L>) {
    #[inline]
    fn amounts(self, context: CallContext, _is_special: bool) -> Option<Amounts> {
        let size = context.size(self.1)?;
        Some(Amounts::Each(bytes(self.0.get(), size)))
    }

    #[inline(always)]
    fn single(self, _is_special: bool) -> Option<(i64, Handle)> {
        Some((self.0.get(), self.1.get()))
    }
}

/// Arguments of one kind: the first ones in the special case, the second ones otherwise.
impl<B: Blocks> Blocks for [B; 2] {
    #[inline]
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts> {
        let [special, other] = self;
        (if is_special { special } else { other }).amounts(context, is_special)
    }

    #[inline(always)]
    fn single(self, is_special: bool) -> Option<(i64, Handle)> {
        let [special, other] = self;
        (if is_special { special } else { other }).single(is_special)
    }
}

/// Arguments of two kinds: the first ones in the special case, the second ones otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Either<A, B>(pub(crate) A, pub(crate) B);

impl<A: Blocks, B: Blocks> Blocks for Either<A, B> {
    #[inline]
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts> {
        if is_special { self.0.amounts(context, true) } else { self.1.amounts(context, false) }
    }
}

/// The block of this process among blocks for all: it is sent to each process.
#[derive(Clone, Copy)]
pub(crate) struct Own<B>(pub(crate) B);

impl<B: Blocks> Blocks for Own<B> {
    #[inline]
    fn amounts(self, context: CallContext, is_special: bool) -> Option<Amounts> {
        Some(Amounts::Each(self.0.amounts(context, is_special)?.with(context.comm.rank())))
    }
}

macro_rules! arrays {
    ($($counts:ident),+) => {$(
        /// Blocks of different lengths.
        impl<L: Binding> Blocks for ($counts<L>, Type<L>) {
            #[inline]
            fn amounts(self, context: CallContext, _is_special: bool) -> Option<Amounts> {
                // SAFETY: the standard requires a block for each process, at processes where the array is significant.
                let counts = unsafe { self.0.of(context.block_count()) };
                Some(Amounts::Counts(counts, context.size(self.1)?))
            }
        }

        /// Blocks of different lengths and types.
        impl<L: Binding> Blocks for ($counts<L>, Types<L>) {
            #[inline]
            fn amounts(self, context: CallContext, _is_special: bool) -> Option<Amounts> {
                let len = context.block_count();
                // SAFETY: the standard requires a block for each process, at processes where the array is significant.
                let counts = unsafe { self.0.of(len) };
                // SAFETY: the standard requires a type for each block.
                let types = unsafe { self.1.of(len) };
                context.amounts_by_type(len, &counts, &types)
            }
        }
    )+};
}

arrays!(SendCounts, RecvCounts);
