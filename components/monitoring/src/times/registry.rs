//! The words of all calls, by communicator.
//!
//! Freed communicators are merged as their collective operations are, so that the rows have the communicators of the rows `D`.

use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::component::CommId;
use mpit_format::profile::Label;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::times::{NO_COMM, call_key, comm, late};
use mpit_frameworks::comms::Record;
use mpit_frameworks::ids::slot;
use mpit_sync::lock::Mutex;
use mpit_sync::memory;

use super::{CallWords, LateWords, Origin, call_words, places, variables};
use crate::describe::label;
use crate::runtime::RUNTIME;
use crate::store::{OF_PROCESS, Users};

/// The maximum number of communicators whose operations are sampled, each of which takes 6 kB.
const MAX_SAMPLED: usize = 16;

/// The number of the thread for the calls of freed communicators. No other thread adds to them.
const MERGED: u32 = u32::MAX;

pub(crate) static RECORDS: Records =
    Records(Mutex::new(All { comms: BTreeMap::new(), labels: BTreeMap::new(), late: BTreeMap::new() }));

#[derive(Debug)]
pub(crate) struct Records(Mutex<All>);

#[derive(Debug)]
struct All {
    /// By the slot of the communicator, or [`NO_COMM`].
    comms: BTreeMap<u32, OfComm>,
    /// The number of each label in the store, by name and the presence of a number behind it.
    labels: BTreeMap<(Arc<str>, bool), u64>,
    /// By lineage.
    late: BTreeMap<u64, &'static LateWords>,
}

#[derive(Debug)]
struct OfComm {
    /// The identity; 0 for a slot that is not used.
    id: u64,
    words: Option<&'static [AtomicU64; comm::CELLS]>,
    calls: BTreeMap<Key, &'static CallWords>,
}

/// The key of the words of calls on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    thread: u32,
    call: u32,
    region: u16,
    /// The number of the place in the program.
    site: u64,
}

impl OfComm {
    fn cell(&mut self, slot: u32, key: Key) -> Option<&'static CallWords> {
        if let Some(words) = self.calls.get(&key) {
            return Some(words);
        }
        let Key { call, region, site, .. } = key;
        let (kind, number) = (BlockKind::Call, call_key(call, region, slot));
        let block = OF_PROCESS.add_for(Users::OneThread, kind, number, call_words::CELLS, &[site])?;
        let words = block.first_chunk()?;
        self.calls.insert(key, words);
        variables::add(call, words);
        Some(words)
    }

    fn is_used(&self) -> bool {
        let is_set = |word: &AtomicU64| word.load(Relaxed) != 0;
        self.calls.values().any(|words| words.iter().any(is_set))
    }

    /// Clears the words for another communicator. No thread adds to them: the communicator is freed.
    fn clear(&mut self) {
        self.id = 0;
        if let Some(words) = self.words {
            words[comm::LABEL].store(0, Release);
        }
        for word in self.calls.values().copied().flatten() {
            word.store(0, Relaxed);
        }
    }
}

impl All {
    fn of(&mut self, comm: CommId) -> Option<&mut OfComm> {
        self.comms.get_mut(&slot(comm.get())).filter(|of| of.id == comm.get())
    }

    /// Returns the number of a label in the store; `None` if memory is short.
    fn label(&mut self, label: &Label) -> Option<u64> {
        let next = self.labels.len() as u64 + 1;
        match self.labels.entry((Arc::clone(&label.name), label.first != 0)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                OF_PROCESS.add(BlockKind::Label, next, 0, Encoded::default().label(label).words())?;
                Some(*new.insert(next))
            }
        }
    }

    /// Returns the calls on a communicator; `None` if memory is short.
    fn comm(&mut self, id: u64, label: &Label) -> Option<&mut OfComm> {
        let number = self.label(label)?;
        let slot = slot(id);
        let of = self.comms.entry(slot).or_insert_with(|| {
            let words = OF_PROCESS.add(BlockKind::CallComm, slot.into(), comm::CELLS, &[]);
            let words = words.and_then(<[_]>::first_chunk);
            OfComm { id, words, calls: BTreeMap::new() }
        });
        of.id = id;
        if let Some(words) = of.words {
            words[comm::FIRST].store(label.first, Relaxed);
            words[comm::LAST].store(label.last, Relaxed);
            words[comm::LABEL].store(number, Release);
        }
        Some(of)
    }
}

/// Returns the words for the calls of one name on a communicator, from a part of the program and by a thread: 0, or a number that no
/// other thread has at the same time. Takes locks and allocates.
#[must_use]
pub fn cell(thread: u32, comm: Option<CommId>, call: u32, origin: Origin) -> Option<&'static CallWords> {
    let words = find_or_add(thread, comm, call, origin);
    if words.is_none() && memory::is_short() {
        memory::count_dropped();
    }
    words
}

