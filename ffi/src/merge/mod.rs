//! One list merged from our entries and the host's.
//!
//! Each index space is an append-only log of entries (own, j) and (host, i). Ours come first: their indices
//! are then the same for every MPI library, and tools that stop at the first failing host variable have seen
//! them all. The host gets more entries when MPI is initialized, and its indices may have holes. An entry of
//! the host is listed once the host describes it, since tools stop at the first one that fails. New and late
//! entries are appended, and no published index changes. The description of a host entry is read once and
//! kept, so queries work when the entry or the host is gone.

mod category;
mod cvar;
mod enums;
mod event;
mod host_entry;
mod host_lifecycle;
mod merged_space;
mod name_index;
mod pvar;
mod source;
mod text;

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use mpit::tool::Registry;
use mpit_sync::lock::{Inside, Once};

pub(crate) use category::{CategoryInfo, Member};
pub(crate) use cvar::CvarInfo;
pub(crate) use enums::{Enumeration, Enums};
pub(crate) use event::EventInfo;
pub(crate) use host_entry::{HostEntry, HostInfo};
pub(crate) use host_lifecycle::{HostIsUp, HostLifecycle};
pub(crate) use merged_space::{Entry, MergedSpace};
pub(crate) use pvar::PvarInfo;
pub(crate) use source::SourceInfo;

use crate::host::mpi_t;
use crate::{hidden, images};

thread_local! {
    /// True while this thread queries the host for entries.
    static SYNCING: Cell<bool> = const { Cell::new(false) };
}

/// A guard that holds [`SYNCING`] of this thread.
struct Syncing;

impl Syncing {
    /// Sets the flag; returns `None` if this thread has set it already.
    fn begin() -> Option<Self> {
        if SYNCING.replace(true) { None } else { Some(Self) }
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        SYNCING.set(false);
    }
}

#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) registry: &'static Registry,
    pub(crate) pvars: MergedSpace<PvarInfo>,
    pub(crate) cvars: MergedSpace<CvarInfo>,
    pub(crate) sources: MergedSpace<SourceInfo>,
    pub(crate) events: MergedSpace<EventInfo>,
    pub(crate) categories: MergedSpace<CategoryInfo>,
    pub(crate) enums: Enums,
    pub(crate) lifecycle: HostLifecycle,
    /// The host's update number, as last read.
    host_number: AtomicI32,
    /// The host's update number at the last query of the unlisted entries.
    unlisted_queried_at: AtomicI32,
    update_number: AtomicI32,
}

/// Calls a method of each index space.
macro_rules! in_all_spaces {
    ($merged:ident.$method:ident $arguments:tt) => {
        $merged.pvars.$method $arguments;
        $merged.cvars.$method $arguments;
        $merged.sources.$method $arguments;
        $merged.events.$method $arguments;
        $merged.categories.$method $arguments;
    };
}

