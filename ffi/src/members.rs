//! The members of a communicator or window by their world ranks. Each is asked for when it is first used.

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
    /// [`Places`]. Never replaced. A hit avoids the hash table.
    first: [AtomicU64; CACHED],
    peers: Peers,
    ranks: Mutex<Option<Ranks>>,
}

/// The length of the cache, a power of two.
const CACHED: usize = 16;

impl Members {
    /// Replaces the members by those of another object.
    pub(crate) fn set(&self, ranks: Ranks) {
        self.first.iter().for_each(|word| word.store(0, Relaxed));
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

    /// Returns the world rank, or [`OUTSIDE`]; `None` if the host has to be asked.
    #[inline]
    pub(crate) fn known(&self, rank: u32) -> Option<u32> {
        if rank >= self.size() {
            Some(OUTSIDE)
        } else if self.as_world.load(Relaxed) {
            Some(rank)
        } else {
            let word = self.first[rank as usize % CACHED].load(Relaxed);
            if is_of(word, rank) { Some(word as u32) } else { self.peers.get(rank) }
        }
    }

    /// Returns the world rank, or [`OUTSIDE`].
    #[inline]
    pub(crate) fn world_rank(&self, rank: u32) -> u32 {
        self.known(rank).unwrap_or_else(|| self.ask(rank))
    }

    #[cold]
    fn ask(&self, rank: u32) -> u32 {
        let Some(ranks) = self.ranks() else { return OUTSIDE };
        let world_rank = ranks.world_rank(rank);
        self.peers.put(rank, world_rank);
        let first = &self.first[rank as usize % CACHED];
        // Fails if another thread has filled the slot, which then stays.
        let _ = first.compare_exchange(0, word_of(rank, world_rank), Relaxed, Relaxed);
        world_rank
    }
}

/// A map from ranks to world ranks that is read without locks: open addressing with linear probing. Its
/// memory grows with the number of peers.
#[derive(Debug, Default)]
struct Peers {
    /// The current table, the newest of `all`; null if there is none.
    places: AtomicPtr<Places>,
    all: Mutex<(Vec<&'static Places>, usize)>,
}

/// The slots of a table: 0, or the rank plus 1 in the upper half and the world rank in the lower half.
type Places = Box<[AtomicU64]>;

const FIRST: usize = 16;

#[inline]
fn word_of(rank: u32, world_rank: u32) -> u64 {
    u64::from(rank + 1) << 32 | u64::from(world_rank)
}

#[inline]
fn is_of(word: u64, rank: u32) -> bool {
    (word >> 32) as u32 == rank + 1
}

impl Peers {
    #[inline]
    fn get(&self, rank: u32) -> Option<u32> {
        // SAFETY: null, or a table that `put` has leaked.
        let places = unsafe { self.places.load(Acquire).as_ref() }?;
        let mask = places.len() - 1;
        let mut at = scatter(rank) & mask;
        loop {
            let word = places[at].load(Relaxed);
            if is_of(word, rank) {
                return Some(word as u32);
            }
            if word == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    fn put(&self, rank: u32, world_rank: u32) {
        let mut all = self.all.lock();
        if self.get(rank).is_some() {
            return;
        }
        let (tables, used) = &mut *all;
        let newest = tables.last().copied();
        let places = match newest {
            // At most half full, to keep probe sequences short.
            Some(places) if *used * 2 < places.len() => places,
            _ => {
                let len = newest.map_or(FIRST, |places| 2 * places.len());
                let larger: &'static Places =
                    Box::leak(Box::new((0..len).map(|_| AtomicU64::new(0)).collect()));
                for word in
                    newest.into_iter().flatten().map(|word| word.load(Relaxed)).filter(|word| *word != 0)
                {
                    insert(larger, word);
                }
                tables.push(larger);
                larger
            }
        };
        insert(places, word_of(rank, world_rank));
        *used += 1;
        self.places.store(std::ptr::from_ref(places).cast_mut(), Release);
    }

    /// Removes all ranks and keeps the tables.
    fn clear(&self) {
        let mut all = self.all.lock();
        if all.1 != 0 {
            all.1 = 0;
            all.0.iter().flat_map(|places| places.iter()).for_each(|word| word.store(0, Relaxed));
        }
    }
}

fn insert(places: &Places, word: u64) {
    let mask = places.len() - 1;
    let mut at = scatter((word >> 32) as u32 - 1) & mask;
    while places[at].load(Relaxed) != 0 {
        at = (at + 1) & mask;
    }
    places[at].store(word, Relaxed);
}

/// Hashes a rank, since ranks often come in sequences and strides.
#[inline]
fn scatter(rank: u32) -> usize {
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
        assert_eq!(members.known(3), None);
        for round in 0..2 {
            for (rank, world_rank) in (0..).zip(&ranks) {
                assert_eq!(members.known(rank).is_some(), round == 1);
                assert_eq!(members.world_rank(rank), *world_rank);
            }
        }
        assert_eq!(members.world_rank(1001), OUTSIDE);
        members.set(Ranks::List([5, 4].into()));
        assert_eq!((members.world_rank(0), members.world_rank(1), members.world_rank(2)), (5, 4, OUTSIDE));
        members.set(Ranks::World(2));
        assert_eq!((members.known(1), members.known(2)), (Some(1), Some(OUTSIDE)));
    }
}
