//! The members of a communicator, by their ranks in the world.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Weak};

use mpit::component::World;
use mpit::object::OUTSIDE;
use mpit_sync::lock::{Mutex, Once};

/// The processes of a communicator by their ranks in the world, in the communicator's order.
#[derive(Clone, Debug)]
pub enum Ranks {
    /// The number of processes: rank r is process r of the world. Takes no memory.
    World(u32),
    /// Rank r is process `list[r]` of the world, or [`mpit::object::OUTSIDE`]. Communicators over the same group
    /// may share the list.
    List(Arc<[u32]>),
    /// A list that is requested from the host on first use.
    Lazy(Arc<LazyRanks>),
}

/// The source of a list of ranks: the host's group.
pub trait RankSource: Debug + Send + Sync {
    /// Returns the ranks in the world of all members, or [`mpit::object::OUTSIDE`]; `None` if the host does not return them.
    fn world_ranks(&self) -> Option<Vec<u32>>;

    /// Returns the rank in the world of one member, or [`mpit::object::OUTSIDE`]; `None` if the host does not return it.
    fn world_rank(&self, rank: u32) -> Option<u32>;
}

/// A list of ranks that is created on first use. Communicators over the same group share it.
#[derive(Debug)]
pub struct LazyRanks {
    size: u32,
    source: Box<dyn RankSource>,
    list: Once<Arc<[u32]>>,
}

fn is_world(list: &[u32], world: Option<World>) -> bool {
    world.is_some_and(|world| world.size as usize == list.len())
        && list.iter().zip(0..).all(|(rank, at)| *rank == at)
}

impl LazyRanks {
    /// Creates a list of `size` ranks that is not requested yet.
    #[must_use]
    pub fn new(size: u32, source: Box<dyn RankSource>) -> Self {
        Self { size, source, list: Once::new() }
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    fn world_rank(&self, rank: u32) -> u32 {
        match self.list.get() {
            _ if rank >= self.size => OUTSIDE,
            Some(list) => list.get(rank as usize).copied().unwrap_or(OUTSIDE),
            None => self.source.world_rank(rank).unwrap_or(OUTSIDE),
        }
    }

    /// Returns the list. If the host cannot give it, every member counts as outside of the world.
    pub fn list(&self) -> &Arc<[u32]> {
        if let Some(list) = self.list.get() {
            return list;
        }
        // Outside of the cell, because it runs code of the host. If another thread gets the list meanwhile, it is equal.
        let size = self.size as usize;
        let mut list = self.source.world_ranks().unwrap_or_default();
        list.resize(size, OUTSIDE);
        let list = shared(list.into());
        self.list.get_or_init(|| list)
    }
}

impl Ranks {
    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Self::World(size) => *size,
            Self::List(list) => list.len() as u32,
            Self::Lazy(lazy) => lazy.size,
        }
    }

    /// Returns the rank in the world of one member, or [`mpit::object::OUTSIDE`]. May call the host.
    #[must_use]
    pub fn world_rank(&self, rank: u32) -> u32 {
        match self {
            Self::World(size) if rank < *size => rank,
            Self::World(_) => OUTSIDE,
            Self::List(list) => list.get(rank as usize).copied().unwrap_or(OUTSIDE),
            Self::Lazy(lazy) => lazy.world_rank(rank),
        }
    }

    /// Returns the list, requested from the host if necessary; `None` for the processes of the world in their order.
    #[must_use]
    pub fn list(&self) -> Option<&Arc<[u32]>> {
        match self {
            Self::World(_) => None,
            Self::List(list) => Some(list),
            Self::Lazy(lazy) => Some(lazy.list()),
        }
    }

    /// Iterates over the ranks in the world, in the communicator's order. May call the host.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let list: &[u32] = self.list().map_or(&[], |list| list);
        let identity = if let Self::World(size) = self { *size } else { 0 };
        (0..identity).chain(list.iter().copied())
    }

    /// Returns the same processes as a list that needs no host, or as the `world`. Equal lists share memory. May call the host.
    #[must_use]
    pub fn resolved(&self, world: Option<World>) -> Self {
        match self {
            Self::World(size) => Self::World(*size),
            Self::List(list) => Self::List(shared(Arc::clone(list))),
            Self::Lazy(lazy) if is_world(lazy.list(), world) => Self::World(lazy.size),
            Self::Lazy(lazy) => Self::List(Arc::clone(lazy.list())),
        }
    }

    /// Returns an identifier of settled ranks, which is valid while they are held: equal lists have the same address.
    #[must_use]
    pub fn identity(&self) -> (u32, usize) {
        (self.size(), self.list().map_or(0, |list| list.as_ptr().addr()))
    }
}

