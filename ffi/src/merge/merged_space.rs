//! An index space of the merged list.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};

use mpit::internal::lock::Mutex;
use mpit::internal::log::Log;

use super::{HostIsUp, Merged};
use crate::hidden;

#[derive(Debug)]
pub(crate) enum Entry<I> {
    /// One of our entries, by its index in the registry.
    Own(u32),
    /// One of the host's entries.
    Host(HostEntry<I>),
}

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
    unsafe fn new(index: c_int) -> Self {
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
}

impl<I> HostEntry<I> {
    pub(crate) fn index(&self) -> HostIndex<I> {
        // SAFETY: `list_entry`, which alone stores the index, received it as a `HostIndex`.
        unsafe { HostIndex::new(self.index.load(SeqCst)) }
    }

    pub(crate) fn info(&self) -> &I {
        &self.info
    }
}

/// The index of entries that are hidden, or that the host counts but does not describe.
const UNLISTED: u32 = u32::MAX;

/// The description of one of the host's entries, for one kind of entry.
pub(crate) trait HostInfo: Sized {
    /// The host's function for the number of its entries.
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int>;

    /// Queries the host for an entry. `None` if the host does not describe it.
    fn query(merged: &Merged, up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self>;

    fn own_count(merged: &Merged) -> u32;

    /// Returns the registry index of our entry with this name and class.
    fn own_index(merged: &Merged, name: &str, class: c_int) -> Option<u32>;

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

/// The description of an entry of either side, in the numbers of the MPI flavor.
pub(crate) trait Describe: HostInfo + Clone {
    /// Describes our entry, given by its registry index.
    fn of_own(merged: &Merged, own: u32) -> Option<Self>;
}

#[derive(Debug)]
pub(crate) struct MergedSpace<I: HostInfo> {
    entries: Log<Entry<I>>,
    /// The merged indices by registry index; [`UNLISTED`] for hidden entries.
    own: Log<u32>,
    /// The merged indices by the host's index; [`UNLISTED`] for hidden entries and those that were never described.
    host: Log<AtomicU32>,
    /// The merged indices by key, for the host's entries.
    keys: Mutex<HashMap<(String, c_int), u32>>,
    /// Held by the thread that appends to the logs; never held while the host is queried.
    syncing: Mutex<()>,
}

impl<I: HostInfo> MergedSpace<I> {
    pub(super) fn new() -> Self {
        Self {
            entries: Log::new(),
            own: Log::new(),
            host: Log::new(),
            keys: Mutex::default(),
            syncing: Mutex::new(()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of the host's entries that are listed.
    pub(super) fn listed_of_host(&self) -> usize {
        self.keys.lock().len()
    }

    /// Returns an entry; `None` for an invalid index.
    pub(crate) fn get(&self, index: i32) -> Option<&Entry<I>> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    /// Returns the description of an entry; `None` for an invalid index.
    pub(crate) fn info(&self, merged: &Merged, index: i32) -> Option<Cow<'_, I>>
    where
        I: Describe,
    {
        match self.get(index)? {
            Entry::Own(own) => I::of_own(merged, *own).map(Cow::Owned),
            Entry::Host(entry) => Some(Cow::Borrowed(entry.info())),
        }
    }

    /// Returns the merged index of our entry `own`.
    pub(crate) fn of_own(&self, own: u32) -> Option<u32> {
        self.own.get(own as usize).copied().filter(|index| *index != UNLISTED)
    }

    /// Returns the merged index of the host's entry `host`, if that is listed.
    pub(crate) fn of_host(&self, host: i32) -> Option<u32> {
        let index = self.host.get(usize::try_from(host).ok()?)?.load(SeqCst);
        if index == UNLISTED { None } else { Some(index) }
    }

    /// Adds new entries of both sides, unless the index belongs to one of ours, which never changes.
    #[inline]
    pub(crate) fn sync_unless_own(&self, merged: &Merged, index: i32) {
        if !matches!(self.get(index), Some(Entry::Own(_))) {
            merged.sync();
        }
    }

    /// Returns the merged index of the entry with this name and class, and adds new entries first if needed.
    pub(crate) fn find(&self, merged: &Merged, name: &str, class: c_int) -> Option<u32> {
        let of_own = || I::own_index(merged, name, class).and_then(|own| self.of_own(own));
        if let Some(index) = of_own() {
            return Some(index);
        }
        merged.sync();
        of_own().or_else(|| self.keys.lock().get(&(name.to_owned(), class)).copied())
    }

    /// Appends to one of the logs. The caller holds `syncing`.
    fn append<T>(list: &Log<T>, item: T) -> u32 {
        let Ok(index) = list.push(item) else {
            unreachable!("one thread at a time appends, and lists are longer than memory")
        };
        index as u32
    }

    pub(super) fn sync_own(&self, merged: &Merged) {
        if self.own.len() == I::own_count(merged) as usize {
            return;
        }
        let _only_writer = self.syncing.lock();
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

    /// Adds new entries of both sides.
    ///
    /// No lock is held while the host is queried: the host may take locks itself, and threads that hold those
    /// may call this function. Threads that do so at the same time query the same entries, and the first answer is used.
    pub(super) fn sync(&self, merged: &Merged, up: HostIsUp<'_>) {
        self.sync_own(merged);
        let mut count = 0;
        // SAFETY: the host is up, and `count` is a local variable.
        unsafe { (I::GET_NUM)(&raw mut count) };
        let count = count.max(0) as usize;
        loop {
            let next = self.host.len();
            if next >= count {
                return;
            }
            // SAFETY: the host has reported `count` entries, which is more than `next` (checked).
            let host = unsafe { HostIndex::new(next as c_int) };
            let info = Self::query(merged, up, host);
            let _only_writer = self.syncing.lock();
            if self.host.len() == next {
                let index = info.and_then(|info| self.list_entry(merged, host, info));
                Self::append(&self.host, AtomicU32::new(index.unwrap_or(UNLISTED)));
            }
        }
    }

    /// Queries the host for an entry. `None` if the host does not describe it, or the entry is hidden.
    fn query(merged: &Merged, up: HostIsUp<'_>, host: HostIndex<I>) -> Option<I> {
        I::query(merged, up, host).filter(|info| !info.is_hidden())
    }

    /// Lists an entry of the host that was described for the first time. The caller holds `syncing`. Returns
    /// `None` if our entry of that name is hidden.
    fn list_entry(&self, merged: &Merged, host: HostIndex<I>, info: I) -> Option<u32> {
        self.append_own(merged);
        // Defined on both sides: ours is listed, unless it is hidden.
        if let Some(own) = I::own_index(merged, info.name(), info.class()) {
            return self.of_own(own);
        }
        let key = (info.name().to_owned(), info.class());
        // The host registered the entry again, under another index, to which the listed entry refers from now on.
        let known = self.keys.lock().get(&key).copied();
        if let Some(index) = known {
            if let Some(Entry::Host(entry)) = self.entries.get(index as usize) {
                entry.index.store(host.get(), SeqCst);
            }
            return Some(index);
        }
        let index =
            Self::append(&self.entries, Entry::Host(HostEntry { index: AtomicI32::new(host.get()), info }));
        self.keys.lock().insert(key, index);
        Some(index)
    }

    /// Queries again the entries that are not listed. No lock is held while the host is queried.
    pub(super) fn query_unlisted(&self, merged: &Merged, up: HostIsUp<'_>) {
        for (host, listed) in self.host.iter().enumerate() {
            if listed.load(SeqCst) != UNLISTED {
                continue;
            }
            // SAFETY: `sync`, which alone extends `self.host`, adds only entries that the host has reported.
            let host = unsafe { HostIndex::new(host as c_int) };
            let Some(info) = Self::query(merged, up, host) else { continue };
            let _only_writer = self.syncing.lock();
            if listed.load(SeqCst) == UNLISTED
                && let Some(index) = self.list_entry(merged, host, info)
            {
                listed.store(index, SeqCst);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entry<I>)> {
        self.entries.iter().enumerate().map(|(index, entry)| (index as u32, entry))
    }
}
