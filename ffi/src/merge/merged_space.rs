//! An index space of the merged list.

use std::borrow::Cow;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering::SeqCst};

use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;

use super::host_entry::{Describe, HostEntry, HostIndex, HostInfo};
use super::name_index::{Key, NameIndex};
use super::{HostIsUp, Merged};
use crate::hidden;

#[derive(Debug)]
pub(crate) enum Entry<I> {
    /// One of our entries, by its index in the registry.
    Own(u32),
    Host(HostEntry<I>),
}

/// The index of entries that are hidden, or that the host counts but does not describe.
const UNLISTED: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct MergedSpace<I: HostInfo> {
    entries: Log<Entry<I>>,
    /// The merged indices by registry index; [`UNLISTED`] for hidden entries.
    own: Log<u32>,
    /// The merged indices by the host's index; [`UNLISTED`] for hidden entries and those that were never described.
    host: Log<AtomicU32>,
    /// The merged indices by key. Of entries with equal keys, the one that was listed first: the index by name never changes. Ours
    /// are listed first, unless their image was loaded later.
    names: NameIndex,
    /// The number of the host's entries that are listed.
    listed_of_host: AtomicUsize,
    /// The number of the host's entries that are known and not listed.
    unlisted: AtomicUsize,
    /// The host's update number before all entries were queried; -1 before that.
    queried_at: AtomicI32,
    /// Held by the thread that appends to the logs; never held while the host is queried.
    syncing: Mutex<()>,
}

