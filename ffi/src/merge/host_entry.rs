//! Entries of the host, and what each kind of entry supplies for the merged list.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use super::{HostIsUp, Merged};
use crate::hidden;
use crate::quarantine::Quarantine;

/// The host's index of an entry of one kind. The host has reported more entries of this kind than the index, and the standard
/// does not allow the number to decrease.
#[derive(Debug)]
pub(crate) struct HostIndex<I> {
    index: c_int,
    kind: PhantomData<fn() -> I>,
}

impl<I> Clone for HostIndex<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for HostIndex<I> {}

impl<I> HostIndex<I> {
    /// Marks an index.
    ///
    /// # Safety
    ///
    /// The host has reported more than `index` entries of this kind.
    pub(super) unsafe fn new(index: c_int) -> Self {
        Self { index, kind: PhantomData }
    }

    pub(crate) fn get(self) -> c_int {
        self.index
    }
}

#[derive(Debug)]
pub(crate) struct HostEntry<I> {
    /// The current index at the host.
    index: AtomicI32,
    info: I,
    quarantine: Quarantine,
}

impl<I> HostEntry<I> {
    pub(super) fn new(index: HostIndex<I>, info: I) -> Self {
        Self { index: AtomicI32::new(index.get()), info, quarantine: Quarantine::default() }
    }

    pub(crate) fn index(&self) -> HostIndex<I> {
        // SAFETY: `new` and `set_index`, which alone store the index, received it as a `HostIndex`.
        unsafe { HostIndex::new(self.index.load(SeqCst)) }
    }

    /// Refers to another index of the host from now on, under which it has registered the entry again.
    pub(super) fn set_index(&self, index: HostIndex<I>) {
        self.index.store(index.get(), SeqCst);
    }

    pub(crate) fn info(&self) -> &I {
        &self.info
    }

    /// Calls `action`, which refers to the entry at the host. Calls it again if it fails and the host has registered the entry
    /// again, under another index, since the last query.
    pub(crate) fn try_at_host<R, E>(
        &self,
        merged: &Merged,
        action: impl Fn(HostIndex<I>) -> Result<R, E>,
    ) -> Result<R, E> {
        let index = self.index();
        action(index).or_else(|error| {
            merged.sync();
            let now = self.index();
            if now.get() == index.get() { Err(error) } else { action(now) }
        })
    }
}

impl<I: HostInfo> HostEntry<I> {
    /// Returns true if tools get no handle of the entry, because using it crashes the host.
    pub(crate) fn is_quarantined(&self) -> bool {
        self.quarantine.includes(self.info.name())
    }
}

/// The description of one of the host's entries, for one kind of entry.
pub(crate) trait HostInfo: Sized {
    /// The host's function for the number of its entries.
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int>;

    /// True if a host whose categories have all variables raises its update number for each new entry of this kind.
    const ARE_IN_CATEGORIES: bool = false;

    /// Queries the host for an entry. `None` if the host does not describe it.
    fn query(merged: &Merged, up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self>;

    fn own_count(merged: &Merged) -> u32;

    /// Returns the registry index of our entry with this name and class.
    fn own_index(merged: &Merged, name: &str, class: c_int) -> Option<u32>;

    /// Returns the name and the class of our entry, given by its registry index.
    fn own_key(merged: &Merged, own: u32) -> Option<(&'static str, c_int)>;

    /// Returns the name, which is the key of this entry together with the class.
    fn name(&self) -> &str;

    /// Returns the class of a performance variable; 0 for other entries.
    fn class(&self) -> c_int {
        0
    }

    /// Returns true if our entry, given by its registry index, is hidden.
    fn hides_own(merged: &Merged, own: u32) -> bool;

    fn is_hidden(&self) -> bool {
        hidden::is_hidden(self.name(), &[])
    }
}

/// Defines the functions of [`HostInfo`] about our entries of a kind, by the functions of the registry and one that returns true for the
/// description of a hidden entry, and the name.
macro_rules! own_entries {
    ($count:ident, $index:ident, $get:ident, $is_hidden:expr) => {
        fn own_count(merged: &Merged) -> u32 {
            merged.registry.$count()
        }

        fn own_index(merged: &Merged, name: &str, _class: c_int) -> Option<u32> {
            merged.registry.$index(name)
        }

        fn own_key(merged: &Merged, own: u32) -> Option<(&'static str, c_int)> {
            merged.registry.$get(own).map(|desc| (desc.name(), 0))
        }

        fn name(&self) -> &str {
            &self.name
        }

        fn hides_own(merged: &Merged, own: u32) -> bool {
            merged.registry.$get(own).is_some_and($is_hidden)
        }
    };
}
pub(super) use own_entries;

/// The description of an entry of either side, in the numbers of the MPI flavor.
pub(crate) trait Describe: HostInfo + Clone {
    /// Describes our entry, given by its registry index.
    fn of_own(merged: &Merged, own: u32) -> Option<Self>;
}