impl Merged {
    #[inline]
    pub(crate) fn get() -> &'static Self {
        static MERGED: Once<Merged> = Once::new();
        #[cold]
        fn create() -> &'static Merged {
            // Before `get_or_init`: this loads plug-ins, which may call `get`.
            let registry = Registry::global();
            MERGED.get_or_init(|| Merged::new(registry))
        }
        MERGED.get().unwrap_or_else(create)
    }

    fn new(registry: &'static Registry) -> Self {
        Self {
            registry,
            pvars: MergedSpace::new(),
            cvars: MergedSpace::new(),
            sources: MergedSpace::new(),
            events: MergedSpace::new(),
            categories: MergedSpace::new(),
            enums: Enums::new(),
            lifecycle: HostLifecycle::new(),
            host_number: AtomicI32::new(0),
            unlisted_queried_at: AtomicI32::new(0),
            update_number: AtomicI32::new(0),
        }
    }

    /// Adds new entries of both sides. Cheap if there are none, since most queries call it.
    pub(crate) fn sync(&self) {
        let sync = |up: HostIsUp<'_>| {
            self.query_unlisted_since(up, self.query_update_number(up));
            in_all_spaces!(self.sync(self, up));
        };
        self.sync_by(sync, || self.sync_own());
    }

    /// Adds new entries of mpit's side, without a call of the host.
    pub(crate) fn sync_own(&self) {
        in_all_spaces!(self.sync_own(self));
    }

    /// Adds new entries of both sides to one index space. Queries the host no more often than necessary, because a tool that
    /// supports several libraries searches for many names that this one does not have.
    fn sync_one<I: HostInfo>(&self, space: &MergedSpace<I>) {
        let counts_all = I::ARE_IN_CATEGORIES && crate::abi().quirks.categories_have_all_variables;
        let sync = |up: HostIsUp<'_>| {
            // Images that were loaded since the search have registered by now.
            space.sync_own(self);
            if !counts_all && !space.has_unlisted() {
                return space.sync_with_host(self, up);
            }
            let number = self.query_update_number(up);
            if counts_all && space.was_queried_at(number) {
                return;
            }
            self.query_unlisted_since(up, number);
            space.sync(self, up);
            space.set_queried_at(number);
        };
        self.sync_by(sync, || space.sync_own(self));
    }

    /// Adds new entries by calling `sync`, or `sync_own` if the host cannot be queried.
    fn sync_by(&self, sync: impl FnOnce(HostIsUp<'_>), sync_own: impl FnOnce()) {
        images::adopt_new();
        hidden::detect_tools();
        let queried = self.call_host(&Inside::enter(), sync);
        if queried.is_none() {
            sync_own();
        }
    }

    /// Queries again the entries that the host did not describe so far, unless that was done at this update number: the host
    /// raises it when an entry becomes available again.
    fn query_unlisted_since(&self, up: HostIsUp<'_>, number: i32) {
        if self.unlisted_queried_at.load(SeqCst) != number
            && self.unlisted_queried_at.swap(number, SeqCst) != number
        {
            self.query_unlisted(up);
        }
    }

    /// Queries again the entries that the host did not describe so far: some become available when MPI is
    /// initialized.
    fn query_unlisted(&self, up: HostIsUp<'_>) {
        in_all_spaces!(self.query_unlisted(self, up));
    }

    /// Lists the entries that are available only now that MPI is initialized.
    pub(crate) fn retry(&self) {
        hidden::detect_tools();
        self.call_host(&Inside::enter(), |up| self.query_unlisted(up));
    }

    /// Calls `query` if the host can be queried. Returns `None` if the host itself made this call while this
    /// thread queries it, because another query would recurse endlessly.
    fn call_host<R>(&self, inside: &Inside, query: impl FnOnce(HostIsUp<'_>) -> R) -> Option<R> {
        let _syncing = Syncing::begin()?;
        self.lifecycle.call_inside(inside, query)
    }

    /// Reads and stores the host's update number.
    fn query_update_number(&self, _up: HostIsUp<'_>) -> i32 {
        let mut number = 0;
        // SAFETY: the host is up, and `number` is a local variable.
        unsafe { mpi_t::category_changed(&raw mut number) };
        let before = self.host_number.load(SeqCst);
        if number <= before { before } else { self.host_number.fetch_max(number, SeqCst).max(number) }
    }

    /// Reads all that has to be answered after the host's interface is finalized.
    pub(crate) fn prepare_for_release(&self) {
        self.sync();
        if self.lifecycle.is_up() {
            self.cache_members();
        }
    }

    /// Returns the update number of the merged list. It never decreases, even if the host's does, and rises
    /// whenever an entry of the host is listed, because not every host raises its own number then.
    pub(crate) fn update_number(&self) -> i32 {
        self.sync();
        let listed = [
            self.pvars.listed_of_host(),
            self.cvars.listed_of_host(),
            self.events.listed_of_host(),
            self.categories.listed_of_host(),
        ];
        let listed = i32::try_from(listed.iter().sum::<usize>()).unwrap_or(i32::MAX);
        let sum = self.registry.update_number().saturating_add(self.host_number.load(SeqCst));
        let sum = sum.saturating_add(listed);
        self.update_number.fetch_max(sum, SeqCst).max(sum)
    }
}