impl<I: HostInfo> MergedSpace<I> {
    pub(super) fn new() -> Self {
        Self {
            entries: Log::new(),
            own: Log::new(),
            host: Log::new(),
            names: NameIndex::new(),
            listed_of_host: AtomicUsize::new(0),
            unlisted: AtomicUsize::new(0),
            queried_at: AtomicI32::new(-1),
            syncing: Mutex::new(()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of the host's entries that are listed.
    pub(super) fn listed_of_host(&self) -> usize {
        self.listed_of_host.load(SeqCst)
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

    /// Adds new entries of both sides, unless the index belongs to an entry: its description never changes.
    #[inline]
    pub(crate) fn sync_unless_listed(&self, merged: &Merged, index: i32) {
        if self.get(index).is_none() {
            merged.sync();
        }
    }

    /// Returns the merged index of the entry with this name and class. New entries of the host, and images that were loaded
    /// since, are only looked for if there is none.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the frame of a call is a tenth of a search's instructions")]
    pub(crate) fn find(&self, merged: &Merged, name: &[u8], class: c_int) -> Option<u32> {
        // Ours come first, also those that were registered since.
        self.sync_own(merged);
        let (key, inserted) = (Key::new(name, class), self.names.inserted());
        self.names.find(&key).or_else(|| self.find_new(merged, name, class, inserted))
    }

    /// Adds new entries, and returns the merged index of the one with this name and class. A search found none after `inserted`
    /// names were listed.
    #[inline(never)]
    fn find_new(&self, merged: &Merged, name: &[u8], class: c_int, inserted: u32) -> Option<u32> {
        merged.sync_one(self);
        // Also counts what other threads have listed meanwhile.
        if self.names.inserted() == inserted { None } else { self.names.find(&Key::new(name, class)) }
    }

    /// Appends one of our entries. Its name leads to it unless an entry with the same key is listed. The caller holds `syncing`.
    fn append_own_entry(&self, own: u32, name: &'static str, class: c_int) -> u32 {
        let key = Key::new(name.as_bytes(), class);
        let is_new = self.names.find(&key).is_none();
        let index = Self::append(&self.entries, Entry::Own(own));
        if is_new {
            // SAFETY: the name is static.
            unsafe { self.names.insert(index, &key) };
        }
        index
    }

    /// Appends an entry of the host, whose key leads to no entry yet. The caller holds `syncing`.
    fn append_host_entry(&self, entry: HostEntry<I>) -> u32 {
        let index = Self::append(&self.entries, Entry::Host(entry));
        if let Some(Entry::Host(entry)) = self.entries.get(index as usize) {
            let info = entry.info();
            // SAFETY: the name is in an entry of the list, which has the lifetime of the index. Entries never move, and shared
            // references to an information do not change its name.
            unsafe { self.names.insert(index, &Key::new(info.name().as_bytes(), info.class())) };
        }
        index
    }

    /// Appends to one of the logs. The caller holds `syncing`.
    fn append<T>(list: &Log<T>, item: T) -> u32 {
        let Ok(index) = list.push(item) else {
            unreachable!("one thread at a time appends, and lists are longer than memory")
        };
        index as u32
    }

    #[inline]
    pub(super) fn sync_own(&self, merged: &Merged) {
        if self.own.len() != I::own_count(merged) as usize {
            self.add_own(merged);
        }
    }

    #[cold]
    fn add_own(&self, merged: &Merged) {
        hidden::detect_tools();
        let _only_writer = self.syncing.lock();
        self.append_own(merged);
    }

    fn append_own(&self, merged: &Merged) {
        let known = self.own.len() as u32;
        for own in known..I::own_count(merged) {
            let index = match I::own_key(merged, own) {
                Some((name, class)) if !I::hides_own(merged, own) => self.append_own_entry(own, name, class),
                _ => UNLISTED,
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
        self.sync_with_host(merged, up);
    }

    /// Adds new entries of the host.
    #[inline]
    pub(super) fn sync_with_host(&self, merged: &Merged, up: HostIsUp<'_>) {
        let mut count = 0;
        // SAFETY: the host is up, and `count` is a local variable.
        unsafe { (I::GET_NUM)(&raw mut count) };
        let count = count.max(0) as usize;
        if self.host.len() < count {
            self.add_of_host(merged, up, count);
        }
    }

    /// Adds new entries of the host, which has reported `count` of them.
    #[cold]
    fn add_of_host(&self, merged: &Merged, up: HostIsUp<'_>, count: usize) {
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
                if index.is_none() {
                    self.unlisted.fetch_add(1, SeqCst);
                }
                Self::append(&self.host, AtomicU32::new(index.unwrap_or(UNLISTED)));
            }
        }
    }

    /// Returns true if the host knows entries that are not listed. It may describe them later.
    pub(super) fn has_unlisted(&self) -> bool {
        self.unlisted.load(SeqCst) > 0
    }

    /// Returns true if all entries were queried at this update number of the host.
    pub(super) fn was_queried_at(&self, number: i32) -> bool {
        self.queried_at.load(SeqCst) == number
    }

    /// Remembers the host's update number that was read before all entries were queried.
    pub(super) fn set_queried_at(&self, number: i32) {
        self.queried_at.store(number, SeqCst);
    }

    /// Queries the host for an entry. `None` if the host does not describe it, or the entry is hidden.
    fn query(merged: &Merged, up: HostIsUp<'_>, host: HostIndex<I>) -> Option<I> {
        I::query(merged, up, host).filter(|info| !info.is_hidden())
    }

    /// Lists an entry of the host that was described for the first time. The caller holds `syncing`. Returns
    /// `None` if our entry of that name is hidden.
    fn list_entry(&self, merged: &Merged, host: HostIndex<I>, info: I) -> Option<u32> {
        self.append_own(merged);
        let (name, class) = (info.name(), info.class());
        if let Some(index) = self.names.find(&Key::new(name.as_bytes(), class)) {
            // The host registered the entry again, under another index, to which the listed entry refers from now on.
            if let Some(Entry::Host(entry)) = self.entries.get(index as usize) {
                entry.set_index(host);
            }
            return Some(index);
        }
        // Defined on both sides, and ours is hidden.
        if I::own_index(merged, name, class).is_some() {
            return None;
        }
        let index = self.append_host_entry(HostEntry::new(host, info));
        // Afterwards, so that a tool that reads the new update number finds the entry.
        self.listed_of_host.fetch_add(1, SeqCst);
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
                self.unlisted.fetch_sub(1, SeqCst);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entry<I>)> {
        self.entries.iter().enumerate().map(|(index, entry)| (index as u32, entry))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ffi::c_int;
    use std::thread;

    use mpit::cvar::Cvar;
    use mpit::internal::desc::{CvarDesc, Metadata, SharedMetadata};
    use mpit::internal::registry::Image;
    use mpit::tool::Registry;

    use super::super::{CvarInfo, Merged};
    use super::{Entry, HostIndex};

    /// Lists a control variable of the host's, and returns its merged index.
    fn list(merged: &Merged, host: c_int, name: &str) -> Option<u32> {
        // SAFETY: nothing calls the host with the index, since this process has none.
        let host = unsafe { HostIndex::new(host) };
        let _only_writer = merged.cvars.syncing.lock();
        merged.cvars.list_entry(merged, host, CvarInfo { name: name.into(), ..CvarInfo::default() })
    }

    /// Registers a control variable of ours: `acme_setting` with this ending.
    fn register(registry: &Registry, ending: &str) {
        static SHARED: SharedMetadata = SharedMetadata::new("acme", file!());
        static CELL: Cvar<i32> = Cvar::new(1);
        let name: &'static str = format!("acme_setting{ending}").leak();
        let desc = CvarDesc::new(Metadata::of(name, "A setting.", &SHARED, line!()), &CELL);
        let image = Image { cvars: vec![Box::leak(Box::new(desc))], ..Image::new("acme") };
        assert!(registry.add(&image, &[]).is_empty());
    }

    #[test]
    fn entries_are_found_by_name() {
        let registry: &Registry = Box::leak(Box::default());
        let merged = &Merged::new(registry);
        let find = |name: &str| merged.cvars.find(merged, name.as_bytes(), 0);
        let host_index = |index: u32| match merged.cvars.get(index.cast_signed()) {
            Some(Entry::Host(entry)) => Some(entry.index().get()),
            _ => None,
        };
        register(registry, "");
        assert_eq!(find("acme_setting"), Some(0), "registered since the last call");
        assert_eq!(list(merged, 0, "acme_setting"), Some(0), "ours is listed in its place");
        for host in 1..100 {
            assert_eq!(list(merged, host, &format!("acme_setting{host}")), Some(host as u32));
        }
        assert_eq!(list(merged, 100, "acme_setting7"), Some(7), "registered again");
        assert_eq!((host_index(7), host_index(8), merged.cvars.listed_of_host()), (Some(100), Some(8), 99));
        register(registry, "9");
        assert_eq!(find("acme_setting9"), Some(9), "the host's, which was listed first");
        assert_eq!((host_index(9), host_index(100), merged.cvars.len()), (Some(9), None, 101));
        assert_eq!(list(merged, 101, "acme_setting9"), Some(9), "registered again beside ours");
        assert_eq!((host_index(9), merged.cvars.len()), (Some(101), 101));
        assert!((1..100).all(|host| find(&format!("acme_setting{host}")) == Some(host)));
        for missing in ["", "acme_settin", "acme_setting100", "acme_setting7 "] {
            assert_eq!(find(missing), None, "{missing}");
        }
        assert_eq!(merged.cvars.find(merged, b"acme_setting\xff", 0), None);
    }

    #[test]
    fn indices_stay_while_entries_are_listed() {
        let registry: &Registry = Box::leak(Box::default());
        let merged = &Merged::new(registry);
        let find = |number: c_int| {
            let name = format!("acme_setting{number}");
            let found = merged.cvars.find(merged, name.as_bytes(), 0);
            let info = found.and_then(|index| merged.cvars.info(merged, index.cast_signed()));
            assert_eq!(info.map(|info| info.name == name), found.map(|_| true));
            found
        };
        let read = || {
            let mut indices = [None; 300];
            for _ in 0..100 {
                for (number, known) in (0..).zip(&mut indices) {
                    let found = find(number);
                    assert!(known.is_none() || found == *known, "{known:?} {found:?}");
                    *known = found;
                }
            }
        };
        thread::scope(|scope| {
            (0..2).for_each(|_| _ = scope.spawn(read));
            for number in 0..300 {
                let define = |on_our_side| {
                    if on_our_side {
                        register(registry, &number.to_string());
                    } else {
                        list(merged, number, &format!("acme_setting{number}"));
                    }
                    find(number)
                };
                // Some are defined on one side, others on both, in either order.
                let first = define(number % 2 == 0);
                if number % 3 == 0 {
                    assert_eq!(define(number % 2 != 0), first);
                }
            }
        });
    }

    #[test]
    fn a_failure_is_repeated_at_a_new_index() {
        let merged = &Merged::new(Box::leak(Box::default()));
        let index = list(merged, 3, "acme_setting").unwrap();
        let Some(Entry::Host(entry)) = merged.cvars.get(index.cast_signed()) else { unreachable!() };
        let tried = RefCell::new(Vec::new());
        let fails_at_3 = |at: HostIndex<CvarInfo>| {
            tried.borrow_mut().push(at.get());
            if at.get() == 3 {
                // Registered again meanwhile.
                assert_eq!(list(merged, 5, "acme_setting"), Some(index));
                return Err(());
            }
            Ok(at.get())
        };
        assert_eq!(entry.try_at_host(merged, fails_at_3), Ok(5));
        assert_eq!(*tried.borrow(), [3, 5]);
        let fails = |at: HostIndex<CvarInfo>| {
            tried.borrow_mut().push(at.get());
            Err::<(), _>(at.get())
        };
        assert_eq!(entry.try_at_host(merged, fails), Err(5));
        assert_eq!(*tried.borrow(), [3, 5, 5], "not repeated at the same index");
    }
}
