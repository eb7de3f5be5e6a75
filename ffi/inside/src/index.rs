//! Merged indices: the entries of the MPI library first, ours behind them.
//!
//! Both lists only grow: that of the MPI library when it is initialized, ours when a table or a plug-in is registered. A merged
//! list is therefore a list of blocks, each of which continues one of the two lists. Blocks are appended and never change, so neither
//! do merged indices.

use std::ffi::c_int;

use mpit::Error;
use mpit::internal::session::Interface;
use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;

use crate::{exported, initialized};

/// The lists, as numbered by `enum mpit_core_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Cvar,
    Pvar,
    Category,
    Event,
    Source,
}

/// The owner of an entry, as numbered by `enum mpit_core_owner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Library,
    Mpit,
}

/// Entries that follow each other in one list and in the merged list.
#[derive(Clone, Copy, Debug)]
struct Block {
    owner: Owner,
    /// The index of the first entry in its own list, and in the merged list.
    first: u32,
    merged: u32,
    len: u32,
}

#[derive(Debug)]
struct MergedList {
    blocks: Log<Block>,
    appending: Mutex<()>,
}

static LISTS: [MergedList; 5] = [const { MergedList { blocks: Log::new(), appending: Mutex::new(()) } }; 5];

impl MergedList {
    /// Returns the number of entries of an owner that have a merged index.
    fn len_of(&self, owner: Owner) -> u32 {
        self.blocks
            .iter()
            .filter(|block| block.owner == owner)
            .map(|block| block.first + block.len)
            .max()
            .unwrap_or(0)
    }

    fn len(&self) -> u32 {
        self.blocks.iter().map(|block| block.merged + block.len).max().unwrap_or(0)
    }

    /// Gives merged indices to the new entries of an owner, who has `count` entries now.
    fn extend(&self, owner: Owner, count: u32) {
        if self.len_of(owner) >= count {
            return;
        }
        let _only_writer = self.appending.lock();
        let first = self.len_of(owner);
        // Indices are numbers of C.
        let fits = count.saturating_sub(first) <= (c_int::MAX as u32).saturating_sub(self.len());
        if first < count && fits {
            let block = Block { owner, first, merged: self.len(), len: count - first };
            // Without memory for it, the entries get their indices later.
            let _ = self.blocks.push(block);
        }
    }

    /// Returns owner and own index of a merged index.
    fn find(&self, merged: u32) -> Option<(Owner, u32)> {
        let is_its = |block: &&Block| merged >= block.merged && merged - block.merged < block.len;
        self.blocks.iter().find(is_its).map(|block| (block.owner, block.first + merged - block.merged))
    }

    /// Returns the merged index of an entry.
    fn merged(&self, owner: Owner, index: u32) -> Option<u32> {
        let is_its =
            |block: &&Block| block.owner == owner && index >= block.first && index - block.first < block.len;
        self.blocks.iter().find(is_its).map(|block| block.merged + index - block.first)
    }
}

fn list(kind: c_int) -> mpit::Result<(Kind, &'static MergedList)> {
    const KINDS: [Kind; 5] = [Kind::Cvar, Kind::Pvar, Kind::Category, Kind::Event, Kind::Source];
    let at = usize::try_from(kind).map_err(|_| Error::Invalid)?;
    Ok((*KINDS.get(at).ok_or(Error::Invalid)?, &LISTS[at]))
}

/// Returns the number of our entries of a kind.
fn own_count(kind: Kind) -> u32 {
    let registry = Interface::global().registry();
    match kind {
        Kind::Cvar => registry.cvar_count(),
        Kind::Pvar => registry.pvar_count(),
        Kind::Category => registry.category_count(),
        Kind::Event => registry.event_count(),
        Kind::Source => registry.source_count(),
    }
}

