//! The members of a communicator or window by their world ranks. Each is queried at its first use.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit::object::OUTSIDE;
use mpit_components::comms::Ranks;
use mpit_sync::lock::Mutex;
use mpit_sync::probe_table::ProbeTable;

/// The members of an object. Reused for other objects, so its memory is never freed.
#[derive(Debug, Default)]
pub struct Members {
    size: AtomicU32,
    /// True if rank r is world rank r.
    as_world: AtomicBool,
    /// A direct-mapped cache: for each value of the low bits, the first rank that was looked up, as a content of
    /// [`Peers`], or 0. Never replaced. A hit avoids the hash table.
    direct: [AtomicU64; CACHE_SLOTS],
    peers: Peers,
    ranks: Mutex<Option<Ranks>>,
}

/// The length of the cache, a power of two.
const CACHE_SLOTS: usize = 16;

impl Members {
    pub(crate) fn set(&self, ranks: Ranks) {
        self.direct.iter().for_each(|word| word.store(0, Relaxed));
        self.peers.clear();
        self.size.store(ranks.size(), Relaxed);
        self.as_world.store(matches!(ranks, Ranks::World(_)), Relaxed);
        // Dropped without the lock, because dropping may call the host.
        let before = self.ranks.lock().replace(ranks);
        drop(before);
    }

    /// Returns the members for the caller to drop, when the object has ended.
    pub(crate) fn release(&self) -> Option<Ranks> {
        self.ranks.lock().take()
    }

    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size.load(Relaxed)
    }

    /// Returns the members in the form that components use.
    pub(crate) fn ranks(&self) -> Option<Ranks> {
        self.ranks.lock().clone()
    }

    /// Returns the world rank, or [`OUTSIDE`]; `None` if the host must be queried.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of recording a message; the compiler changes its mind")]
    pub(crate) fn cached(&self, rank: u32) -> Option<u32> {
        if rank >= self.size() {
            Some(OUTSIDE)
        } else if self.as_world.load(Relaxed) {
            Some(rank)
        } else {
            let word = self.direct[rank as usize % CACHE_SLOTS].load(Relaxed);
            if is_for(word, rank) { Some(word as u32) } else { self.peers.get(rank) }
        }
    }

    /// Returns the world rank, or [`OUTSIDE`].
    #[inline]
    pub(crate) fn world_rank(&self, rank: u32) -> u32 {
        self.cached(rank).unwrap_or_else(|| self.resolve(rank))
    }

    #[cold]
    fn resolve(&self, rank: u32) -> u32 {
        let Some(ranks) = self.ranks() else { return OUTSIDE };
        let world_rank = ranks.world_rank(rank);
        self.peers.insert(rank, world_rank);
        let direct = &self.direct[rank as usize % CACHE_SLOTS];
        // Fails if another thread has filled the slot, which then stays.
        let _ = direct.compare_exchange(0, content(rank, world_rank), Relaxed, Relaxed);
        world_rank
    }
}

/// A map from ranks to world ranks that is read without locks. Its memory grows with the number of peers.
#[derive(Debug, Default)]
struct Peers {
    /// A content has the rank plus 1 in the upper half and the world rank in the lower half.
    table: ProbeTable<AtomicU64>,
    /// The number of contents.
    used: Mutex<usize>,
}

const FIRST_LEN: usize = 16;

#[inline]
fn content(rank: u32, world_rank: u32) -> u64 {
    u64::from(rank + 1) << 32 | u64::from(world_rank)
}

#[inline]
fn is_for(content: u64, rank: u32) -> bool {
    (content >> 32) as u32 == rank + 1
}

impl Peers {
    #[inline]
    fn get(&self, rank: u32) -> Option<u32> {
        self.table.find(hash(rank), |content| if is_for(content, rank) { Some(content as u32) } else { None })
    }

    fn insert(&self, rank: u32, world_rank: u32) {
        let mut used = self.used.lock();
        if self.get(rank).is_some() {
            return;
        }
        // At most half full, to keep probe sequences short.
        let capacity = self.table.capacity();
        if *used * 2 >= capacity {
            let contents = self.table.contents().map(|content| (hash((content >> 32) as u32 - 1), content));
            self.table.replace((2 * capacity).max(FIRST_LEN), contents);
        }
        self.table.insert(hash(rank), content(rank, world_rank));
        *used += 1;
    }

    /// Removes all ranks and keeps the table.
    fn clear(&self) {
        let mut used = self.used.lock();
        if *used != 0 {
            *used = 0;
            self.table.clear();
        }
    }
}

/// Hashes a rank, since ranks often come in sequences and strides.
#[inline]
fn hash(rank: u32) -> usize {
    (u64::from(rank).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::{Members, OUTSIDE, Ranks};

    #[test]
    fn ranks_are_found_once_translated() {
        let members = Members::default();
        let ranks: Vec<u32> = (0..1000).map(|rank| 7 * rank % 1000).chain([OUTSIDE]).collect();
        members.set(Ranks::List(ranks.as_slice().into()));
        assert_eq!(members.cached(3), None);
        for round in 0..2 {
            for (rank, world_rank) in (0..).zip(&ranks) {
                assert_eq!(members.cached(rank).is_some(), round == 1);
                assert_eq!(members.world_rank(rank), *world_rank);
            }
        }
        assert_eq!(members.world_rank(1001), OUTSIDE);
        members.set(Ranks::List([5, 4].into()));
        assert_eq!((members.world_rank(0), members.world_rank(1), members.world_rank(2)), (5, 4, OUTSIDE));
        members.set(Ranks::World(2));
        assert_eq!((members.cached(1), members.cached(2)), (Some(1), Some(OUTSIDE)));
    }
}
