//! Communicators, as traffic knows them.
//!
//! A communicator has an identity of its own here, never reused, whatever the address of the host's object. One
//! that is freed is kept for those who want to write about it (see [`Reader`]); when nobody wants to, it goes at
//! once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mpit::lock::{Guard, Mutex};
pub use mpit::traffic::CommId;

use crate::store::{self, Kind, Text};
use crate::{coll, events};

/// The processes of a communicator by their ranks in the world, in the communicator's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// So many, and rank r is process r of the world. Takes no memory.
    World(u32),
    /// Rank r is process `list[r]` of the world, or [`mpit::object::OUTSIDE`]. Communicators over the same group
    /// may share the list.
    List(Arc<[u32]>),
}

impl Ranks {
    /// The number of processes.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Self::World(size) => *size,
            Self::List(list) => list.len() as u32,
        }
    }

    /// The world ranks, in the communicator's order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (identity, list): (u32, &[u32]) = match self {
            Self::World(size) => (*size, &[]),
            Self::List(list) => (0, list),
        };
        (0..identity).chain(list.iter().copied())
    }
}

/// What a host says of a communicator when it tells of it.
#[derive(Clone, Debug)]
pub struct Description<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The processes that messages on it go to: of an intercommunicator those of the remote group.
    pub ranks: Ranks,
    /// Whether it is an intercommunicator.
    pub remote: bool,
    /// Of a communicator with a topology, the processes that a neighborhood operation sends to, in the order of the
    /// blocks that it sends, by their ranks in the world; [`mpit::object::OUTSIDE`] for `MPI_PROC_NULL`.
    pub neighbors: Arc<[u32]>,
}

impl<'a> Description<'a> {
    /// An intracommunicator without a topology.
    #[must_use]
    pub fn new(ranks: Ranks, name: &'a str) -> Self {
        Self { name, ranks, remote: false, neighbors: Arc::default() }
    }
}

/// What is known of a communicator.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which one.
    pub id: CommId,
    /// Its present name, or the last one it had.
    pub name: Arc<str>,
    /// The processes that messages on it go to: of an intercommunicator those of the remote group.
    pub ranks: Ranks,
    /// Whether it is an intercommunicator.
    pub remote: bool,
    /// The processes that a neighborhood operation sends to; see [`Description::neighbors`].
    pub neighbors: Arc<[u32]>,
    /// Whether it was freed.
    pub freed: bool,
}

struct Records {
    /// The number of the newest communicator.
    newest: u64,
    live: BTreeMap<u64, Record>,
    /// In the order in which they were freed.
    freed: VecDeque<Record>,
    /// How many were freed before the first of `freed`.
    forgotten: u64,
    /// How many were freed before a reader was made, by the number of the reader.
    readers: BTreeMap<u64, u64>,
    newest_reader: u64,
}

static RECORDS: Mutex<Records> = Mutex::new(Records {
    newest: 0,
    live: BTreeMap::new(),
    freed: VecDeque::new(),
    forgotten: 0,
    readers: BTreeMap::new(),
    newest_reader: 0,
});

fn records() -> Guard<'static, Records> {
    RECORDS.lock()
}

impl Records {
    fn ever_freed(&self) -> u64 {
        self.forgotten + self.freed.len() as u64
    }

    /// Forgets the freed communicators that no reader needs.
    fn forget(&mut self) {
        let needless = self.readers.values().copied().min().unwrap_or_else(|| self.ever_freed());
        while self.forgotten < needless && self.freed.pop_front().is_some() {
            self.forgotten += 1;
        }
    }
}

/// A communicator was created. Tools are told, whose callbacks may do anything: hold no lock that they could need.
pub fn created(what: Description<'_>) -> CommId {
    let Description { name, ranks, remote, neighbors } = what;
    let record = {
        let mut records = records();
        records.newest += 1;
        let id = CommId::from_number(records.newest);
        let record = Record { id, name: name.into(), ranks, remote, neighbors, freed: false };
        keep(&record);
        records.live.insert(id.get(), record.clone());
        record
    };
    events::comm_created(&record);
    record.id
}

