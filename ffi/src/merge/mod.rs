//! One list out of two: our entries and the host's.
//!
//! Each index space is an append-only log of (own, j) and (host, i). Ours come first, so their indices are the same
//! on every MPI, and tools that give up at the first host variable that fails have seen them. Hosts grow when MPI
//! comes up, and their indices may have holes. An entry is listed once it has answered, since tools stop at the first that
//! does not; what is new, or answers late, goes behind, and nothing that was published moves. What
//! a host entry says of itself is read once and kept, so it is answered even when the entry or the host is gone.

mod category;
mod cvar;
mod enums;
mod event;
mod host_life;
mod pvar;
mod source;
mod space;
mod text;

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use mpit::lock::Once;
use mpit::registry::Registry;

pub use category::{CategoryInfo, Member};
pub use cvar::CvarInfo;
pub use enums::{Enumeration, Enums};
pub use event::EventInfo;
pub use host_life::HostLife;
pub use pvar::PvarInfo;
pub use source::SourceInfo;
pub use space::{Entry, HostEntry, Space};

use crate::host::mpi_t;
use crate::{hidden, images};

thread_local! {
    /// True while this thread asks the host for entries.
    static SYNCING: Cell<bool> = const { Cell::new(false) };
}

/// Sets [`SYNCING`] until it is dropped.
struct Syncing;

impl Syncing {
    /// `None` if the thread asks already.
    fn begin() -> Option<Self> {
        if SYNCING.replace(true) { None } else { Some(Self) }
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        SYNCING.set(false);
    }
}

/// The merged lists of this process.
#[derive(Debug)]
pub struct Merged {
    /// Our side.
    pub registry: &'static Registry,
    /// Performance variables.
    pub pvars: Space<PvarInfo>,
    /// Control variables.
    pub cvars: Space<CvarInfo>,
    /// Sources of events.
    pub sources: Space<SourceInfo>,
    /// Event types.
    pub events: Space<EventInfo>,
    /// Categories.
    pub categories: Space<CategoryInfo>,
    /// Enumerations.
    pub enums: Enums,
    /// The time in which the host can be asked.
    pub life: HostLife,
    /// The host's update number, as it was last.
    host_number: AtomicI32,
    /// The host's update number when the entries that are not listed were asked for last.
    asked_at: AtomicI32,
    update_number: AtomicI32,
}

impl Merged {
    /// The lists of this process.
    pub fn get() -> &'static Self {
        static MERGED: Once<Merged> = Once::new();
        if let Some(merged) = MERGED.get() {
            return merged;
        }
        // First, since plug-ins are loaded then, and they may come here.
        let registry = Registry::global();
        MERGED.get_or_init(|| Self {
            registry,
            pvars: Space::new(),
            cvars: Space::new(),
            sources: Space::new(),
            events: Space::new(),
            categories: Space::new(),
            enums: Enums::new(),
            life: HostLife::new(),
            host_number: AtomicI32::new(0),
            asked_at: AtomicI32::new(0),
            update_number: AtomicI32::new(0),
        })
    }

    /// Takes in what is new on either side. Cheap when nothing is new, since most queries call it.
    pub fn sync(&self) {
        images::adopt_new();
        hidden::prepare();
        let asked = self.ask_host(|| {
            // The host raises its number when an entry that did not answer comes back.
            let number = self.ask_host_number();
            if self.asked_at.swap(number, SeqCst) != number {
                self.ask_again();
            }
            self.pvars.sync(self);
            self.cvars.sync(self);
            self.sources.sync(self);
            self.events.sync(self);
            self.categories.sync(self);
        });
        if asked.is_none() {
            self.pvars.sync_own(self);
            self.cvars.sync_own(self);
            self.sources.sync_own(self);
            self.events.sync_own(self);
            self.categories.sync_own(self);
        }
    }

    /// Asks again for entries that had nothing to say so far: hosts fill some in when MPI comes up. Only while the host is up.
    fn ask_again(&self) {
        self.pvars.ask_again(self);
        self.cvars.ask_again(self);
        self.sources.ask_again(self);
        self.events.ask_again(self);
        self.categories.ask_again(self);
    }

    /// MPI came up: lists what answers only now.
    pub fn retry(&self) {
        hidden::prepare();
        self.ask_host(|| self.ask_again());
    }

    /// Asks the host, if it can be asked. Also `None` when the host calls MPI_T while this thread asks it: then the entries
    /// listed so far are the answer, since asking again would recurse without end.
    fn ask_host<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _syncing = Syncing::begin()?;
        self.life.while_up_and_unforked(ask)
    }

    /// Asks for the host's update number and keeps it. Only while the host is up.
    fn ask_host_number(&self) -> i32 {
        let mut number = 0;
        // SAFETY: the host is up, and the number is writable.
        unsafe { mpi_t::category_changed(&raw mut number) };
        self.host_number.fetch_max(number, SeqCst).max(number)
    }

    /// The host's interface is about to go down: reads what can be answered afterwards.
    pub fn remember(&self) {
        self.sync();
        if self.life.is_up() {
            self.remember_members();
        }
    }

    /// The update number of the merged list: it never falls, whatever the host's does, and rises whenever an entry of the
    /// host's is listed, since not every host raises its own then.
    pub fn update_number(&self) -> i32 {
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
