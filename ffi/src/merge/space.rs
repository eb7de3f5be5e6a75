//! One merged index space.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};

use mpit::lock::Mutex;
use mpit::log::Log;

use super::Merged;

/// The meaning of an index.
#[derive(Debug)]
pub enum Entry<I> {
    /// Ours, by its index in the registry.
    Own(u32),
    /// The host's.
    Host(HostEntry<I>),
}

/// An entry of the host's.
#[derive(Debug)]
pub struct HostEntry<I> {
    /// Its index at the host now.
    index: AtomicI32,
    /// Its description.
    info: I,
}

impl<I> HostEntry<I> {
    /// Its index at the host now.
    pub fn index(&self) -> i32 {
        self.index.load(SeqCst)
    }

    /// Returns its description.
    pub fn info(&self) -> &I {
        &self.info
    }
}

/// In place of the merged index of an entry that is not to be shown, or that the host counts, but says nothing of.
const UNLISTED: u32 = u32::MAX;

/// The description of an entry of the host, for one kind of entries.
pub trait HostInfo: Sized {
    /// By what entries are found.
    type Key: Hash + Eq;

    /// The same, as callers have it.
    type Name<'a>: Copy;

    /// To keep it.
    fn to_key(name: Self::Name<'_>) -> Self::Key;

    /// Asks the host. `None` when the entry has nothing to say.
    fn ask(merged: &Merged, index: i32) -> Option<Self>;

    /// The number of entries that the host has.
    fn host_count() -> i32;

    /// The number of entries that we have.
    fn own_count(merged: &Merged) -> u32;

    /// Our entry of the same key, by its index in the registry.
    fn own_index(merged: &Merged, name: Self::Name<'_>) -> Option<u32>;

    /// Its key.
    fn name(&self) -> Self::Name<'_>;

    /// Returns true if our entry, by its index in the registry, is not to be shown.
    fn hides_own(merged: &Merged, own: u32) -> bool;

    /// Returns true if this entry of the host's is not to be shown.
    fn is_hidden(&self) -> bool;
}

/// One merged index space.
#[derive(Debug)]
pub struct Space<I: HostInfo> {
    entries: Log<Entry<I>>,
    /// Their indices, by ours; [`UNLISTED`] for what is not to be shown.
    own: Log<u32>,
    /// Our indices by the host's; [`UNLISTED`] also for entries that never answered.
    host: Log<AtomicU32>,
    /// The same by key, for the host's.
    keys: Mutex<HashMap<I::Key, u32>>,
    /// Held by the thread that appends to the lists; never while the host is asked.
    syncing: Mutex<()>,
}

impl<I: HostInfo> Space<I> {
    pub(super) fn new() -> Self {
        Self {
            entries: Log::new(),
            own: Log::new(),
            host: Log::new(),
            keys: Mutex::default(),
            syncing: Mutex::new(()),
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the host's entries that are listed.
    pub(super) fn listed_of_host(&self) -> usize {
        self.keys.lock().len()
    }

    /// Returns true if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// An entry, if the index is one.
    pub fn get(&self, index: i32) -> Option<&Entry<I>> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    /// The merged index of our entry `own`.
    pub fn of_own(&self, own: u32) -> Option<u32> {
        self.own.get(own as usize).copied().filter(|index| *index != UNLISTED)
    }

    /// The merged index of the host's entry `host`, if that is listed.
    pub fn of_host(&self, host: i32) -> Option<u32> {
        let index = self.host.get(usize::try_from(host).ok()?)?.load(SeqCst);
        (index != UNLISTED).then_some(index)
    }

    /// Takes in what is new on either side, unless the index is one of ours, which never changes.
    #[inline]
    pub fn sync_unless_own(&self, merged: &Merged, index: i32) {
        if !matches!(self.get(index), Some(Entry::Own(_))) {
            merged.sync();
        }
    }

    /// The merged index of what has this key, new or not.
    pub fn find(&self, merged: &Merged, name: I::Name<'_>) -> Option<u32> {
        let of_own = || I::own_index(merged, name).and_then(|own| self.of_own(own));
        if let Some(index) = of_own() {
            return Some(index);
        }
        merged.sync();
        of_own().or_else(|| self.keys.lock().get(&I::to_key(name)).copied())
    }

    /// Appends to one of the lists, for the holder of `syncing`.
    fn append<T>(list: &Log<T>, item: T) -> u32 {
        let Ok(index) = list.push(item) else {
            unreachable!("one thread at a time appends, and lists are longer than memory")
        };
        index as u32
    }

    /// Takes in what is new on our side.
    pub(super) fn sync_own(&self, merged: &Merged) {
        if self.own.len() == I::own_count(merged) as usize {
            return;
        }
        let _alone = self.syncing.lock();
        self.append_own(merged);
    }

    fn append_own(&self, merged: &Merged) {
        let known = self.own.len() as u32;
        for own in known..I::own_count(merged) {
            let index = if I::hides_own(merged, own) {
                UNLISTED
            } else {
                Self::append(&self.entries, Entry::Own(own))
            };
            Self::append(&self.own, index);
        }
    }

    /// Takes in what is new on either side. Only while the host is up.
    ///
    /// No lock is held while the host is asked: it may lock itself, and other threads that hold its lock may come here.
    /// Threads that come at the same time ask for the same entries; the first answer counts.
    pub(super) fn sync(&self, merged: &Merged) {
        self.sync_own(merged);
        let count = I::host_count().max(0) as usize;
        loop {
            let next = self.host.len();
            if next >= count {
                return;
            }
            let info = Self::ask(merged, next as i32);
            let _alone = self.syncing.lock();
            if self.host.len() == next {
                let index = info.and_then(|info| self.take_in(merged, next as i32, info));
                Self::append(&self.host, AtomicU32::new(index.unwrap_or(UNLISTED)));
            }
        }
    }

    /// Asks the host for an entry. `None` if it does not answer, or the entry is not to be shown.
    fn ask(merged: &Merged, host: i32) -> Option<I> {
        I::ask(merged, host).filter(|info| !info.is_hidden())
    }

    /// Lists a host entry that answered for the first time, for the holder of `syncing`. `None` if ours of that name is hidden.
    fn take_in(&self, merged: &Merged, host: i32, info: I) -> Option<u32> {
        self.append_own(merged);
        // We define it, too: one entry, ours, unless that is hidden.
        if let Some(own) = I::own_index(merged, info.name()) {
            return self.of_own(own);
        }
        let key = I::to_key(info.name());
        // The host registered it again, under another index: the old one leads there from now on.
        let known = self.keys.lock().get(&key).copied();
        if let Some(index) = known {
            if let Some(Entry::Host(entry)) = self.entries.get(index as usize) {
                entry.index.store(host, SeqCst);
            }
            return Some(index);
        }
        let index = Self::append(&self.entries, Entry::Host(HostEntry { index: AtomicI32::new(host), info }));
        self.keys.lock().insert(key, index);
        Some(index)
    }

    /// Asks again for entries that are not listed. Only while the host is up. No lock is held meanwhile.
    pub(super) fn ask_again(&self, merged: &Merged) {
        for (host, listed) in self.host.iter().enumerate() {
            if listed.load(SeqCst) != UNLISTED {
                continue;
            }
            let Some(info) = Self::ask(merged, host as i32) else { continue };
            let _alone = self.syncing.lock();
            if listed.load(SeqCst) == UNLISTED
                && let Some(index) = self.take_in(merged, host as i32, info)
            {
                listed.store(index, SeqCst);
            }
        }
    }

    /// All entries, with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Entry<I>)> {
        self.entries.iter().enumerate().map(|(index, entry)| (index as u32, entry))
    }
}