/// A communicator was given another name.
pub fn renamed(comm: CommId, name: &str) {
    if let Some(record) = records().live.get_mut(&comm.get()) {
        if store::OF_PROCESS.is_kept() && *record.name != *name {
            store::OF_PROCESS.add(Kind::Name, comm.get(), 0, Text::of_name(name).words());
        }
        record.name = name.into();
    }
}

/// Writes a communicator to the store of the process, if that is a file: who reads it can ask nobody.
fn keep(record: &Record) {
    if store::OF_PROCESS.is_kept() {
        store::OF_PROCESS.add(Kind::Comm, record.id.get(), 0, Text::of_comm(record).words());
    }
}

/// Writes the communicators that there are to the store of the process, which is a file from now on.
pub(crate) fn keep_all() {
    records().live.values().for_each(keep);
}

/// A communicator is freed. Tools are told, as in [`created`].
pub fn freed(comm: CommId) {
    {
        let mut records = records();
        let Some(record) = records.live.remove(&comm.get()) else { return };
        records.freed.push_back(Record { freed: true, ..record });
        records.forget();
    }
    coll::freed(comm);
    events::comm_freed(comm.get());
}

/// What is known of a communicator that is not freed.
#[must_use]
pub fn get(comm: CommId) -> Option<Record> {
    records().live.get(&comm.get()).cloned()
}

/// The communicators that are not freed, in the order of creation.
#[must_use]
pub fn live() -> Vec<Record> {
    records().live.values().cloned().collect()
}

/// Somebody who wants to write about communicators, also about those that are freed in the meantime.
#[derive(Debug)]
pub struct Reader {
    number: u64,
}

impl Reader {
    /// A reader of the communicators that exist now or will.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it begins to hold what others free; not a plain value")]
    pub fn new() -> Self {
        let mut records = records();
        records.newest_reader += 1;
        let number = records.newest_reader;
        let from = records.ever_freed();
        records.readers.insert(number, from);
        Self { number }
    }

    /// The communicators that existed at any time since the reader was made, in the order of creation.
    #[must_use]
    pub fn comms(&self) -> Vec<Record> {
        let records = records();
        let from = records.readers.get(&self.number).copied().unwrap_or_default();
        let skipped = (from - records.forgotten) as usize;
        let mut comms: Vec<Record> =
            records.live.values().chain(records.freed.iter().skip(skipped)).cloned().collect();
        comms.sort_unstable_by_key(|record| record.id);
        comms
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut records = records();
        records.readers.remove(&self.number);
        records.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::{Description, Ranks, Reader, created, freed, get, live, records, renamed};

    /// One test, because all of them would share the records of the process.
    #[test]
    fn freed_ones_stay_while_somebody_wants_them() {
        let world = created(Description::new(Ranks::World(4), "world"));
        let list = created(Description::new(Ranks::List([3, 1].into()), "list"));
        assert!(list.get() > world.get());
        renamed(list, "renamed");
        assert_eq!(&*get(list).unwrap().name, "renamed");
        assert!(get(list).unwrap().ranks.iter().eq([3, 1]));
        assert!(get(world).unwrap().ranks.iter().eq(0..4));

        let unread = created(Description::new(Ranks::World(4), "unread"));
        freed(unread);
        freed(unread);
        assert!(records().freed.is_empty());

        let early = Reader::new();
        let first = created(Description::new(Ranks::World(4), "first"));
        freed(first);
        let late = Reader::new();
        let second = created(Description::new(Ranks::World(4), "second"));
        freed(second);
        let ids = |reader: &Reader| reader.comms().iter().map(|comm| comm.id).collect::<Vec<_>>();
        assert_eq!(ids(&early), [world, list, first, second]);
        assert_eq!(ids(&late), [world, list, second]);
        assert!(late.comms()[2].freed && !late.comms()[1].freed);
        drop(early);
        assert_eq!(records().freed.len(), 1);
        assert_eq!(ids(&late), [world, list, second]);
        drop(late);
        assert!(records().freed.is_empty());
        assert!(live().iter().map(|comm| comm.id).eq([world, list]));
    }
}
