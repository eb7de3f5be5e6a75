//! Arrivals in collective operations: who comes last, and for how long the others wait.

use std::collections::BTreeMap;

use crate::times::LateRow;

/// The maximum number of operations that are kept.
pub(super) const MAX_OPERATIONS: usize = 512;

/// The arrival of one rank in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the communicator, equal in all of its processes.
    pub comm: u64,
    /// The number of the operation on the communicator.
    pub operation: u64,
    /// The number of the clock: times are comparable if it is equal.
    pub domain: u64,
    /// The time at which the rank entered the call, in nanoseconds of the clock.
    pub entered: u64,
    /// The time that the rank spent in the call.
    pub spent: u64,
}

/// The arrivals of several ranks in one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) ranks: u32,
    /// The smallest and the largest number of a clock.
    pub(super) domains: (u64, u64),
    pub(super) sum_of_entries: u128,
    /// The latest entry, and its rank.
    pub(super) last: (u64, u32),
    pub(super) spent: u128,
}

impl Operation {
    fn merge(&mut self, other: &Self) {
        self.domains = (self.domains.0.min(other.domains.0), self.domains.1.max(other.domains.1));
        self.ranks = self.ranks.saturating_add(other.ranks);
        self.sum_of_entries = self.sum_of_entries.saturating_add(other.sum_of_entries);
        self.spent = self.spent.saturating_add(other.spent);
        let by_time = |(time, rank): (u64, u32)| (time, std::cmp::Reverse(rank));
        if by_time(other.last) > by_time(self.last) {
            self.last = other.last;
        }
    }

    /// Returns the time that the ranks waited for the last one: from their entries to the latest one, but not longer than they were in
    /// the call, because some operations let ranks leave before others enter.
    fn waited(&self) -> u128 {
        let all_at_the_last = u128::from(self.last.0) * u128::from(self.ranks);
        all_at_the_last.saturating_sub(self.sum_of_entries).min(self.spent)
    }
}

/// The position of an operation: a hash, so that those which are kept are a random sample, then its communicator and number.
pub(super) type Key = (u64, u64, u64);

/// The arrivals in sampled operations. Of more than a limit, those with the smallest hashes are kept: each part of the job keeps
/// the same ones, so all ranks of a kept operation are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    pub(super) operations: BTreeMap<Key, Operation>,
}

/// The rank that arrives last most often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lateness {
    /// The rank.
    pub rank: u32,
    /// The number of operations in which it was the last.
    pub last_in: u64,
    /// The number of all sampled operations.
    pub operations: u64,
    /// The nanoseconds that the others waited in these operations.
    pub waited: u128,
    /// The nanoseconds that the others waited in all sampled operations.
    pub waited_for_all: u128,
    /// The nanoseconds in all sampled operations.
    pub spent: u128,
}

impl Lateness {
    /// Returns the share of the time in collective operations that the others waited for this rank.
    #[must_use]
    pub fn share(&self) -> f64 {
        share(self.waited, self.spent)
    }
}

fn share(part: u128, all: u128) -> f64 {
    if all == 0 { 0.0 } else { (part as f64 / all as f64).min(1.0) }
}

pub(super) fn key(comm: u64, operation: u64) -> Key {
    // The finalizer of SplitMix64: numbers that follow each other get unrelated hashes.
    let mut hash = comm.rotate_left(32) ^ operation.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (hash ^ hash >> 31, comm, operation)
}

impl Arrivals {
    /// Adds the arrival of a rank of the world. Each rank adds an operation once.
    pub fn add(&mut self, rank: u32, arrival: Arrival) {
        let Arrival { comm, operation, domain, entered, spent } = arrival;
        let one = Operation {
            ranks: 1,
            domains: (domain, domain),
            sum_of_entries: entered.into(),
            last: (entered, rank),
            spent: spent.into(),
        };
        self.add_operation(key(comm, operation), &one);
        self.limit();
    }

    /// Adds the arrivals of a rank in operations on one communicator.
    pub fn add_row(&mut self, rank: u32, domain: u64, row: &LateRow) {
        for operation in &row.operations {
            let arrival = Arrival {
                comm: row.lineage,
                operation: operation.number,
                domain,
                entered: operation.entry,
                spent: operation.exit.saturating_sub(operation.entry),
            };
            self.add(rank, arrival);
        }
    }

    /// Adds the arrivals of other ranks.
    pub fn merge(&mut self, other: &Self) {
        for (key, operation) in &other.operations {
            self.add_operation(*key, operation);
        }
        self.limit();
    }

    fn add_operation(&mut self, key: Key, operation: &Operation) {
        self.operations.entry(key).and_modify(|own| own.merge(operation)).or_insert(*operation);
    }

    fn limit(&mut self) {
        while self.operations.len() > MAX_OPERATIONS {
            self.operations.pop_last();
        }
    }

    /// Returns the operations of several ranks with comparable clocks. Those of a communicator with fewer ranks than others are left
    /// out: the missing ranks, such as those of a killed process, may have been the last ones. Ranks that are missing in all operations
    /// of a communicator are not noticed here.
    fn complete(&self) -> impl Iterator<Item = &Operation> {
        let mut most: BTreeMap<u64, u32> = BTreeMap::new();
        for ((_, comm, _), operation) in &self.operations {
            let ranks = most.entry(*comm).or_default();
            *ranks = operation.ranks.max(*ranks);
        }
        let is_complete = move |((_, comm, _), operation): &(&Key, &Operation)| {
            operation.ranks > 1
                && most.get(comm) == Some(&operation.ranks)
                && operation.domains.0 == operation.domains.1
        };
        self.operations.iter().filter(is_complete).map(|(_, operation)| operation)
    }

    /// Returns the ranks that were last in some operation, the most frequent one first. The arrivals of all ranks must be there.
    #[must_use]
    pub fn latest(&self) -> Vec<Lateness> {
        let mut by_rank: BTreeMap<u32, (u64, u128)> = BTreeMap::new();
        let (mut operations, mut spent, mut waited_for_all) = (0, 0_u128, 0_u128);
        for operation in self.complete() {
            operations += 1;
            spent = spent.saturating_add(operation.spent);
            let waited = operation.waited();
            waited_for_all = waited_for_all.saturating_add(waited);
            let own = by_rank.entry(operation.last.1).or_default();
            own.0 += 1;
            own.1 = own.1.saturating_add(waited);
        }
        let lateness =
            |(rank, (last_in, waited))| Lateness { rank, last_in, operations, waited, waited_for_all, spent };
        let mut all: Vec<Lateness> = by_rank.into_iter().map(lateness).collect();
        all.sort_by_key(|one| (std::cmp::Reverse((one.last_in, one.waited)), one.rank));
        all
    }
}