/// Returns the merged index of one of our entries. Fails if memory is short.
pub(crate) fn merged(kind: Kind, own: u32) -> mpit::Result<c_int> {
    known(kind, own).or_else(|_| {
        LISTS[kind as usize].extend(Owner::Mpit, own_count(kind));
        known(kind, own).map_err(|_| Error::Memory)
    })
}

/// Returns the merged index of one of our entries that has one already. Takes no lock, so callbacks may call it.
pub(crate) fn known(kind: Kind, own: u32) -> mpit::Result<c_int> {
    LISTS[kind as usize].merged(Owner::Mpit, own).map(u32::cast_signed).ok_or(Error::InvalidIndex)
}

/// Gives merged indices to all of our entries of a kind, so that they are [`known`]. Fails if memory is short.
pub(crate) fn merge_all(kind: Kind) -> mpit::Result<()> {
    own_count(kind).checked_sub(1).map_or(Ok(()), |last| merged(kind, last).map(drop))
}

exported! {
    /// Returns the length of a merged list, after the MPI library's list has grown to `library` entries.
    fn mpit_core_count(kind: c_int, library: c_int, count: *mut c_int) {
        initialized()?;
        count.check()?;
        let (kind, list) = list(kind)?;
        list.extend(Owner::Library, u32::try_from(library).unwrap_or(0));
        list.extend(Owner::Mpit, own_count(kind));
        count.set(list.len().cast_signed());
        Ok(())
    }

    /// Returns the owner of a merged index and the index in the owner's list.
    fn mpit_core_split(kind: c_int, merged: c_int, owner: *mut c_int, index: *mut c_int) {
        let (_, list) = list(kind)?;
        let merged = u32::try_from(merged).map_err(|_| Error::InvalidIndex)?;
        let (its_owner, its_index) = list.find(merged).ok_or(Error::InvalidIndex)?;
        owner.set(its_owner as c_int);
        index.set(its_index.cast_signed());
        Ok(())
    }

    /// Returns the merged index of an entry of an owner.
    fn mpit_core_merge(kind: c_int, owner: c_int, index: c_int, merged_index: *mut c_int) {
        let (kind, list) = list(kind)?;
        merged_index.check()?;
        let index = u32::try_from(index).map_err(|_| Error::InvalidIndex)?;
        if owner == Owner::Mpit as c_int {
            if index >= own_count(kind) {
                return Err(Error::InvalidIndex);
            }
            merged_index.set(merged(kind, index)?);
        } else if owner == Owner::Library as c_int {
            // The MPI library returned the index, so it has the entry.
            list.extend(Owner::Library, index + 1);
            merged_index.set(list.merged(Owner::Library, index).ok_or(Error::Memory)?.cast_signed());
        } else {
            return Err(Error::Invalid);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MergedList, Owner};
    use mpit_sync::lock::Mutex;
    use mpit_sync::log::Log;

    #[test]
    fn merged_indices_never_change() {
        let list = MergedList { blocks: Log::new(), appending: Mutex::new(()) };
        list.extend(Owner::Library, 3);
        list.extend(Owner::Mpit, 2);
        assert_eq!(
            (list.len(), list.find(2), list.find(3)),
            (5, Some((Owner::Library, 2)), Some((Owner::Mpit, 0)))
        );
        let before: Vec<_> = (0..5).map(|index| list.find(index)).collect();
        list.extend(Owner::Library, 6);
        list.extend(Owner::Library, 5);
        list.extend(Owner::Mpit, 3);
        assert_eq!((0..5).map(|index| list.find(index)).collect::<Vec<_>>(), before);
        assert_eq!(
            (list.find(5), list.find(8), list.find(9)),
            (Some((Owner::Library, 3)), Some((Owner::Mpit, 2)), None)
        );
        for merged in 0..list.len() {
            let (owner, index) = list.find(merged).unwrap();
            assert_eq!(list.merged(owner, index), Some(merged));
        }
        // Numbers of C have no room for all of these.
        list.extend(Owner::Library, u32::MAX / 2);
        assert_eq!(list.len(), 9);
    }
}
