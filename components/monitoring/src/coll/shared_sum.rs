//! Sets of ranks that receive equal byte counts, so one sum serves all of them.
//!
//! An operation that exchanges the same number of bytes with each of many processes is added to one sum, at a cost that
//! does not depend on the number of processes. The sum is attributed to ranks when a tool reads.

use std::sync::Arc;

use mpit::object::OUTSIDE;
use mpit_format::store::blocks::{BlockKind, Encoded, exchanged_key};
use mpit_frameworks::comms::Ranks;

use crate::record::{AtomicSum, TrafficSum};
use crate::store::{OF_PROCESS, Users};

/// A set of ranks of the world, in ascending order.
#[derive(Debug, PartialEq, Eq)]
enum RankSet {
    /// The ranks `first`, `first + step` and so on, `len` of them, without `except`. Most communicators have this form: the
    /// world, rows and columns of a grid, halves.
    Stride { first: u32, step: u32, len: u32, except: Option<u32> },
    /// A list of ranks, which may have duplicates.
    List(Box<[u32]>),
}

impl RankSet {
    /// Builds the set from a list in any order, none of which is [`OUTSIDE`], without `except`.
    fn of(mut list: Vec<u32>, except: Option<u32>) -> Self {
        list.sort_unstable();
        stride(&list, except).unwrap_or_else(|| {
            list.retain(|rank| Some(*rank) != except);
            stride(&list, None).unwrap_or(Self::List(list.into()))
        })
    }

    fn times(&self, rank: u32) -> u64 {
        match self {
            Self::Stride { first, step, len, except } => {
                let distance = rank.wrapping_sub(*first);
                let there = rank >= *first && distance % step == 0 && distance / step < *len;
                u64::from(there && Some(rank) != *except)
            }
            Self::List(list) => {
                let from = list.partition_point(|other| *other < rank);
                list[from..].partition_point(|other| *other == rank) as u64
            }
        }
    }