impl PartialEq for Ranks {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size() && self.iter().eq(other.iter())
    }
}

impl Eq for Ranks {}

/// Lists in use, by a hash of their content. One cache serves all runtimes: equal lists share memory.
static LISTS: Mutex<Lists> = Mutex::new(Lists { by_hash: BTreeMap::new(), limit: 2 * SMALL_COUNT });

struct Lists {
    by_hash: BTreeMap<u64, Vec<Weak<[u32]>>>,
    /// The number of entries at which those of dropped lists are removed: a weak reference keeps the memory of its list.
    limit: usize,
}

/// The number of entries up to which dropped lists are removed at each insertion.
const SMALL_COUNT: usize = 64;

/// Returns the list in use that has the same content, or else this one.
fn shared(list: Arc<[u32]>) -> Arc<[u32]> {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&list);
    let mut lists = LISTS.lock();
    let mut known = lists.by_hash.get(&hash).into_iter().flatten().filter_map(Weak::upgrade);
    if let Some(known) = known.find(|known| *known == list) {
        return known;
    }
    if lists.by_hash.len() >= lists.limit || lists.by_hash.len() <= SMALL_COUNT {
        lists.by_hash.retain(|_, known| {
            known.retain(|list| list.strong_count() > 0);
            !known.is_empty()
        });
        lists.limit = 2 * lists.by_hash.len().max(SMALL_COUNT);
    }
    lists.by_hash.entry(hash).or_default().push(Arc::downgrade(&list));
    list
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::{LazyRanks, OUTSIDE, RankSource, Ranks};

    #[derive(Debug)]
    struct Counted(&'static AtomicU32, Option<Vec<u32>>);

    impl RankSource for Counted {
        fn world_ranks(&self) -> Option<Vec<u32>> {
            self.0.fetch_add(1, Relaxed);
            self.1.clone()
        }

        fn world_rank(&self, rank: u32) -> Option<u32> {
            self.1.as_ref()?.get(rank as usize).copied()
        }
    }

    #[test]
    fn host_lists_are_requested_once() {
        static REQUESTED: AtomicU32 = AtomicU32::new(0);
        let lazy = |list| Ranks::Lazy(Arc::new(LazyRanks::new(3, Box::new(Counted(&REQUESTED, list)))));
        let (one, other, unknown) = (lazy(Some(vec![2, 0, 1])), lazy(Some(vec![2, 0, 1])), lazy(None));
        assert_eq!((one.size(), REQUESTED.load(Relaxed)), (3, 0));
        assert!(one.iter().eq([2, 0, 1]) && one.iter().eq([2, 0, 1]));
        assert_eq!(REQUESTED.load(Relaxed), 1);
        assert_eq!(one.identity(), other.identity());
        assert_eq!(Ranks::List([2, 0, 1].into()).resolved(None).identity(), one.identity());
        assert_ne!(Ranks::List([2, 1, 0].into()).resolved(None).identity(), one.identity());
        assert!(unknown.iter().eq([OUTSIDE; 3]));
    }

    #[test]
    fn dropped_lists_free_their_entries() {
        for at in 0..10_000 {
            drop(Ranks::List([at, 7_000_000].into()).resolved(None));
        }
        let entries = super::LISTS.lock().by_hash.len();
        assert!(entries <= 256, "{entries}");
    }
}
