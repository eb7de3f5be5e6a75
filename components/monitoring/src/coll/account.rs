//! The account of a communicator: the sums of its collective operations, by pattern.
//!
//! Operations of one pattern and shape add to the same sums. Threads that call at once have sums of their own, so that they
//! write to no cache line of each other; readers add them up.

use std::mem;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{PoisonError, RwLock};

use mpit_format::store::blocks::BlockKind;
use mpit_frameworks::comms::Record;
use mpit_sync::lock::{Inside, is_forked};
use mpit_sync::static_ref::{StaticPair, StaticRef};

use super::rules::{self, CASES};
use super::shared_sum::SharedSum;
use crate::per_thread::PerThread;
use crate::record::{AtomicSum, TrafficSum, add_alone};
use crate::store::{OF_PROCESS, Users};

/// The number of words behind the sums that describe the communicator: see [`BlockKind::Operations`].
const ABOUT: usize = 5;

/// The sums of one pattern and shape on a communicator.
#[derive(Debug)]
pub struct CaseSums {
    of_pattern: AtomicSum<'static>,
    /// Set when the first such operation is counted.
    pub(super) shared_sum: StaticRef<SharedSum>,
}

impl CaseSums {
    /// Counts an operation that exchanges `each` bytes with each process. Returns false, and does nothing, if something has to be
    /// allocated for it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each operation")]
    pub(super) fn record(&self, each: u64) -> bool {
        let Some(shared_sum) = self.shared_sum.get() else { return false };
        shared_sum.each.add(TrafficSum::one(each));
        self.of_pattern.add(TrafficSum::one(each.wrapping_mul(shared_sum.len)));
        true
    }

    /// Counts an operation like `record`. No other thread counts meanwhile.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each operation")]
    #[must_use]
    pub fn record_alone(&self, each: u64) -> bool {
        let Some(shared_sum) = self.shared_sum.get() else { return false };
        shared_sum.each.add_alone(TrafficSum::one(each));
        self.of_pattern.add_alone(TrafficSum::one(each.wrapping_mul(shared_sum.len)));
        true
    }
}

/// The words of [`CaseSums`] to which operations add that exchange the same number of bytes with each process.
#[derive(Debug, Default)]
pub struct CaseCells {
    /// The words of the shared sum and of the pattern.
    words: StaticPair<[AtomicU64; 2]>,
    /// The bytes that are exchanged with all processes.
    total: AtomicU64,
}

impl CaseCells {
    /// Creates cells that count nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: StaticPair::new(), total: AtomicU64::new(0) }
    }

    /// Refers to the words for operations that exchange `each` bytes with each process.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each operation of another size than the one before")]
    pub fn refer_to(&self, sums: &CaseSums, each: u64) {
        let shared_sum = sums.shared_sum.get();
        self.total.store(each.wrapping_mul(shared_sum.map_or(0, |sum| sum.len)), Relaxed);
        self.words.set(shared_sum.map(|shared_sum| (shared_sum.each.words(), sums.of_pattern.words())));
    }

    /// Makes them count nothing.
    pub fn clear(&self) {
        self.words.set(None);
    }

    /// Counts such an operation like [`CaseSums::record_alone`].
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each operation")]
    #[must_use]
    pub fn record_alone(&self, each: u64) -> bool {
        let Some((shared_sum, of_pattern)) = self.words.get() else { return false };
        add_alone(&shared_sum[0], 1, &shared_sum[1], each);
        add_alone(&of_pattern[0], 1, &of_pattern[1], self.total.load(Relaxed));
        true
    }
}

/// The sums of all threads, or of one.
#[derive(Debug)]
pub(super) struct CommSums {
    /// By pattern.
    pub(super) sums: [AtomicSum<'static>; 3],
    /// By [`OperationCounts::case_index`](rules::OperationCounts::case_index).
    pub(super) cases: [CaseSums; CASES],
    /// True if a thread gets no shared sum of its own.
    pub(super) refused: AtomicBool,
    /// The words of the block that describe the communicator. The first one is 0 while they are not set.
    about: &'static [AtomicU64],
}

impl CommSums {
    fn new(users: Users, slot: u32) -> Option<Self> {
        let block = OF_PROCESS.add_for(users, BlockKind::Operations, slot.into(), 6 + ABOUT, &[])?;
        let sums = AtomicSum::of(block)?;
        Some(Self {
            sums,
            cases: std::array::from_fn(|case| CaseSums {
                of_pattern: sums[rules::pattern_of_case(case) as usize],
                shared_sum: StaticRef::new(),
            }),
            refused: AtomicBool::new(false),
            about: &block[6..],
        })
    }

    fn write(&self, about: [u64; ABOUT]) {
        for (word, value) in self.about.iter().zip(about).skip(1) {
            word.store(value, Relaxed);
        }
        self.about[0].store(about[0], Release);
    }

