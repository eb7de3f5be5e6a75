//! Records of the communicators that exist, and of freed ones that are still to be written to a file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mpit::component::World;
use mpit::internal::session::{Interface, object_freed};
use mpit::object::Bind;
use mpit_sync::lock::Mutex;

use super::{CommId, Description, Observer, Record};
use crate::events;
use crate::ids::{Identities, is_reusable, number, slot};

struct Records {
    identities: Identities,
    /// Communicators that are not freed, by identity.
    live: BTreeMap<u64, Live>,
    /// Records of freed communicators, by the time at which the first communicator of the record was freed.
    freed: BTreeMap<u64, Freed>,
    /// The record that freed communicators of each kind are added to.
    kinds: BTreeMap<Kind, u64>,
    /// Freed communicators without a record that a handle is bound to.
    bound: Vec<CommId>,
    /// The number of freed communicators with bound handles at which the handles are checked again.
    review_at: usize,
    /// The number of communicators freed so far, used as a clock.
    ever_freed: u64,
    /// The time at which each reader was created, by the number of the reader, so the newest is last.
    readers: BTreeMap<u64, Start>,
    newest_reader: u64,
    observer: &'static dyn Observer,
}

struct Live {
    record: Record,
    /// True if a handle was bound to the communicator.
    pinned: bool,
}

struct Freed {
    record: Record,
    /// True while a handle is bound to the communicator, so that its statistics can still be read.
    pinned: bool,
    /// The time at which the last communicator of this record was freed.
    last: u64,
}

/// The properties that freed communicators must share to be merged.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    name: Arc<str>,
    call: Option<Arc<str>>,
    remote: bool,
    ranks: (u32, usize),
}

impl Kind {
    /// Returns the kind of a communicator whose ranks are resolved.
    fn of(record: &Record) -> Self {
        Self {
            name: Arc::clone(&record.name),
            call: record.origin.as_ref().map(|origin| Arc::clone(&origin.call)),
            remote: record.remote,
            ranks: record.ranks.identity(),
        }
    }
}

/// The time at which a reader was created.
#[derive(Clone, Copy, Default)]
struct Start {
    /// The number of communicators freed by then.
    freed: u64,
    /// The number of the newest communicator at that time.
    newest: u64,
}

/// The minimum of [`Records::review_at`].
const REVIEW_AT: usize = 16;

/// The registry of a host's communicators.
pub struct Comms {
    records: Mutex<Records>,
    observer: &'static dyn Observer,
}

impl fmt::Debug for Comms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Comms").finish_non_exhaustive()
    }
}

impl Records {
    const fn new(observer: &'static dyn Observer) -> Self {
        Self {
            identities: Identities::new(),
            live: BTreeMap::new(),
            freed: BTreeMap::new(),
            kinds: BTreeMap::new(),
            bound: Vec::new(),
            review_at: REVIEW_AT,
            ever_freed: 0,
            readers: BTreeMap::new(),
            newest_reader: 0,
            observer,
        }
    }

    /// Releases the slot of a communicator whose statistics are not needed any more. The caller drops the record after
    /// releasing the lock, because that may call the host.
    fn remove(&mut self, id: CommId, pinned: bool) {
        if pinned {
            self.bound.push(id);
        } else if is_reusable(slot(id.get())) && self.observer.close(id) {
            self.identities.release(id.get());
        }
    }

    /// Treats freed communicators like all others once no handle is bound to them any more.
    fn review(&mut self) {
        let pinned = self.freed.values().filter(|freed| freed.pinned).count();
        if pinned + self.bound.len() < self.review_at {
            return;
        }
        let bound = Interface::global().bound_objects(Bind::Comm);
        for id in std::mem::take(&mut self.bound) {
            self.remove(id, bound.contains(&id.get()));
        }
        let is_over = |freed: &Freed| freed.pinned && !bound.contains(&freed.record.id.get());
        let over: Vec<u64> =
            self.freed.iter().filter(|(_, freed)| is_over(freed)).map(|(at, _)| *at).collect();
        let still_bound = pinned - over.len() + self.bound.len();
        for at in over {
            if let Some(freed) = self.freed.remove(&at) {
                self.keep(at, Freed { pinned: false, ..freed });
            }
        }
        self.review_at = (2 * still_bound).max(REVIEW_AT);
    }

    /// Keeps a freed communicator, merged into the record of its kind if no reader can distinguish them.
    fn keep(&mut self, at: u64, freed: Freed) {
        // Records freed later than the creation of the newest reader are visible to all readers.
        let start = self.readers.values().next_back().copied().unwrap_or_default();
        let kind = Kind::of(&freed.record);
        let can_merge = !freed.pinned && number(freed.record.id.get()) > start.newest;
        if can_merge
            && let Some(first) = self.kinds.get(&kind)
            && *first.min(&at) >= start.freed
            && let Some(target) = self.freed.get_mut(first)
        {
            let Freed { record, last, .. } = freed;
            target.record.alike += record.alike;
            target.record.newest = target.record.newest.max(record.newest);
            target.last = target.last.max(last);
            self.observer.merge(record.id, &target.record);
            self.remove(record.id, false);
        } else {
            // A record that a handle is bound to cannot be merged.
            if !freed.pinned {
                self.kinds.insert(kind, at);
            }
            self.freed.insert(at, freed);
        }
    }

