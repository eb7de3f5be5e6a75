//! The members of a communicator or window by their world ranks. Each is queried at its first use.

use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::lock::Mutex;
use mpit::object::OUTSIDE;
use mpit_components::comms::Ranks;

/// The members of an object. Reused for other objects, so its memory is never freed.
#[derive(Debug, Default)]
pub(crate) struct Members {
    size: AtomicU32,
    /// True if rank r is world rank r.
    as_world: AtomicBool,
    /// A direct-mapped cache: for each value of the low bits, the first rank that was looked up, in the format of
    /// [`Slots`]. Never replaced. A hit avoids the hash table.
    direct: [AtomicU64; CACHE_SLOTS],
    peers: Peers,
    ranks: Mutex<Option<Ranks>>,
}

/// The length of the cache, a power of two.
const CACHE_SLOTS: usize = 16;

impl Members {
    /// Replaces the members by those of another object.
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
    #[inline]
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
        let _ = direct.compare_exchange(0, slot_value(rank, world_rank), Relaxed, Relaxed);
        world_rank
    }
}

/// A map from ranks to world ranks that is read without locks: open addressing with linear probing. Its
/// memory grows with the number of peers.
#[derive(Debug, Default)]
struct Peers {
    /// The current table, the newest of `all`; null if there is none.
    slots: AtomicPtr<Slots>,
    all: Mutex<(Vec<&'static Slots>, usize)>,
}

/// The slots of a table: 0, or the rank plus 1 in the upper half and the world rank in the lower half.
type Slots = Box<[AtomicU64]>;

const FIRST_LEN: usize = 16;

#[inline]
fn slot_value(rank: u32, world_rank: u32) -> u64 {
    u64::from(rank + 1) << 32 | u64::from(world_rank)
}

#[inline]
fn is_for(word: u64, rank: u32) -> bool {
    (word >> 32) as u32 == rank + 1
}

impl Peers {
    #[inline]
    fn get(&self, rank: u32) -> Option<u32> {
        // SAFETY: null, or a table that `insert` has leaked.
        let slots = unsafe { self.slots.load(Acquire).as_ref() }?;
        let mask = slots.len() - 1;
        let mut at = hash(rank) & mask;
        loop {
            let word = slots[at].load(Relaxed);
            if is_for(word, rank) {
                return Some(word as u32);
            }
            if word == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&self, rank: u32, world_rank: u32) {
        let mut all = self.all.lock();
        if self.get(rank).is_some() {
            return;
        }
        let (tables, used) = &mut *all;
        let newest = tables.last().copied();
        let slots = match newest {
            // At most half full, to keep probe sequences short.
            Some(slots) if *used * 2 < slots.len() => slots,
            _ => {
                let len = newest.map_or(FIRST_LEN, |slots| 2 * slots.len());
                let larger: &'static Slots =
                    Box::leak(Box::new((0..len).map(|_| AtomicU64::new(0)).collect()));
                for word in
                    newest.into_iter().flatten().map(|word| word.load(Relaxed)).filter(|word| *word != 0)
                {
                    store(larger, word);
                }
                tables.push(larger);
                larger
            }
        };
        store(slots, slot_value(rank, world_rank));
        *used += 1;
        self.slots.store(std::ptr::from_ref(slots).cast_mut(), Release);
    }

    /// Removes all ranks and keeps the tables.
    fn clear(&self) {
        let mut all = self.all.lock();
        if all.1 != 0 {
            all.1 = 0;
            all.0.iter().flat_map(|slots| slots.iter()).for_each(|word| word.store(0, Relaxed));
        }
    }
}

fn store(slots: &Slots, word: u64) {
    let mask = slots.len() - 1;
    let mut at = hash((word >> 32) as u32 - 1) & mask;
    while slots[at].load(Relaxed) != 0 {
        at = (at + 1) & mask;
    }
    slots[at].store(word, Relaxed);
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
