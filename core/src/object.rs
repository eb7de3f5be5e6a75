//! The MPI objects that variables are bound to, as far as this crate needs to know them.

use std::marker::PhantomData;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::registry;
use crate::session::Interface;
use crate::words::Bind;

/// What a handle is bound to, handed to a variable when it is read.
///
/// It holds what was known of the object when the handle was made, so reading a handle never touches the MPI
/// library and stays possible after the object is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Object<'a> {
    pub(crate) kind: Bind,
    pub(crate) id: u64,
    pub(crate) size: u32,
    /// Null, or the first of `size` ranks that live for `'a`: a pointer to all of them, since a reference to the first gives
    /// no access to the others.
    pub(crate) ranks: *const AtomicU32,
    pub(crate) of: PhantomData<&'a [AtomicU32]>,
}

// SAFETY: `ranks` came from a `&'a [AtomicU32]`, which threads may share.
unsafe impl Send for Object<'_> {}
// SAFETY: as `Send`.
unsafe impl Sync for Object<'_> {}

impl<'a> Object<'a> {
    /// The object of variables that are bound to none.
    pub const NONE: Object<'static> = Object::new(Bind::NoObject, 0);

    /// An object other than a communicator, by a number that identifies it.
    #[must_use]
    pub const fn new(kind: Bind, id: u64) -> Self {
        Self { kind, id, size: 0, ranks: null(), of: PhantomData }
    }

    /// A communicator with the ranks of the world: of `size` processes, where rank r is process r.
    #[must_use]
    pub const fn world(id: u64, size: u32) -> Self {
        Self { kind: Bind::Comm, id, size, ranks: null(), of: PhantomData }
    }

    /// A communicator whose rank r is the process `ranks[r]` of the world.
    #[must_use]
    pub fn comm(id: u64, ranks: &'a [AtomicU32]) -> Self {
        let first = if ranks.is_empty() { null() } else { ranks.as_ptr() };
        Self { kind: Bind::Comm, id, size: ranks.len() as u32, ranks: first, of: PhantomData }
    }

    /// What kind of object it is.
    #[must_use]
    pub const fn kind(&self) -> Bind {
        self.kind
    }

    /// The number that identifies the object among those of its kind: a communicator or a window for the life of the process,
    /// any other object until it is freed.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// The world ranks of a communicator that is not ordered as the world.
    pub(crate) fn ranks(&self) -> Option<&'a [AtomicU32]> {
        if self.ranks.is_null() {
            return None;
        }
        // SAFETY: not null, so it points to `size` ranks that live for `'a`.
        Some(unsafe { std::slice::from_raw_parts(self.ranks, self.size as usize) })
    }
}

/// An object of MPI was freed: its values of control variables are dropped, and handles of control variables that are bound
/// to it are invalid. `id` is what [`Object::id`] returns for it; a later object with the same one has the default. Functions of
/// variables run: hold no lock that they could need.
pub fn freed(kind: Bind, id: u64) {
    match (Interface::existing(), registry::existing()) {
        (Some(interface), _) => interface.object_freed(kind, id),
        (None, Some(registry)) => registry.drop_values(&Object::new(kind, id)),
        (None, None) => {}
    }
}

/// A world rank that stands for "not a process of the world", as in dynamically connected jobs.
pub const OUTSIDE: u32 = u32::MAX;

/// A communicator, as functions of variables bound to one see it.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Comm<'a>(Object<'a>);

impl<'a> Comm<'a> {
    /// The communicator behind an object; `None` when it is something else.
    #[must_use]
    pub fn from_object(object: &Object<'a>) -> Option<Self> {
        (object.kind == Bind::Comm).then_some(Self(*object))
    }

    /// The number that identifies the communicator for the life of the process, also after it is freed.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The number of processes that messages can be sent to: the communicator's size, or the size of the
    /// remote group of an intercommunicator.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size as usize
    }

    /// The world rank of a rank, or [`OUTSIDE`].
    #[must_use]
    pub fn world_rank(&self, rank: usize) -> u32 {
        match self.0.ranks() {
            None => rank as u32,
            Some(ranks) => ranks.get(rank).map_or(OUTSIDE, |rank| rank.load(Relaxed)),
        }
    }
}