    /// Drops records that no reader needs, and merges those that no reader can distinguish any more. Returns the dropped
    /// ones.
    fn compact(&mut self) -> Vec<Record> {
        let needed = self.readers.values().next().map(|oldest| oldest.freed);
        let mut dropped = Vec::new();
        self.kinds.clear();
        for (at, freed) in std::mem::take(&mut self.freed) {
            if needed.is_some_and(|needed| freed.last >= needed) {
                self.keep(at, freed);
            } else {
                self.remove(freed.record.id, freed.pinned);
                dropped.push(freed.record);
            }
        }
        dropped
    }
}

impl Comms {
    pub(crate) const fn new(observer: &'static dyn Observer) -> Self {
        Self { records: Mutex::new(Records::new(observer)), observer }
    }

    /// Notifies tools of a registered communicator. Their callbacks may call any function: the caller must not hold a lock
    /// that they could need, and no other thread may wait for the calling one.
    pub fn announce(&self, comm: CommId) {
        if events::active()
            && let Some(Record { ranks, remote, neighbors, .. }) = self.get(comm)
        {
            events::comm_created(comm, ranks.size(), remote, neighbors.len());
        }
    }

    /// Registers a new communicator. The caller [announces](Self::announce) it once other threads can use it.
    pub(crate) fn register(&self, what: Description<'_>) -> CommId {
        let Description { name, origin, ranks, remote, neighbors } = what;
        let newest = origin.as_ref().map_or(0, |origin| origin.number);
        let id = CommId::from_number(self.records.lock().identities.take());
        let record = Record { id, name: name.into(), origin, ranks, remote, neighbors, alike: 1, newest };
        self.observer.created(&record);
        self.records.lock().live.insert(id.get(), Live { record, pinned: false });
        id
    }

    /// Changes the name of a communicator.
    pub fn renamed(&self, comm: CommId, name: &str) {
        let renamed = {
            let mut records = self.records.lock();
            let Some(live) = records.live.get_mut(&comm.get()) else { return };
            if *live.record.name == *name {
                return;
            }
            live.record.name = name.into();
            live.record.clone()
        };
        self.observer.renamed(&renamed);
    }

    /// Pins the statistics of a communicator. Call it before a handle is bound. Keeps the statistics until the last such
    /// handle is freed, also after the communicator is freed.
    pub fn pin(&self, comm: CommId) {
        if let Some(live) = self.records.lock().live.get_mut(&comm.get()) {
            live.pinned = true;
        }
    }

    /// Frees a communicator of the `world`, calls `notify`, and notifies tools like [`announce`](Self::announce).
    pub(crate) fn freed(&self, comm: CommId, world: Option<World>, notify: impl FnOnce()) {
        let Some(Live { mut record, pinned }) = self.records.lock().live.remove(&comm.get()) else { return };
        let is_bound = pinned && Interface::global().bound_objects(Bind::Comm).contains(&comm.get());
        let is_used = self.observer.is_used(comm);
        if is_used {
            // Resolved already if it was used, so the host is not called here.
            record.ranks = record.ranks.resolved(world);
        }
        notify();
        let dropped = {
            let mut records = self.records.lock();
            let at = records.ever_freed;
            records.ever_freed += 1;
            let dropped = if is_used && !records.readers.is_empty() {
                record.neighbors = Arc::default();
                records.keep(at, Freed { record, pinned: is_bound, last: at });
                None
            } else {
                records.remove(comm, is_bound);
                Some(record)
            };
            if is_bound {
                records.review();
            }
            dropped
        };
        drop(dropped);
        events::comm_freed(comm.get());
        object_freed(Bind::Comm, comm.get());
    }

    /// Returns the description of a communicator, unless it is freed.
    #[must_use]
    pub fn get(&self, comm: CommId) -> Option<Record> {
        self.records.lock().live.get(&comm.get()).map(|live| live.record.clone())
    }

    /// Returns the communicators that are not freed, in the order of creation.
    #[must_use]
    pub fn live(&self) -> Vec<Record> {
        let live = self.records.lock().live.values().map(|live| live.record.clone()).collect();
        in_order(live)
    }

    /// Creates a reader of the communicators that exist now or are created later.
    #[must_use]
    pub fn reader(&'static self) -> Reader {
        let mut records = self.records.lock();
        records.newest_reader += 1;
        let number = records.newest_reader;
        let start = Start { freed: records.ever_freed, newest: records.identities.newest };
        records.readers.insert(number, start);
        Reader { comms: self, number }
    }
}

fn in_order(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_unstable_by_key(|record| number(record.id.get()));
    records
}

/// A reader of the records, which keeps those of communicators that are freed in the meantime.
#[derive(Debug)]
pub struct Reader {
    comms: &'static Comms,
    number: u64,
}

impl Reader {
    /// Returns the communicators that exist, and those with operations that were freed since the reader was created, in the
    /// order of creation.
    #[must_use]
    pub fn comms(&self) -> Vec<Record> {
        let records = self.comms.records.lock();
        let from = records.readers.get(&self.number).map_or(0, |start| start.freed);
        let freed = records.freed.values().filter(|freed| freed.last >= from).map(|freed| &freed.record);
        let all = records.live.values().map(|live| &live.record).chain(freed).cloned().collect();
        drop(records);
        in_order(all)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let dropped = {
            let mut records = self.comms.records.lock();
            records.readers.remove(&self.number);
            records.compact()
        };
        drop(dropped);
    }
}