fn find_or_add(thread: u32, comm: Option<CommId>, call: u32, origin: Origin) -> Option<&'static CallWords> {
    let key = Key { thread, call, region: origin.region, site: places::site(origin.return_address) };
    let Some(comm) = comm else {
        let mut all = RECORDS.0.lock();
        let none = || OfComm { id: 0, words: None, calls: BTreeMap::new() };
        return all.comms.entry(NO_COMM).or_insert_with(none).cell(NO_COMM, key);
    };
    let slot = slot(comm.get());
    {
        let mut all = RECORDS.0.lock();
        if let Some(of) = all.of(comm) {
            return of.cell(slot, key);
        }
    }
    // The list of communicators is not to be locked inside of this lock.
    let label = label(&RUNTIME.comms.get(comm)?);
    RECORDS.0.lock().comm(comm.get(), &label)?.cell(slot, key)
}

/// Returns the words for the sampled operations on a communicator; `None` if there are too many communicators. Takes locks and
/// allocates.
#[must_use]
pub fn late(comm: CommId, lineage: u64) -> Option<&'static LateWords> {
    if lineage == 0 {
        return None;
    }
    let is_known = |all: &All| all.late.contains_key(&lineage) || all.late.len() >= MAX_SAMPLED;
    {
        let all = RECORDS.0.lock();
        if is_known(&all) {
            return all.late.get(&lineage).copied();
        }
    }
    // The list of communicators is not to be locked inside of this lock.
    let label = label(&RUNTIME.comms.get(comm)?);
    let mut all = RECORDS.0.lock();
    if is_known(&all) {
        return all.late.get(&lineage).copied();
    }
    let number = all.label(&label)?;
    let words: &LateWords =
        OF_PROCESS.add_for(Users::OneThread, BlockKind::Late, lineage, late::CELLS, &[])?.first_chunk()?;
    words[late::FIRST].store(label.first, Relaxed);
    words[late::LABEL].store(number, Release);
    all.late.insert(lineage, words);
    Some(words)
}

impl Records {
    pub(crate) fn renamed(&self, record: &Record) {
        let mut all = self.0.lock();
        if all.of(record.id).is_some() {
            all.comm(record.id.get(), &label(record));
        }
    }

    pub(crate) fn is_used(&self, comm: CommId) -> bool {
        self.0.lock().of(comm).is_some_and(|of| of.is_used())
    }

    /// Adds the calls on a freed communicator to those on another one, whose record then represents both.
    pub(crate) fn merge(&self, comm: CommId, target: &Record) {
        let mut all = self.0.lock();
        let Some(from) = all.of(comm) else { return };
        let mut sums = BTreeMap::<Key, [u64; call_words::CELLS]>::new();
        for (key, words) in &from.calls {
            let key = Key { thread: MERGED, ..*key };
            add(sums.entry(key).or_insert([0; call_words::CELLS]), words);
        }
        let to_slot = slot(target.id.get());
        let mut to = all.comm(target.id.get(), &label(target));
        for (key, mut sum) in sums {
            let Some(words) = to.as_deref_mut().and_then(|to| to.cell(to_slot, key)) else {
                memory::count_dropped();
                continue;
            };
            add(&mut sum, words);
            for (word, value) in words.iter().zip(sum) {
                word.store(value, Relaxed);
            }
        }
        if let Some(from) = all.of(comm) {
            from.clear();
        }
    }

    pub(crate) fn close(&self, comm: CommId) {
        if let Some(of) = self.0.lock().of(comm) {
            of.clear();
        }
    }
}

/// Adds the words of a thread to a sum. Several blocks with the same key add up in the same way when a store is read.
fn add(sum: &mut [u64; call_words::CELLS], words: &CallWords) {
    let words = words.each_ref().map(|word| word.load(Relaxed));
    mpit_format::store::add_calls(sum, &words);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

    use std::env;
    use std::process::Command;

    use mpit_frameworks::comms::Ranks;

    use super::*;

    const IN_CHILD: &str = "MPIT_TEST_WITHOUT_MEMORY";

    /// The state of the memory is one of the process, so a child runs the test.
    #[test]
    fn merges_without_memory_are_counted() {
        if env::var_os(IN_CHILD).is_some() {
            return merge_without_memory();
        }
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "times::registry::tests::merges_without_memory_are_counted"]);
        let output = command.env(IN_CHILD, "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }

    fn merge_without_memory() {
        let (freed, kept) = (CommId::from_number(1), CommId::from_number(2));
        let words: &CallWords = Box::leak(Box::new([const { AtomicU64::new(0) }; call_words::CELLS]));
        words[0].store(5, Relaxed);
        let calls = BTreeMap::from([(Key { thread: 1, call: 0, region: 0, site: 0 }, words)]);
        let comms = BTreeMap::from([(slot(freed.get()), OfComm { id: freed.get(), words: None, calls })]);
        let records = Records(Mutex::new(All { comms, labels: BTreeMap::new(), late: BTreeMap::new() }));
        let target = Record {
            id: kept,
            name: "kept".into(),
            origin: None,
            ranks: Ranks::World(2),
            remote: false,
            neighbors: [].into(),
            alike: 2,
            newest: 0,
        };
        memory::set_short();
        records.merge(freed, &target);
        assert_eq!(memory::dropped(), 1);
        // The next communicator in the slot does not start with these.
        assert_eq!(words[0].load(Relaxed), 0);
    }
}