    fn len(&self) -> u64 {
        match self {
            Self::Stride { len, except, .. } => u64::from(*len) - u64::from(except.is_some()),
            Self::List(list) => list.len() as u64,
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (first, step, len, except, list): (u32, u32, u32, Option<u32>, &[u32]) = match self {
            Self::Stride { first, step, len, except } => (*first, *step, *len, *except, &[]),
            Self::List(list) => (0, 1, 0, None, list),
        };
        let strided = (0..len).map(move |at| first + at * step).filter(move |rank| Some(*rank) != except);
        strided.chain(list.iter().copied())
    }
}

/// Returns a sorted list as a stride, if it has that form.
fn stride(list: &[u32], except: Option<u32>) -> Option<RankSet> {
    let first = list.first().copied().unwrap_or(0);
    let step = list.get(1).map_or(1, |second| second - first);
    if step == 0 || !list.windows(2).all(|pair| pair[1] - pair[0] == step) {
        return None;
    }
    let except = except.filter(|rank| list.binary_search(rank).is_ok());
    Some(RankSet::Stride { first, step, len: list.len() as u32, except })
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Peers {
    set: RankSet,
    outside: u64,
}

impl Peers {
    /// Returns all processes of a communicator from rank `from` on, without this process.
    pub(super) fn of_ranks(ranks: &Ranks, from: u32, me: Option<u32>) -> Self {
        match ranks {
            Ranks::World(size) => {
                let len = size.saturating_sub(from);
                let except = me.filter(|me| *me >= from && *me < *size);
                Self { set: RankSet::Stride { first: from, step: 1, len, except }, outside: 0 }
            }
            ranks => {
                let list = ranks.list().map_or(&[][..], |list| list);
                Self::of_list(list.get(from as usize..).unwrap_or_default().iter().copied(), me)
            }
        }
    }

    pub(super) fn of_list(list: impl Iterator<Item = u32>, me: Option<u32>) -> Self {
        let mut outside = 0;
        let list = list.filter(|rank| {
            outside += u64::from(*rank == OUTSIDE);
            *rank != OUTSIDE
        });
        let set = RankSet::of(list.collect(), me);
        Self { set, outside }
    }
}

#[derive(Debug)]
pub(super) struct SharedSum {
    members: Arc<Peers>,
    /// The [slot](mpit_sync::thread_slots) of the only thread that adds to it; `None` for all threads without a sum of their
    /// own.
    thread: Option<usize>,
    /// The number of processes, including those outside of the world.
    pub(super) len: u64,
    /// The sum that is exchanged with each of them.
    pub(super) each: AtomicSum<'static>,
}

impl SharedSum {
    /// Creates a shared sum whose sum is zero; returns `None` if memory is short.
    pub(super) fn new(members: Peers) -> Option<Self> {
        Self::with_users(Arc::new(members), None)
    }

    /// Creates a sum like `new` with the members of another one, for a thread.
    pub(super) fn of_thread(thread: usize, of_all: &Self) -> Option<Self> {
        Self::with_users(Arc::clone(&of_all.members), Some(thread))
    }

    fn with_users(members: Arc<Peers>, thread: Option<usize>) -> Option<Self> {
        let users = if thread.is_some() { Users::OneThread } else { Users::AllThreads };
        let add = |is_list, text: &[u64]| {
            OF_PROCESS.add_for(users, BlockKind::SharedSum, exchanged_key(is_list), 2, text)
        };
        let block = match &members.set {
            RankSet::Stride { first, step, len, except } => {
                let except = except.map_or(0, |rank| u64::from(rank) + 1);
                add(false, &[u64::from(*first), u64::from(*step), u64::from(*len), except])
            }
            RankSet::List(list) => {
                add(true, Encoded::default().number(list.len() as u64).ranks(list).words())
            }
        };
        let [each] = AtomicSum::of(block?)?;
        let len = members.set.len() + members.outside;
        Some(Self { members, thread, len, each })
    }

    /// Returns true if it is the sum of all threads for these members.
    pub(super) fn is_of(&self, members: &Peers) -> bool {
        self.thread.is_none() && *self.members == *members
    }

    /// Returns true if it is the sum of a thread for the members of another sum.
    pub(super) fn is_for(&self, thread: usize, of_all: &Self) -> bool {
        self.thread == Some(thread) && Arc::ptr_eq(&self.members, &of_all.members)
    }

    pub(super) fn with(&self, rank: u32) -> TrafficSum {
        match self.members.set.times(rank) {
            0 => TrafficSum::default(),
            times => self.each.get().times(times),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.members.set.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, Peers, RankSet, Ranks, SharedSum};

    fn assert_is(shared_sum: &Peers, ranks: &[u32]) {
        assert!(shared_sum.set.iter().eq(ranks.iter().copied()), "{shared_sum:?}");
        assert_eq!(shared_sum.set.len(), ranks.len() as u64);
        for rank in (0..20).chain([OUTSIDE]) {
            let times = ranks.iter().filter(|other| **other == rank).count() as u64;
            assert_eq!(shared_sum.set.times(rank), times, "rank {rank} of {shared_sum:?}");
        }
    }

    fn list(ranks: &[u32], me: Option<u32>) -> Peers {
        Peers::of_list(ranks.iter().copied(), me)
    }

    #[test]
    fn the_world_takes_no_memory() {
        let all = Peers::of_ranks(&Ranks::World(4), 0, Some(2));
        assert_is(&all, &[0, 1, 3]);
        assert_is(&Peers::of_ranks(&Ranks::World(4), 3, Some(2)), &[3]);
        assert_is(&Peers::of_ranks(&Ranks::World(4), 4, Some(3)), &[]);
        assert!(matches!(all.set, RankSet::Stride { .. }));
        assert_eq!(SharedSum::new(all).unwrap().len, 3);
    }

    #[test]
    fn lists_with_a_stride_are_not_kept() {
        for (ranks, me, expected) in [
            (&[6, 2, 4, 8][..], Some(4), &[2, 6, 8][..]),
            (&[6, 2, 4, 8], None, &[2, 4, 6, 8]),
            (&[0, 5, 6, 7], Some(0), &[5, 6, 7]),
            (&[3], Some(3), &[]),
            (&[7, 1], Some(7), &[1]),
            (&[], None, &[]),
        ] {
            let shared_sum = list(ranks, me);
            assert_is(&shared_sum, expected);
            assert!(matches!(shared_sum.set, RankSet::Stride { .. }), "{shared_sum:?}");
        }
    }

    #[test]
    fn other_lists_keep_their_repetitions() {
        assert_is(&list(&[9, 1, 2, 9, OUTSIDE, 4], Some(4)), &[1, 2, 9, 9]);
        assert_is(&list(&[5, 5, 5], Some(4)), &[5, 5, 5]);
        let some = list(&[9, OUTSIDE, 1, 2, OUTSIDE], Some(2));
        let some = SharedSum::new(some).unwrap();
        assert_eq!(some.len, 4);
        assert!(some.is_of(&list(&[OUTSIDE, 1, 9, 2, OUTSIDE], Some(2))));
        assert!(!some.is_of(&list(&[OUTSIDE, 1, 9, 2], Some(2))));
        assert!(!some.is_of(&list(&[OUTSIDE, 1, 9, 2, OUTSIDE], None)));
    }
}