    fn about(&self) -> [u64; ABOUT] {
        std::array::from_fn(|at| self.about[at].load(Relaxed))
    }

    fn clear(&self) {
        self.about[0].store(0, Release);
        self.sums.into_iter().for_each(AtomicSum::clear);
        self.cases.iter().for_each(|case| case.shared_sum.set(None));
        self.refused.store(false, Relaxed);
    }
}

/// The kind of communicator, intercommunicator or not, is not known yet.
const NOT_KNOWN: u8 = 0;
const INTRA: u8 = 1;
const INTER: u8 = 2;

#[derive(Debug)]
pub(super) struct Account {
    slot: u32,
    /// The identity of the communicator; 0 for an unused slot.
    comm: AtomicU64,
    /// The sums for all threads without own ones.
    pub(super) shared: CommSums,
    /// The sums of threads, for all accounts by their slots.
    of_threads: &'static PerThread<CommSums>,
    /// True, by shape, if no shared sum could be made.
    pub(super) refused: [AtomicBool; 3],
    /// One of `NOT_KNOWN` and the constants below it.
    reach: AtomicU8,
    /// The members, until the communicator is freed. MPI does not allow freeing a communicator while an operation on it
    /// begins, so a reader never waits for a writer here. Not a [`Mutex`](mpit_sync::lock::Mutex), which would cost more
    /// for each operation that is counted process by process.
    pub(super) members: RwLock<Option<Box<Record>>>,
}

impl Account {
    pub(super) fn new(slot: u32, of_threads: &'static PerThread<CommSums>) -> Option<Self> {
        Some(Self {
            slot,
            comm: AtomicU64::new(0),
            shared: CommSums::new(Users::AllThreads, slot)?,
            of_threads,
            refused: Default::default(),
            reach: AtomicU8::new(NOT_KNOWN),
            members: RwLock::new(None),
        })
    }

    /// Returns the identity of the communicator; 0 for an unused slot.
    pub(super) fn comm(&self) -> u64 {
        self.comm.load(Acquire)
    }

    pub(super) fn set_comm(&self, comm: u64) {
        self.comm.store(comm, Release);
    }

    /// Returns true for an intercommunicator; `None` if that is not known yet.
    pub(super) fn is_remote(&self) -> Option<bool> {
        match self.reach.load(Acquire) {
            NOT_KNOWN => None,
            reach => Some(reach == INTER),
        }
    }

    pub(super) fn set_remote(&self, is_remote: bool) {
        self.reach.store(if is_remote { INTER } else { INTRA }, Release);
    }

    /// Returns the sums of a thread, created if necessary; `None` if there are too many.
    pub(super) fn of_thread(&self, thread: usize) -> Option<&'static CommSums> {
        self.of_threads.entry_with(thread, self.slot, || CommSums::new(Users::OneThread, self.slot))
    }

    fn all(&self) -> impl Iterator<Item = &CommSums> {
        std::iter::once(&self.shared).chain(self.of_threads.of_key(self.slot))
    }

    /// Returns the sums by pattern.
    pub(super) fn sums(&self) -> [TrafficSum; 3] {
        self.all().fold(Default::default(), |all: [TrafficSum; 3], of| {
            std::array::from_fn(|at| all[at].and(of.sums[at].get()))
        })
    }

    /// Describes the communicator in the store. The caller holds a lock, so that no other thread does meanwhile.
    pub(super) fn write(&self, about: [u64; ABOUT]) {
        self.all().for_each(|sums| sums.write(about));
    }

    /// Describes the communicator in the store at the sums of a thread, too. The caller holds the lock for `write`.
    pub(super) fn write_for(&self, of_thread: &CommSums) {
        of_thread.write(self.shared.about());
    }

    /// Sets the members. Returns false, and does nothing, in a forked child whose parent had another thread that read them
    /// at the fork: that thread never releases the lock here.
    pub(super) fn set_members(&self, members: Option<Box<Record>>) -> bool {
        let earlier = {
            // A fork waits, so a forked child never finds the lock taken for writing.
            let _inside = Inside::enter();
            let lock = if is_forked() {
                self.members.try_write().ok()
            } else {
                Some(self.members.write().unwrap_or_else(PoisonError::into_inner))
            };
            let Some(mut lock) = lock else { return false };
            mem::replace(&mut *lock, members)
        };
        // May call the host, so it comes after the lock.
        drop(earlier);
        true
    }

    /// Clears the account of a freed communicator. Returns true if another communicator can have it.
    pub(super) fn clear(&self) -> bool {
        self.all().for_each(CommSums::clear);
        self.refused.iter().for_each(|refused| refused.store(false, Relaxed));
        self.reach.store(NOT_KNOWN, Relaxed);
        let is_reusable = self.set_members(None);
        if is_reusable {
            self.comm.store(0, Release);
        }
        is_reusable
    }
}
