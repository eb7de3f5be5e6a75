//! The MPI objects that variables are bound to: communicators, windows and others.

use std::marker::PhantomData;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[doc(inline)]
pub use crate::vocabulary::Bind;

/// The MPI object that a handle is bound to, passed to a variable when it is read.
///
/// It is a copy of what was known of the object when the handle was allocated, so reading a handle never calls the MPI
/// library and works after the object is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Object<'a> {
    pub(crate) kind: Bind,
    pub(crate) id: u64,
    pub(crate) size: u32,
    /// Null, or the first of `size` ranks that are valid for `'a`. A raw pointer, since a reference to the first rank would not
    /// permit access to the others.
    pub(crate) ranks: *const AtomicU32,
    pub(crate) of: PhantomData<&'a [AtomicU32]>,
}

// SAFETY: `ranks` is null or leads to `[AtomicU32]` that is valid for `'a`: it is derived from a reference, or read from a
// `struct mpit_object` under the contract of `export::pvar::object`. `&[AtomicU32]` is `Send`.
unsafe impl Send for Object<'_> {}
// SAFETY: only shared references to atomics are derived from `ranks`, and `[AtomicU32]` is `Sync`.
unsafe impl Sync for Object<'_> {}

impl<'a> Object<'a> {
    /// The object of variables that are bound to none.
    pub const NONE: Object<'static> = Object::new(Bind::NoObject, 0);

    /// Returns an object other than a communicator, with a number that identifies it.
    pub const fn new(kind: Bind, id: u64) -> Self {
        Self { kind, id, size: 0, ranks: null(), of: PhantomData }
    }

    /// Returns a communicator of `size` processes whose rank r is rank r of `MPI_COMM_WORLD`.
    pub const fn world(id: u64, size: u32) -> Self {
        Self { kind: Bind::Comm, id, size, ranks: null(), of: PhantomData }
    }

    /// Returns a communicator whose rank r is rank `ranks[r]` of `MPI_COMM_WORLD`.
    pub fn comm(id: u64, ranks: &'a [AtomicU32]) -> Self {
        let first = if ranks.is_empty() { null() } else { ranks.as_ptr() };
        Self { kind: Bind::Comm, id, size: ranks.len() as u32, ranks: first, of: PhantomData }
    }

    /// Returns the kind of object.
    pub const fn kind(&self) -> Bind {
        self.kind
    }

    /// Returns the number that identifies the object among those of its kind. Numbers of communicators and windows are never
    /// reused; any other number may be reused after its object is freed.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Returns the world ranks of the communicator, or `None` if its ranks are those of the world.
    pub(crate) fn ranks(&self) -> Option<&'a [AtomicU32]> {
        if self.ranks.is_null() {
            return None;
        }
        // SAFETY: not null, so it leads to `size` ranks that are valid for `'a`, the invariant of the field.
        Some(unsafe { std::slice::from_raw_parts(self.ranks, self.size as usize) })
    }
}

/// The world rank of a process outside `MPI_COMM_WORLD`, as in dynamically connected jobs.
pub const OUTSIDE: u32 = u32::MAX;

/// A communicator, as passed to functions of variables that are bound to one.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Comm<'a>(Object<'a>);

impl<'a> Comm<'a> {
    /// Returns the object as a communicator, or `None` if it is of another kind.
    pub fn from_object(object: &Object<'a>) -> Option<Self> {
        if object.kind == Bind::Comm { Some(Self(*object)) } else { None }
    }

    /// Returns the number that identifies the communicator. It is never reused, even after the communicator is freed.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Returns the number of processes that messages can be sent to: the communicator's size, or the size of the remote group
    /// of an intercommunicator.
    pub fn size(&self) -> usize {
        self.0.size as usize
    }

    /// Returns the world rank of a rank of the communicator, or [`OUTSIDE`].
    pub fn world_rank(&self, rank: usize) -> u32 {
        match self.0.ranks() {
            None => rank as u32,
            Some(ranks) => ranks.get(rank).map_or(OUTSIDE, |rank| rank.load(Relaxed)),
        }
    }
}
